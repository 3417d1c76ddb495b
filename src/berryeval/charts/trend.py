"""A measure over time: lines with bands of their intervals, and events along the way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from berryeval.charts.axes import Key, header, labels_along, padded_range, y_axis, y_label_room
from berryeval.charts.chart import Chart
from berryeval.charts.svg import Scale, Svg, el, joined, number, shortened, ticks
from berryeval.charts.theme import SERIES
from berryeval.charts.trend_axis import Frame, TrendPoint, commit_marks, date_labels

__all__ = ["Reference", "TrendLine", "TrendPoint", "trend_chart"]

_BOTTOM, _RIGHT, _INSET, _ABOVE = 28, 10, 12, 14
_COMMITS = 20
"""Room for the names of commits."""
_SMALLEST_SPAN = 0.02
"""Minimum span of the axis, so that small changes look small."""
_CROWDED = 9
"""Width per run in pixels, below which dots are small."""


@dataclass(frozen=True)
class TrendLine:
    """The points of one series, oldest first."""

    points: Sequence[TrendPoint]
    name: str = ""
    """Name in the legend; empty if none is needed."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A dashed line across the chart."""

    name: str
    mean: float


def trend_chart(
    lines: Sequence[TrendLine],
    measure: str,
    reference: Reference | None = None,
    *,
    by_time: bool = False,
    note: str = "",
    width: int = 900,
    height: int = 320,
) -> Chart:
    """Draw series from left to right, and a reference as a dashed line.

    With `by_time`, distances are proportional to time, and the axis has a title; otherwise points
    are evenly spaced. `note` is a sentence to add to the description.
    """
    keys = [Key(line.name, _kind(i)) for i, line in enumerate(lines) if line.name]
    heading, top = header(keys, f"mean {measure}" if by_time else "", width)
    frame = _frame(lines, reference, top, width, height, by_time=by_time)
    places = [_places(frame, line.points) for line in lines]
    series = list(zip(lines, places, strict=True))
    parts = [
        *heading,
        *y_axis(frame.y, frame.x.start - _INSET, frame.right, frame.levels),
        *_reference(frame, reference),
        *(date_labels(frame, lines[0].points, places[0]) if lines else ()),
    ]
    for line, xs in series:
        parts += commit_marks(frame, line.points, xs)
    parts += _starts(frame, series)
    for i, (line, xs) in enumerate(series):
        parts.append(el("g", *_line(frame, line, xs), *_dots(frame, line, xs), class_=_kind(i)))
        parts += _alerts(frame, line, xs)
    description = " ".join(filter(None, (_description(lines), note)))
    title = f"{measure} over time" if by_time else f"{measure} by run"
    return Chart(title, description, width, height, joined(parts), "trend")


def _kind(i: int) -> str:
    return f"s-{SERIES[i % len(SERIES)]}"


def _frame(
    lines: Sequence[TrendLine],
    reference: Reference | None,
    top: float,
    width: int,
    height: int,
    *,
    by_time: bool,
) -> Frame:
    points = [point for line in lines for point in line.points]
    values = [v for point in points for v in (point.mean, point.low, point.high) if v is not None]
    if reference is not None:
        values.append(reference.mean)
    low, high = padded_range(values, _SMALLEST_SPAN)
    levels = ticks(low, high)
    bottom = height - _BOTTOM - (_COMMITS if any(point.commit for point in points) else 0)
    start, end = y_label_room(levels) + _INSET, width - _RIGHT - _INSET
    times = [point.time.timestamp() for point in points]
    x = Scale(min(times), max(times), start, end) if by_time and times else None
    longest = max((len(line.points) for line in lines), default=0)
    return Frame(
        width,
        x or Scale(0, max(longest - 1, 0), start, end),
        Scale(low, high, bottom, top + (_ABOVE if any(p.starts_anew for p in points) else 0)),
        levels,
        by_time=x is not None,
    )


def _places(frame: Frame, points: Sequence[TrendPoint]) -> list[float]:
    if frame.by_time:
        return [frame.x.at(point.time.timestamp()) for point in points]
    return [frame.x.at(i) for i in range(len(points))]


def _reference(frame: Frame, reference: Reference | None) -> Iterator[Svg]:
    if reference is None:
        return
    y, left = frame.y.at(reference.mean), frame.x.start - _INSET
    yield el("line", x1=left, x2=frame.right, y1=y, y2=y, class_="stroke dashed s-baseline")
    name = shortened(reference.name, frame.right - left - 6)
    yield el("text", name, x=left + 6, y=y - 6, class_="halo")


def _starts(frame: Frame, series: Iterable[tuple[TrendLine, Sequence[float]]]) -> Iterator[Svg]:
    """Draw a dashed line where judgments or queries changed, once for all series."""
    pairs = chain.from_iterable(zip(line.points, xs, strict=True) for line, xs in series)
    found = sorted({x for point, x in pairs if point.starts_anew})
    for x in found:
        yield el("line", x1=x, x2=x, y1=frame.y.end, y2=frame.y.start, class_="rule dashed")
    words = "judgments or queries changed"
    yield from labels_along(((x, words) for x in found), frame.y.end - 6, frame.width)


def _line(frame: Frame, line: TrendLine, xs: Sequence[float]) -> Iterator[Svg]:
    """Draw each stretch of comparable points: its band, or the whisker of a single one."""
    for stretch in _stretches(line.points):
        known = [i for i in stretch if line.points[i].low is not None]
        edge = [(xs[i], line.points[i].high) for i in known]
        edge += [(xs[i], line.points[i].low) for i in reversed(known)]
        if len(known) > 1:
            yield el("path", d=_path(frame, edge) + "z", class_="band")
        elif known:
            [(x, high), (_, low)] = edge
            yield el("line", x1=x, x2=x, y1=frame.y.at(high or 0), y2=frame.y.at(low or 0),
                     class_="stroke thick faint")  # fmt: skip
    for stretch in _stretches(line.points):
        path = _path(frame, [(xs[i], line.points[i].mean) for i in stretch])
        yield el("path", d=path, class_="line")


def _stretches(points: Sequence[TrendPoint]) -> Iterator[list[int]]:
    """Iterate over the places of points that follow each other and are comparable."""
    stretch: list[int] = []
    for i, point in enumerate(points):
        if stretch and (point.mean is None or point.starts_anew):
            yield stretch
            stretch = []
        if point.mean is not None:
            stretch.append(i)
    if stretch:
        yield stretch


def _path(frame: Frame, places: Sequence[tuple[float, float | None]]) -> str:
    return "M" + "L".join(f"{number(x)} {number(frame.y.at(value or 0.0))}" for x, value in places)


def _dots(frame: Frame, line: TrendLine, xs: Sequence[float]) -> Iterator[Svg]:
    room = (frame.right - frame.x.start) / max(len(line.points), 1)
    radius = 4.0 if room > _CROWDED else 2.5
    for i, (point, x) in enumerate(zip(line.points, xs, strict=True)):
        if point.mean is None:
            mark = el("circle", cx=x, cy=frame.y.start, r=2.5, class_="hollow")
            text = "not scored"
        else:
            is_large = point.is_baseline or i == len(line.points) - 1
            kind = "dot s-baseline" if point.is_baseline else "dot"
            mark = el("circle", cx=x, cy=frame.y.at(point.mean), r=radius + 2 * is_large,
                      class_=kind)  # fmt: skip
            text = f"{point.mean:.4f}"
        words = f"{point.name}: {text}"
        if point.address is None:
            yield el("g", el("title", words), mark)
        else:
            yield el("a", mark, href=point.address, aria_label=words, data_x=number(x),
                     data_name=point.name, data_value=text, data_interval=_interval(point),
                     data_change=_change(line.points, i))  # fmt: skip


def _change(points: Sequence[TrendPoint], place: int) -> str | None:
    after, before = points[place].mean, points[place - 1].mean if place else None
    return None if after is None or before is None else f"{after - before:+.4f}"


def _interval(point: TrendPoint) -> str | None:
    if point.low is None or point.high is None:
        return None
    return f"{point.low:.3f} \N{EN DASH} {point.high:.3f}"


def _alerts(frame: Frame, line: TrendLine, xs: Sequence[float]) -> Iterator[Svg]:
    """Draw a ring and a word at each point where something is wrong."""
    for point, x in zip(line.points, xs, strict=True):
        if point.alert is None or point.mean is None:
            continue
        y, is_late = frame.y.at(point.mean), frame.is_late(x)
        yield el("circle", cx=x, cy=y, r=9, class_="ring s-worse")
        # A line that declines leaves room above it to the right, and below it to the left.
        yield el(
            "text",
            point.alert,
            x=x + (-14 if is_late else 12),
            y=y + (8 if is_late else -10),
            text_anchor="end" if is_late else "start",
            class_="halo alert",
        )


def _description(lines: Sequence[TrendLine]) -> str:
    return " ".join(map(_sentence, lines))


def _sentence(line: TrendLine) -> str:
    means = [point.mean for point in line.points if point.mean is not None]
    runs = f"{line.name}: " if line.name else ""
    runs += "1 run" if len(line.points) == 1 else f"{len(line.points):,} runs"
    if not means:
        return f"{runs}, none of which is scored."
    return (
        f"{runs}, from {means[0]:.3f} to {means[-1]:.3f}; "
        f"lowest {min(means):.3f}, highest {max(means):.3f}."
    )
