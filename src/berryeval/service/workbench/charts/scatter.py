"""The scatter plot: each query by its score in two runs.

Seven thousand circles would be a page of a megabyte, and lie on each other. So the square has
fifty by fifty cells, and a cell has one circle, the larger the more queries it holds.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from berryeval.evaluation.findings import Outcome, outcome_of
from berryeval.measures import Measure
from berryeval.service.workbench.charts.svg import el, ticks

__all__ = ["N_CELLS", "Point", "cell_numbers", "points_of", "scatter"]

N_CELLS = 50
"""Along each side."""

_SIZE = 400
_LEFT, _TOP, _RIGHT, _BOTTOM = 48, 12, 12, 46
_SMALLEST, _LARGEST = 3.0, 13.0
_MOST_LINKS = 400
_LONGEST = 40

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Point:
    """The queries of one cell."""

    cell: tuple[int, int]
    before: float
    """The mean of their scores in the baseline."""
    after: float
    count: int
    first: int
    """Where the first of them stands."""
    gain: float
    """The mean of what they gain."""


def cell_numbers(
    before: Floats, after: Floats, bounds: tuple[float, float]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return in which column and row of the square each query is, from 0."""
    low, high = _ends(before, after, bounds)
    found = []
    for values in (before, after):
        share = (values - low) / (high - low)
        found.append(np.clip((share * N_CELLS).astype(np.intp), 0, N_CELLS - 1))
    return found[0], found[1]


def _ends(before: Floats, after: Floats, bounds: tuple[float, float]) -> tuple[float, float]:
    """Return the ends of both axes: the measure's bounds, where it has some."""
    low, high = bounds
    if not math.isfinite(low):
        low = float(min(before.min(initial=0.0), after.min(initial=0.0)))
    if not math.isfinite(high):
        high = float(max(before.max(initial=low), after.max(initial=low)))
    return low, high if high > low else low + 1.0


def points_of(
    before: Floats, after: Floats, gains: Floats, bounds: tuple[float, float]
) -> list[Point]:
    """Return the cells that hold queries, the fullest first: small circles lie on large ones."""
    x, y = cell_numbers(before, after, bounds)
    cells, first, of_cell, counts = np.unique(
        x * N_CELLS + y, return_index=True, return_inverse=True, return_counts=True
    )
    means = [np.bincount(of_cell, values) / counts for values in (before, after, gains)]
    found = [
        Point(
            cell=divmod(int(cell), N_CELLS),
            before=float(means[0][i]),
            after=float(means[1][i]),
            count=int(counts[i]),
            first=int(first[i]),
            gain=float(means[2][i]),
        )
        for i, cell in enumerate(cells)
    ]
    return sorted(found, key=lambda point: -point.count)


def scatter(
    before: Floats,
    after: Floats,
    gains: Floats,
    *,
    names: tuple[str, str],
    measure: Measure,
    link_of: Callable[[Point], tuple[str, str]],
) -> Markup:
    """Draw queries by both scores; above the diagonal the candidate's is higher.

    Parameters
    ----------
    before, after, gains : array
        One number a query; gains are above 0 where the candidate is better.
    names : tuple of str
        Of baseline and candidate.
    measure : Measure
        Whose scores they are.
    link_of : callable
        Returns the address and the words of a point. Where there are many points they have
        neither: a script takes their cells.
    """
    low, high = _ends(before, after, measure.bounds)
    points = points_of(before, after, gains, measure.bounds)
    has_links = len(points) <= _MOST_LINKS
    groups: dict[Outcome, list[Markup]] = {"equal": [], "worse": [], "better": []}
    most = max((point.count for point in points), default=1)
    for point in points:
        outcome = outcome_of(point.gain)
        circle = _circle(point, low, high, most)
        if has_links:
            address, words = link_of(point)
            circle = el("a", circle, href=address, tabindex=-1, aria_label=words)
        groups[outcome].append(circle)
    marks = [el("g", *circles, class_=f"dots s-{outcome}") for outcome, circles in groups.items()]
    label = f"{measure} of each query in {names[0]} (across) and in {names[1]} (up)."
    return el(
        "svg",
        el("title", label),
        *_sides(measure.higher_is_better),
        *_axes(low, high, names),
        *marks,
        viewBox=f"0 0 {_LEFT + _SIZE + _RIGHT} {_TOP + _SIZE + _BOTTOM}",
        class_="chart scatter",
        role="group",
        aria_label=label,
        data_low=low,
        data_high=high,
    )


def _x(value: float, low: float, high: float) -> float:
    return round(_LEFT + _SIZE * (value - low) / (high - low), 1)


def _y(value: float, low: float, high: float) -> float:
    return round(_TOP + _SIZE * (1 - (value - low) / (high - low)), 1)


def _circle(point: Point, low: float, high: float, most: int) -> Markup:
    share = math.sqrt(point.count / most) if most > 1 else 0.0
    # One query is as large as any other one, however many are in the fullest cell.
    radius = _SMALLEST + (_LARGEST - _SMALLEST) * share * min(1.0, math.log2(most) / 8)
    return el(
        "circle",
        cx=_x(point.before, low, high),
        cy=_y(point.after, low, high),
        r=round(radius if point.count > 1 else _SMALLEST, 1),
        data_c="{}.{}".format(*point.cell),
        data_n=point.count,
    )


def _sides(higher_is_better: bool) -> tuple[Markup, Markup]:
    right, bottom = _LEFT + _SIZE, _TOP + _SIZE
    above, below = ("better", "worse") if higher_is_better else ("worse", "better")
    return (
        el("path", d=f"M{_LEFT} {bottom}L{right} {_TOP}H{_LEFT}Z", class_=f"side s-{above}"),
        el("path", d=f"M{_LEFT} {bottom}L{right} {_TOP}V{bottom}Z", class_=f"side s-{below}"),
    )


def _axes(low: float, high: float, names: tuple[str, str]) -> list[Markup]:
    right, bottom = _LEFT + _SIZE, _TOP + _SIZE
    found = []
    for tick in ticks(low, high, 5):
        x, y = _x(tick, low, high), _y(tick, low, high)
        found += [
            el("line", x1=x, x2=x, y1=_TOP, y2=bottom, class_="grid"),
            el("line", x1=_LEFT, x2=right, y1=y, y2=y, class_="grid"),
            el("text", f"{tick:g}", x=x, y=bottom + 18, text_anchor="middle", class_="tick"),
            el("text", f"{tick:g}", x=_LEFT - 8, y=y + 4, text_anchor="end", class_="tick"),
        ]
    across, up = (name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…" for name in names)
    middle = _LEFT + _SIZE / 2
    found += [
        el("line", x1=_LEFT, y1=bottom, x2=right, y2=_TOP, class_="rule"),
        el("text", f"{across} →", x=middle, y=bottom + 38, text_anchor="middle", class_="axis"),
        el("text", f"{up} →", x=-(_TOP + _SIZE / 2), y=12, text_anchor="middle", class_="axis",
           transform="rotate(-90)"),
    ]  # fmt: skip
    return found
