"""The points of a trend, with the dates and the commits that moved the mean below them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from itertools import pairwise

from berryeval.charts.axes import labels_along
from berryeval.charts.svg import Scale, Svg, el, text_width

__all__ = ["Frame", "TrendPoint", "commit_marks", "date_labels"]

_DAY = 24 * 60 * 60
_GAP = 8
_DATE_ROOM = 118
"""Width per date in pixels."""
_ENOUGH_DAYS = 8
"""Number of days from which no two dates of an axis fall on the same day."""
_COMMIT_WIDTH = 66
_MAX_CALLED_OUT = 5
_WORTH_A_NAME = 0.1
"""Minimum change of a mean for its commit to be named, relative to the range of all means."""


@dataclass(frozen=True, slots=True)
class TrendPoint:
    """A run, or an evaluation of one."""

    time: datetime
    name: str
    """Its name and time."""
    mean: float | None
    """None, drawn as a gap, if it cannot be scored or has not been scored yet."""
    low: float | None = None
    high: float | None = None
    address: str | None = None
    """The address that it links to."""
    commit: str | None = None
    is_baseline: bool = False
    n_failed: int = 0
    """Number of queries that a system did not answer; no mean includes them."""
    starts_anew: bool = False
    """Whether it cannot be compared with earlier ones."""
    alert: str | None = None
    """What is wrong here, in a word."""


@dataclass(frozen=True)
class Frame:
    """The area in which a trend is drawn."""

    width: int
    x: Scale
    y: Scale
    levels: Sequence[float]
    """The values of the lines across the chart."""
    by_time: bool

    @property
    def right(self) -> float:
        """Where lines across the chart end."""
        return self.x.end + 12

    def is_late(self, x: float) -> bool:
        """Whether a place is in the right half, where text must be to its left."""
        return x > (self.x.start + self.x.end) / 2


def date_labels(frame: Frame, points: Sequence[TrendPoint], xs: Sequence[float]) -> Iterator[Svg]:
    """Write dates, evenly spaced from the first to the last, which are always included."""
    if not points:
        return iter(())
    *others, last = _instants(frame) if frame.by_time else _dates_of(frame, points, xs)
    width = text_width(last[1])
    free = min(last[0], frame.width - width / 2) - width - _GAP
    found = [*(one for one in others if one[0] <= free), last]
    y = frame.y.start + (38 if any(point.commit for point in points) else 18)
    return labels_along(found, y, frame.width)


def _instants(frame: Frame) -> Iterator[tuple[float, str]]:
    """Iterate over evenly spaced times, at midnight if there are enough days."""
    low, high = frame.x.low, frame.x.high
    is_long = high - low >= _ENOUGH_DAYS * _DAY
    ends = [datetime.fromtimestamp(moment, timezone.utc) for moment in (low, high)]
    is_one_year = ends[0].year == ends[1].year
    steps = max(1, int((frame.x.end - frame.x.start) // _DATE_ROOM))
    for i in range(steps + 1 if high > low else 1):
        moment = low + (high - low) * i / steps
        if is_long and i:
            moment -= moment % _DAY
        time = datetime.fromtimestamp(moment, timezone.utc)
        text = _day(time) if is_one_year else f"{time:%Y-%m-%d}"
        yield frame.x.at(moment), text if is_long else f"{_day(time)} {time:%H:%M}"


def _dates_of(
    frame: Frame, points: Sequence[TrendPoint], xs: Sequence[float]
) -> Iterator[tuple[float, str]]:
    """Iterate over the dates of some points, with hours if all are on one day."""
    is_one_day = points[0].time.date() == points[-1].time.date()
    n_named = min(max(2, int((frame.x.end - frame.x.start) // _DATE_ROOM)), len(points))
    last = None
    for i in range(n_named):
        place = round(i * (len(points) - 1) / max(1, n_named - 1))
        time = points[place].time
        text = f"{time:%H:%M}" if is_one_day else _day(time)
        if text != last:
            yield xs[place], text
        last = text


def _day(time: datetime) -> str:
    return f"{time:%b} {time.day}"


def commit_marks(frame: Frame, points: Sequence[TrendPoint], xs: Sequence[float]) -> Iterator[Svg]:
    """Mark where the commit changes, and name the commits that moved the mean most."""
    named = _called_out(points, xs)
    bottom = frame.y.start
    for i, (point, x) in enumerate(zip(points, xs, strict=True)):
        before = points[i - 1].commit if i else None
        if point.commit is None or point.commit == before:
            continue
        yield el("line", x1=x, x2=x, y1=bottom, y2=bottom + 5, class_="rule")
        if i in named:
            if point.mean is not None:
                yield el("line", x1=x, x2=x, y1=frame.y.at(point.mean), y2=bottom,
                         class_="rule dashed faint")  # fmt: skip
            yield from labels_along([(x, point.commit[:8])], bottom + 18, frame.width, "code")


def _called_out(points: Sequence[TrendPoint], xs: Sequence[float]) -> set[int]:
    """Return the places of the newest commit and of those with the largest changes, far apart."""
    changes = {
        place: abs(point.mean - before.mean)
        for place, (before, point) in enumerate(pairwise(points), start=1)
        if point.mean is not None and before.mean is not None and point.commit != before.commit
    }
    means = [point.mean for point in points if point.mean is not None]
    least = _WORTH_A_NAME * (max(means) - min(means)) if means else 0.0
    large = (place for place, change in changes.items() if change >= least)
    found: set[int] = set()
    for place in (len(points) - 1, *sorted(large, key=changes.__getitem__, reverse=True)):
        if len(found) >= _MAX_CALLED_OUT:
            break
        if all(abs(xs[place] - xs[other]) >= _COMMIT_WIDTH + 8 for other in found):
            found.add(place)
    return found
