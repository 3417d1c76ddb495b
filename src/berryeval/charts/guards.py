"""What guards found, drawn in a column of their table: values, intervals and limits.

The figures stand beside each drawing, so screen readers skip it. All drawings of a column share a
scale, whose values are in the head of the column.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from berryeval.charts.axes import labels_along, padded_range
from berryeval.charts.svg import Scale, Svg, el, figure_text, joined, ticks

__all__ = ["WIDTH", "GuardFigures", "axis", "guard_mark", "scale_of"]

WIDTH = 300
_HEIGHT, _AXIS_HEIGHT, _PADDING = 30, 20, 14
_SMALLEST_SPAN = 0.02
"""Figures that are all alike still have an axis."""


class GuardFigures(NamedTuple):
    """What a guard found, as a drawing needs it."""

    value: float
    limits: tuple[float, ...]
    """One, or two if a change in either direction is limited."""
    low: float | None
    high: float | None
    verdict: str


def scale_of(several: Iterable[GuardFigures], *, zero: bool) -> Scale:
    """Return a scale that holds whatever guards found, and zero if it matters."""
    found = [0.0] if zero else []
    for one in several:
        numbers = (one.value, *one.limits, one.low, one.high)
        found += [number for number in numbers if number is not None]
    return Scale(*padded_range(found, _SMALLEST_SPAN), _PADDING, WIDTH - _PADDING)


def axis(scale: Scale, *, signed: bool) -> Svg:
    """Return the marks of a scale."""
    values = ticks(scale.low, scale.high, 4)
    marks = labels_along(((scale.at(v), figure_text(v, signed=signed)) for v in values), 14, WIDTH)
    return _drawing(_AXIS_HEIGHT, *marks)


def guard_mark(figures: GuardFigures, scale: Scale, *, zero: bool) -> Svg:
    """Return a line for the interval, a dot for the value, and a dashed line for each limit."""
    middle = _HEIGHT / 2
    value = scale.at(figures.value)
    parts = [
        el("line", x1=limit, x2=limit, y1=2, y2=_HEIGHT - 2, class_="stroke dashed limit s-margin")
        for limit in map(scale.at, figures.limits)
    ]
    if zero:
        origin = scale.at(0.0)
        parts.insert(0, el("line", x1=origin, x2=origin, y1=0, y2=_HEIGHT, class_="rule"))
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
    return _drawing(_HEIGHT, el("g", *parts, class_=f"v-{figures.verdict}"))


def _drawing(height: int, *inside: Svg) -> Svg:
    return el(
        "svg",
        joined(inside),
        viewBox=f"0 0 {WIDTH} {height}",
        width=WIDTH,
        height=height,
        class_="chart guard-mark",
        aria_hidden="true",
        focusable="false",
    )
