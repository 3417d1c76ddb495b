"""A difference with its interval, small enough for a row of a table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from berryeval.charts.svg import Scale, Svg, el

if TYPE_CHECKING:
    from berryeval.evaluation.comparison import Difference

__all__ = ["change_mark", "widest_of"]

_WIDTH, _HEIGHT, _INSET = 132, 18, 6


def widest_of(changes: Iterable[Difference | None]) -> float:
    """Return how far some changes and their intervals reach, so that all are drawn to one scale."""
    ends = []
    for change in changes:
        if change is not None:
            interval = change.interval
            ends += [change.mean] if interval is None else [interval.low, interval.high]
    return max(map(abs, ends), default=0.0) or 1.0


def change_mark(change: Difference, widest: float) -> Svg:
    """Draw a difference around 0, to the scale of a table whose widest interval is given."""
    x = Scale(-widest, widest, _INSET, _WIDTH - _INSET)
    middle, zero = _HEIGHT / 2, x.at(0.0)
    parts = [el("line", x1=zero, x2=zero, y1=0, y2=_HEIGHT, class_="rule")]
    if change.interval is not None:
        low, high = x.at(change.interval.low), x.at(change.interval.high)
        parts.append(
            el("line", x1=low, x2=high, y1=middle, y2=middle, class_="stroke thick whisker")
        )
    parts.append(el("circle", cx=x.at(change.mean), cy=middle, r=4, class_="dot"))
    return el(
        "svg",
        el("g", *parts, class_=f"s-{change.finding}"),
        viewBox=f"0 0 {_WIDTH} {_HEIGHT}",
        width=_WIDTH,
        height=_HEIGHT,
        class_="chart change-mark",
        role="img",
        aria_label=f"difference {change.mean:+.4f}",
    )
