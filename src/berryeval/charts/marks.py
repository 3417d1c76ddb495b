"""Marks: small drawings in the rows of tables, and between lists.

The figures are next to them, so screen readers skip all but differences.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from berryeval.charts.axes import labels_along, padded_range
from berryeval.charts.svg import Scale, Svg, el, figure_text, joined, ticks
from berryeval.evaluation.findings import Outcome

if TYPE_CHECKING:
    from berryeval.evaluation.comparison import Difference

__all__ = [
    "GUARD_WIDTH",
    "ROW",
    "GuardFigures",
    "Link",
    "axis",
    "change_mark",
    "guard_mark",
    "links",
    "outcomes",
    "scale_of",
    "widest_of",
]

_CHANGE_WIDTH, _CHANGE_HEIGHT, _CHANGE_INSET = 132, 18, 6
_OUTCOMES_WIDTH = 1000

GUARD_WIDTH = 300
_GUARD_HEIGHT, _AXIS_HEIGHT, _PADDING = 30, 20, 14
_SMALLEST_SPAN = 0.02
"""Minimum span of an axis, for figures that are all alike."""

ROW = 68
"""Height of a row in pixels, the same as in `query.css`."""
_LINKS_WIDTH, _STUB = 100, 18


def widest_of(changes: Iterable[Difference | None]) -> float:
    """Return the extent of changes and their intervals, to draw all of them to one scale."""
    ends = []
    for change in changes:
        if change is not None:
            interval = change.interval
            ends += [change.mean] if interval is None else [interval.low, interval.high]
    return max(map(abs, ends), default=0.0) or 1.0


def change_mark(change: Difference, widest: float) -> Svg:
    """Draw a difference around 0, to the scale of a table whose widest interval is given."""
    x = Scale(-widest, widest, _CHANGE_INSET, _CHANGE_WIDTH - _CHANGE_INSET)
    middle, zero = _CHANGE_HEIGHT / 2, x.at(0.0)
    parts = [el("line", x1=zero, x2=zero, y1=0, y2=_CHANGE_HEIGHT, class_="rule")]
    if change.interval is not None:
        low, high = x.at(change.interval.low), x.at(change.interval.high)
        parts.append(
            el("line", x1=low, x2=high, y1=middle, y2=middle, class_="stroke thick whisker")
        )
    parts.append(el("circle", cx=x.at(change.mean), cy=middle, r=4, class_="dot"))
    return el(
        "svg",
        el("g", *parts, class_=f"s-{change.finding}"),
        viewBox=f"0 0 {_CHANGE_WIDTH} {_CHANGE_HEIGHT}",
        width=_CHANGE_WIDTH,
        height=_CHANGE_HEIGHT,
        class_="chart change-mark",
        role="img",
        aria_label=f"difference {change.mean:+.4f}",
    )


def outcomes(wins: int, ties: int, losses: int) -> Svg:
    """Draw one bar of the queries that got better, stayed equal, and got worse."""
    total = max(1, wins + ties + losses)
    bars = []
    start = 0.0
    for count, outcome in ((wins, "better"), (ties, "equal"), (losses, "worse")):
        width = _OUTCOMES_WIDTH * count / total
        if count:
            bars.append(
                el("rect", x=start, width=width, y=0, height=10, class_=f"area s-{outcome}")
            )
        start += width
    return el(
        "svg",
        *bars,
        viewBox=f"0 0 {_OUTCOMES_WIDTH} 10",
        preserveAspectRatio="none",
        class_="chart outcomes",
        aria_hidden="true",
    )


class GuardFigures(NamedTuple):
    """The figures of a guard; all guards of a column are drawn to one scale."""

    value: float
    limits: tuple[float, ...]
    """One limit, or two if changes in both directions are limited."""
    low: float | None
    high: float | None
    verdict: str


def scale_of(several: Iterable[GuardFigures], *, zero: bool) -> Scale:
    """Return a scale with all figures of the guards, and zero on request."""
    found = [0.0] if zero else []
    for one in several:
        numbers = (one.value, *one.limits, one.low, one.high)
        found += [number for number in numbers if number is not None]
    return Scale(*padded_range(found, _SMALLEST_SPAN), _PADDING, GUARD_WIDTH - _PADDING)


def axis(scale: Scale, *, signed: bool) -> Svg:
    """Draw the values of a scale, for the header of a column."""
    values = ticks(scale.low, scale.high, 4)
    marks = labels_along(
        ((scale.at(v), figure_text(v, signed=signed)) for v in values), 14, GUARD_WIDTH
    )
    return _guard_drawing(_AXIS_HEIGHT, *marks)


def guard_mark(figures: GuardFigures, scale: Scale, *, zero: bool) -> Svg:
    """Draw a line for the interval, a dot for the value, and a dashed line for each limit."""
    middle = _GUARD_HEIGHT / 2
    value = scale.at(figures.value)
    parts = [
        el(
            "line",
            x1=limit,
            x2=limit,
            y1=2,
            y2=_GUARD_HEIGHT - 2,
            class_="stroke dashed limit s-margin",
        )
        for limit in map(scale.at, figures.limits)
    ]
    if zero:
        origin = scale.at(0.0)
        parts.insert(0, el("line", x1=origin, x2=origin, y1=0, y2=_GUARD_HEIGHT, class_="rule"))
    if figures.low is not None and figures.high is not None:
        low, high = scale.at(figures.low), scale.at(figures.high)
        parts.append(
            el("line", x1=low, x2=high, y1=middle, y2=middle, class_="stroke thick whisker")
        )
        parts += [
            el("line", x1=end, x2=end, y1=middle - 4, y2=middle + 4, class_="stroke")
            for end in (low, high)
        ]
    parts.append(el("circle", cx=value, cy=middle, r=4.5, class_="dot"))
    return _guard_drawing(_GUARD_HEIGHT, el("g", *parts, class_=f"v-{figures.verdict}"))


def _guard_drawing(height: int, *inside: Svg) -> Svg:
    return el(
        "svg",
        joined(inside),
        viewBox=f"0 0 {GUARD_WIDTH} {height}",
        width=GUARD_WIDTH,
        height=height,
        class_="chart guard-mark",
        aria_hidden="true",
        focusable="false",
    )


@dataclass(frozen=True)
class Link:
    """A document in two lists."""

    number: int
    """The number by which a script finds both rows."""
    before: int | None
    """Its row on the left, from 0; None if it is not in that list."""
    after: int | None
    effect: Outcome
    """The effect of its move on the score."""
    weight: float = 0.0
    """Its share of the whole change, from 0 to 1."""


def links(drawn: Sequence[Link], n_rows: int) -> Svg:
    """Draw lines from old ranks to new ones; a document in only one list gets a stub.

    They fill the gap between two lists whose rows have the same height, whatever the gap's width.
    """
    ordered = sorted(drawn, key=lambda link: (link.effect != "equal", link.weight))
    return el(
        "svg",
        *(_link(link) for link in ordered),
        viewBox=f"0 0 {_LINKS_WIDTH} {n_rows * ROW}",
        height=n_rows * ROW,
        preserveAspectRatio="none",
        class_="links",
        aria_hidden="true",
    )


def _link(link: Link) -> Svg:
    kind = f"link s-{link.effect}"
    if link.after is None:
        kind += " is-stub"
        path = f"M0 {_middle(link.before or 0)}h{_STUB}"
    elif link.before is None:
        kind += " is-stub"
        path = f"M{_LINKS_WIDTH} {_middle(link.after)}h-{_STUB}"
    else:
        y, end = _middle(link.before), _middle(link.after)
        path = f"M0 {y}C{_LINKS_WIDTH / 2:g} {y} {_LINKS_WIDTH / 2:g} {end} {_LINKS_WIDTH} {end}"
    width = round(1.5 + 3.5 * link.weight, 1)
    return el("path", d=path, class_=kind, stroke_width=width, data_n=link.number)


def _middle(row: int) -> int:
    return row * ROW + ROW // 2
