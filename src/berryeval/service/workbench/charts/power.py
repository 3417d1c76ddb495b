"""Numbers of queries against the smallest drop that they can see."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from markupsafe import Markup

from berryeval.evaluation.detection import Detection
from berryeval.service.workbench.charts.svg import Scale, el, number, picture, ticks

__all__ = ["power_chart"]

_LEFT, _RIGHT, _TOP, _BOTTOM = 52, 18, 18, 44
_ROUND = (1, 2, 5)
_LETTER = 6.8
"""How wide a letter is, about."""


def power_chart(found: Detection, *, width: int, height: int) -> Markup:
    """Draw the curve, where these queries are on it, and what the margin needs.

    The numbers of queries are on a logarithmic scale. What is below the curve stays unseen.
    """
    most = _highest(found)
    points = [(n, drop) for n, drop in found.curve if drop <= most]
    across = Scale(math.log(points[0][0]), math.log(points[-1][0]), _LEFT, width - _RIGHT)
    up = Scale(0.0, most, height - _BOTTOM, _TOP)
    places = [(across.at(math.log(n)), up.at(drop)) for n, drop in points]
    below = [(across.start, up.at(0.0)), *places, (across.end, up.at(0.0))]
    return picture(
        width,
        height,
        _label(found),
        *_axes(points[0][0], points[-1][0], across, up, width, height),
        el("polygon", points=_path(below), class_="unseen-area"),
        el("polyline", points=_path(places), class_="line s-candidate"),
        *_margin(found, across, up, width),
        *_now(found, across, up),
    )


def _path(places: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{number(x)},{number(y)}" for x, y in places)


def _highest(found: Detection) -> float:
    """Return where the axis ends: all that matters, and no more of the steep part than fits."""
    wanted = 3 * max(found.margin, found.smallest_drop or 0.0)
    return min(wanted, found.curve[0][1])


def _label(found: Detection) -> str:
    return (
        f"The more queries, the smaller the drop that can be seen: {found.smallest_drop or 0:.3f} "
        f"with {found.n_queries:,}; {found.margin:g} needs {found.needed or 0:,}."
    )


def _axes(
    first: int, last: int, across: Scale, up: Scale, width: int, height: int
) -> Iterator[Markup]:
    for value in ticks(0.0, up.high, 5):
        y = up.at(value)
        yield el("line", x1=_LEFT, x2=width - _RIGHT, y1=y, y2=y, class_="grid")
        yield el("text", f"{value:g}", x=_LEFT - 8, y=y + 4, text_anchor="end")
    for n in _round_numbers(first, last, about=max(3, width // 90)):
        x = across.at(math.log(n))
        yield el("line", x1=x, x2=x, y1=up.at(0.0), y2=up.at(0.0) + 5, class_="rule")
        yield el("text", f"{n:,}", x=x, y=height - _BOTTOM + 20, text_anchor="middle")
    middle = (_LEFT + width - _RIGHT) / 2
    yield el("text", "queries", x=middle, y=height - 6, text_anchor="middle")


def _round_numbers(first: int, last: int, about: int) -> list[int]:
    """Return 10, 20, 50, 100 and so on; only powers of ten where that would be too many."""
    found = [
        step * 10**power
        for power in range(len(str(last)))
        for step in _ROUND
        if first <= step * 10**power <= last
    ]
    return found if len(found) <= about else [n for n in found if str(n)[0] == "1"]


def _margin(found: Detection, across: Scale, up: Scale, width: int) -> Iterator[Markup]:
    y = up.at(found.margin)
    yield el("line", x1=_LEFT, x2=width - _RIGHT, y1=y, y2=y, class_="stroke dashed s-margin")
    yield el(
        "text",
        f"margin {found.margin:g}",
        x=_LEFT + 6,
        y=y - 6,
        class_="ink",
    )
    if found.needed is not None and across.low <= math.log(found.needed) <= across.high:
        x = across.at(math.log(found.needed))
        yield el("line", x1=x, x2=x, y1=y, y2=up.at(0.0), class_="stroke dashed s-margin")
        yield el("circle", cx=x, cy=y, r=4, class_="dot s-margin")


def _now(found: Detection, across: Scale, up: Scale) -> Iterator[Markup]:
    drop = found.smallest_drop
    if drop is None or not across.low <= math.log(found.n_queries) <= across.high:
        return
    x, y = across.at(math.log(found.n_queries)), up.at(drop)
    told = f"now: {found.n_queries:,} see {drop:.3f}"
    yield el("line", x1=x, x2=x, y1=y, y2=up.at(0.0), class_="rule")
    yield el("circle", cx=x, cy=y, r=6, class_="dot s-candidate now")
    # To the right of a point there is room above the curve, unless the picture ends.
    left = min(x + 9, across.end - _LETTER * len(told))
    yield el("text", told, x=left, y=y - 13, class_="ink now-text")
