"""What guards found, drawn in a column of their table: values, intervals and limits.

A drawing stands beside the figures that it is made of, so it is nothing to read aloud. All drawings
of a column share a scale, and the column's head has its marks.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from markupsafe import Markup

from berryeval.service.workbench.charts.svg import Scale, el, joined, ticks

__all__ = ["WIDTH", "GuardFigures", "axis", "guard_mark", "scale_of"]

WIDTH = 300
_HEIGHT, _AXIS_HEIGHT, _PADDING = 30, 20, 14


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
    low, high = min(found, default=0.0), max(found, default=1.0)
    room = (high - low) * 0.06 or 0.05
    return Scale(low - room, high + room, _PADDING, WIDTH - _PADDING)


def axis(scale: Scale, *, signed: bool) -> Markup:
    """Return the marks of a scale."""
    marks = (
        el(
            "text",
            _mark(value, signed=signed),
            x=scale.at(value),
            y=14,
            text_anchor="middle",
        )
        for value in ticks(scale.low, scale.high, 4)
    )
    return _drawing(_AXIS_HEIGHT, *marks)


def guard_mark(figures: GuardFigures, scale: Scale, *, zero: bool) -> Markup:
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
        parts.append(el("line", x1=low, x2=high, y1=middle, y2=middle, class_="stroke interval"))
        parts += [
            el("line", x1=end, x2=end, y1=middle - 4, y2=middle + 4, class_="stroke end")
            for end in (low, high)
        ]
    parts.append(el("circle", cx=value, cy=middle, r=4.5, class_="dot"))
    return _drawing(_HEIGHT, el("g", *parts, class_=f"v-{figures.verdict}"))


def _mark(value: float, *, signed: bool) -> str:
    text = f"{value:+g}" if signed and value else f"{value:g}"
    return text.replace("-", "\N{MINUS SIGN}")


def _drawing(height: int, *inside: Markup) -> Markup:
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
