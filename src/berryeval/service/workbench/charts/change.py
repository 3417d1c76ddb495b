"""A difference with its interval, small enough for a row of a table."""

from __future__ import annotations

from collections.abc import Iterable

from markupsafe import Markup

from berryeval.evaluation.comparison import Difference
from berryeval.service.workbench.charts.svg import Scale, el, picture

__all__ = ["change_mark", "widest_of"]

_WIDTH, _HEIGHT, _INSET = 132, 18, 6
_KINDS = {"better": "s-better", "worse": "s-worse"}


def widest_of(changes: Iterable[Difference | None]) -> float:
    """Return how far some changes and their intervals reach, so that all are drawn to one scale."""
    ends = []
    for change in changes:
        if change is not None:
            interval = change.interval
            ends += [change.mean] if interval is None else [interval.low, interval.high]
    return max(map(abs, ends), default=0.0) or 1.0


def change_mark(change: Difference, widest: float) -> Markup:
    """Draw a difference around 0, to the scale of a table whose widest interval is given."""
    x = Scale(-widest, widest, _INSET, _WIDTH - _INSET)
    middle, zero = _HEIGHT / 2, x.at(0.0)
    kind = _KINDS.get(change.finding, "s-baseline")
    parts = [el("line", x1=zero, x2=zero, y1=0, y2=_HEIGHT, class_="rule")]
    if change.interval is not None:
        low, high = (
            max(-widest, min(widest, end)) for end in (change.interval.low, change.interval.high)
        )
        parts.append(el("line", x1=x.at(low), x2=x.at(high), y1=middle, y2=middle,
                        class_=f"stroke thick {kind}"))  # fmt: skip
    place = x.at(max(-widest, min(widest, change.mean)))
    parts.append(el("circle", cx=place, cy=middle, r=4, class_=f"dot {kind}"))
    label = f"difference {change.mean:+.4f}"
    return picture(_WIDTH, _HEIGHT, label, *parts, class_="chart change-mark")
