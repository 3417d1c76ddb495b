"""A measure from run to run, with its interval as a band, commits below, and links to the runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

from markupsafe import Markup

from berryeval.service.workbench.charts.svg import Scale, el, joined, number, picture, ticks

__all__ = ["Reference", "TrendDot", "trend_chart"]

_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 20, 16, 50
_COMMIT_WIDTH = 66
_DATE_WIDTH = 74
_MOST_CALLED_OUT = 5
_WORTH_A_NAME = 0.1
"""A change of at least this share of all that the means ever moved."""
_SMALLEST_SPAN = 0.02
"""Means that are nearly alike shall not look like mountains."""


@dataclass(frozen=True, slots=True)
class TrendDot:
    """A run of the chart."""

    address: str
    name: str
    """What a reader hears: the commit or the beginning of the id, and when."""
    stored_at: datetime
    commit: str | None
    mean: float | None
    """None where it cannot be scored, or is not yet."""
    low: float | None = None
    high: float | None = None
    is_baseline: bool = False
    n_failed: int = 0
    """Queries that a store did not answer; no mean has them."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A line across the chart."""

    name: str
    mean: float


@dataclass(frozen=True)
class _Frame:
    """Where things are drawn."""

    width: int
    height: int
    x: Scale
    y: Scale

    @property
    def bottom(self) -> float:
        return self.y.start

    @property
    def right(self) -> float:
        return self.width - _RIGHT


def trend_chart(
    dots: Sequence[TrendDot],
    measure: str,
    reference: Reference | None = None,
    *,
    width: int = 1080,
    height: int = 320,
    class_: str = "chart trend",
) -> Markup:
    """Draw the runs of a series in their order, which is not that of time alone: days are named.

    Parameters
    ----------
    dots : sequence of TrendDot
        Oldest first. Runs without a mean leave a gap.
    measure : str
        What is drawn.
    reference : Reference, optional
        The baseline, as a dashed line.
    width, height : int
        In the units of the drawing, which are pixels where it has room.
    """
    frame = _frame(dots, reference, width, height)
    parts = [
        *_grid(frame),
        *_bands(frame, dots),
        *_reference(frame, reference),
        *_lines(frame, dots),
        *_commits(frame, dots),
        *_dates(frame, dots),
        *_dots(frame, dots),
    ]
    return picture(width, height, _label(dots, measure), joined(parts), class_=class_)


def _frame(
    dots: Sequence[TrendDot], reference: Reference | None, width: int, height: int
) -> _Frame:
    values = [v for dot in dots for v in (dot.mean, dot.low, dot.high) if v is not None]
    if reference is not None:
        values.append(reference.mean)
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    missing = max(0.0, _SMALLEST_SPAN - (high - low)) / 2
    room = 0.06 * (high - low + 2 * missing)
    inset = 12 if len(dots) > 1 else 0
    return _Frame(
        width,
        height,
        Scale(0, max(len(dots) - 1, 0), _LEFT + inset, width - _RIGHT - inset),
        Scale(low - missing - room, high + missing + room, height - _BOTTOM, _TOP),
    )


def _grid(frame: _Frame) -> Iterator[Markup]:
    for value in ticks(frame.y.low, frame.y.high, 5):
        y = frame.y.at(value)
        yield el("line", x1=_LEFT, x2=frame.right, y1=y, y2=y, class_="grid")
        yield el("text", f"{value:.6g}", x=_LEFT - 8, y=y + 4, text_anchor="end")


def _bands(frame: _Frame, dots: Sequence[TrendDot]) -> Iterator[Markup]:
    for stretch in _stretches(dots):
        edge = [(i, dot.high) for i, dot in stretch if dot.high is not None]
        edge += [(i, dot.low) for i, dot in reversed(stretch) if dot.low is not None]
        if len(edge) > 2:  # noqa: PLR2004 - the two ends of a single run are no band
            yield el("path", d=_path(frame, edge) + "z", class_="band")
        elif edge:
            x, (high, low) = frame.x.at(edge[0][0]), (frame.y.at(value) for _, value in edge)
            yield el("line", x1=x, x2=x, y1=high, y2=low, class_="whisker s-candidate")


def _reference(frame: _Frame, reference: Reference | None) -> Iterator[Markup]:
    if reference is None:
        return
    y = frame.y.at(reference.mean)
    yield el("line", x1=_LEFT, x2=frame.right, y1=y, y2=y, class_="stroke dashed s-baseline")
    yield el("text", reference.name, x=_LEFT + 6, y=y - 6, class_="halo")


def _lines(frame: _Frame, dots: Sequence[TrendDot]) -> Iterator[Markup]:
    for stretch in _stretches(dots):
        places = [(i, dot.mean) for i, dot in stretch if dot.mean is not None]
        yield el("path", d=_path(frame, places), class_="line s-candidate")


def _commits(frame: _Frame, dots: Sequence[TrendDot]) -> Iterator[Markup]:
    """Mark where a commit is another than before, and name those that moved the mean most."""
    named = _called_out(frame, dots)
    for place, dot in enumerate(dots):
        before = dots[place - 1].commit if place else None
        if dot.commit is None or dot.commit == before:
            continue
        x = frame.x.at(place)
        if place in named and dot.mean is not None:
            y = frame.y.at(dot.mean)
            yield el("line", x1=x, x2=x, y1=y, y2=frame.bottom, class_="rule dashed")
        yield el("line", x1=x, x2=x, y1=frame.bottom, y2=frame.bottom + 5, class_="rule")
        if place in named:
            anchor, shift = _anchor(frame, x, _COMMIT_WIDTH)
            yield el("text", dot.commit[:8], x=x + shift, y=frame.bottom + 18, text_anchor=anchor,
                     class_="commit")  # fmt: skip


def _called_out(frame: _Frame, dots: Sequence[TrendDot]) -> set[int]:
    """Return the places of the newest commit and of those with the largest changes, far apart."""
    changes = {
        place: abs(dot.mean - before.mean)
        for place, (before, dot) in enumerate(pairwise(dots), start=1)
        if dot.mean is not None and before.mean is not None and dot.commit != before.commit
    }
    means = [dot.mean for dot in dots if dot.mean is not None]
    least = _WORTH_A_NAME * (max(means) - min(means)) if means else 0.0
    large = (place for place, change in changes.items() if change >= least)
    wanted = sorted(large, key=lambda place: changes[place], reverse=True)
    found: set[int] = set()
    for place in (len(dots) - 1, *wanted):
        if len(found) >= _MOST_CALLED_OUT:
            break
        x = frame.x.at(place)
        if all(abs(x - frame.x.at(other)) >= _COMMIT_WIDTH + 8 for other in found):
            found.add(place)
    return found


def _dates(frame: _Frame, dots: Sequence[TrendDot]) -> Iterator[Markup]:
    if not dots:
        return
    is_one_day = dots[0].stored_at.date() == dots[-1].stored_at.date()
    most = max(2, int((frame.right - _LEFT) // (1.6 * _DATE_WIDTH)))
    n_named = min(most, len(dots))
    # Evenly from the first to the last, both of which people look for.
    places = [round(i * (len(dots) - 1) / max(1, n_named - 1)) for i in range(n_named)]
    last = None
    for place in places:
        stored_at = dots[place].stored_at
        text = f"{stored_at:%H:%M}" if is_one_day else f"{stored_at:%b} {stored_at.day}"
        if text != last:
            anchor, shift = _anchor(frame, frame.x.at(place), _DATE_WIDTH)
            x = frame.x.at(place) + shift
            yield el("text", text, x=x, y=frame.bottom + 38, text_anchor=anchor)
        last = text


def _anchor(frame: _Frame, x: float, room: int) -> tuple[str, float]:
    """Return how to put a text below a place so that it stays in the picture."""
    if x + room / 2 > frame.width:
        return "end", min(frame.width - x, 10.0)
    if x - room / 2 < 0:
        return "start", -min(x, 10.0)
    return "middle", 0.0


def _dots(frame: _Frame, dots: Sequence[TrendDot]) -> Iterator[Markup]:
    radius = 3.5 if (frame.right - _LEFT) / max(len(dots), 1) > 9 else 2.5  # noqa: PLR2004
    for place, dot in enumerate(dots):
        x = frame.x.at(place)
        if dot.mean is None:
            mark = el("circle", cx=x, cy=frame.bottom, r=2.5, class_="hollow")
            text = "not scored"
        else:
            is_last = place == len(dots) - 1
            kind = "s-baseline" if dot.is_baseline else "s-candidate"
            size = radius + 2 if is_last or dot.is_baseline else radius
            mark = el("circle", cx=x, cy=frame.y.at(dot.mean), r=size, class_=f"dot {kind}")
            text = f"{dot.mean:.4f}"
        yield el("a", mark, href=dot.address, aria_label=f"{dot.name}: {text}",
                 data_x=number(x), data_name=dot.name, data_value=text,
                 data_interval=_interval(dot), data_change=_change(dots, place))  # fmt: skip


def _change(dots: Sequence[TrendDot], place: int) -> str | None:
    after, before = dots[place].mean, dots[place - 1].mean if place else None
    return None if after is None or before is None else f"{after - before:+.4f}"


def _interval(dot: TrendDot) -> str | None:
    return (
        None if dot.low is None or dot.high is None else f"{dot.low:.3f} \N{EN DASH} {dot.high:.3f}"
    )


def _stretches(dots: Sequence[TrendDot]) -> Iterator[list[tuple[int, TrendDot]]]:
    """Iterate over the runs that follow on each other without a gap."""
    stretch: list[tuple[int, TrendDot]] = []
    for place, dot in enumerate(dots):
        if dot.mean is not None:
            stretch.append((place, dot))
        elif stretch:
            yield stretch
            stretch = []
    if stretch:
        yield stretch


def _path(frame: _Frame, places: Sequence[tuple[int, float]]) -> str:
    points = (f"{number(frame.x.at(i))} {number(frame.y.at(value))}" for i, value in places)
    return "M" + "L".join(points)


def _label(dots: Sequence[TrendDot], measure: str) -> str:
    means = [dot.mean for dot in dots if dot.mean is not None]
    if not means:
        return f"{measure} over {len(dots)} runs, none of which is scored."
    return (
        f"{measure} over {len(dots)} runs, from {means[0]:.3f} to {means[-1]:.3f}; "
        f"lowest {min(means):.3f}, highest {max(means):.3f}."
    )
