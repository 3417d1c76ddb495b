"""The scatter plot: each query by its score in two runs.

Seven thousand circles would take a megabyte, and overlap each other. So the square is divided into
fifty by fifty cells, each with one circle, which is larger the more queries it represents.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from berryeval.charts.axes import x_axis, y_axis, y_label_room
from berryeval.charts.chart import Chart
from berryeval.charts.svg import Scale, Svg, el, joined, number, shortened, ticks
from berryeval.evaluation.findings import Outcome, outcome_of
from berryeval.measures import Measure

__all__ = ["N_CELLS", "Point", "cell_numbers", "points_of", "scatter"]

N_CELLS = 50
"""Number of cells along each side."""

_SIZE = 340
_TOP, _RIGHT, _BOTTOM = 12, 12, 46
_TITLE = 10
"""Room for the title of the vertical axis, next to its values."""
_SMALLEST, _LARGEST = 3.0, 13.0
_MAX_LINKS = 400

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
    """Position of the first of them."""
    gain: float
    """Their mean gain."""


def cell_numbers(
    before: Floats, after: Floats, bounds: tuple[float, float]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the column and row of each query in the square, from 0."""
    low, high = _ends(before, after, bounds)
    found = []
    for values in (before, after):
        share = (np.clip(values, low, high) - low) / (high - low)
        found.append(np.minimum(share * N_CELLS, N_CELLS - 1).astype(np.intp))
    return found[0], found[1]


def _ends(before: Floats, after: Floats, bounds: tuple[float, float]) -> tuple[float, float]:
    """Return the ends of both axes: the measure's bounds, if it has any."""
    low, high = bounds
    if not math.isfinite(low):
        low = float(min(before.min(initial=0.0), after.min(initial=0.0)))
    if not math.isfinite(high):
        high = float(max(before.max(initial=low), after.max(initial=low)))
    return low, high if high > low else low + 1.0


def points_of(
    before: Floats, after: Floats, gains: Floats, bounds: tuple[float, float]
) -> list[Point]:
    """Return the cells with queries, the fullest first, so that small circles are on top."""
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
) -> Chart:
    """Draw queries by both scores; above the diagonal the candidate's is higher.

    Gains are above 0 where the candidate is better; `names` are those of the baseline and of the
    candidate. `link_of` returns the address and the words of a point. More than 400 points have
    neither: a script uses their cells.
    """
    low, high = _ends(before, after, measure.bounds)
    levels = ticks(low, high)
    left = _TITLE + y_label_room(levels)
    x, y = Scale(low, high, left, left + _SIZE), Scale(low, high, _TOP + _SIZE, _TOP)
    width = x.end + _RIGHT
    points = points_of(before, after, gains, measure.bounds)
    has_links = len(points) <= _MAX_LINKS
    groups: dict[Outcome, list[Svg]] = {"equal": [], "worse": [], "better": []}
    most = max((point.count for point in points), default=1)
    for point in points:
        circle = _circle(point, x, y, most)
        if has_links:
            address, words = link_of(point)
            circle = el("a", circle, href=address, tabindex=-1, aria_label=words)
        groups[outcome_of(point.gain)].append(circle)
    marks = [el("g", *circles, class_=f"dots s-{outcome}") for outcome, circles in groups.items()]
    counts = {one: int(np.count_nonzero(sign)) for one, sign in
              (("better", gains > 0), ("worse", gains < 0))}  # fmt: skip
    return Chart(
        f"{measure} of each query in {names[0]} (across) and in {names[1]} (up)",
        f"{counts['better']:,} are better, {counts['worse']:,} worse.",
        width,
        _TOP + _SIZE + _BOTTOM,
        joined(
            [
                *_sides(x, y, higher_is_better=measure.higher_is_better),
                *y_axis(y, x.start, x.end, levels),
                *x_axis(x, y.end, y.start, levels, width),
                *_titles(x, y, names),
                *marks,
            ]
        ),
        "scatter",
        {"data_low": low, "data_high": high},
    )


def _circle(point: Point, x: Scale, y: Scale, most: int) -> Svg:
    share = math.sqrt(point.count / most) if most > 1 else 0.0
    # A single query always has the same size, however full the fullest cell is.
    radius = _SMALLEST + (_LARGEST - _SMALLEST) * share * min(1.0, math.log2(most) / 8)
    return el(
        "circle",
        cx=x.at(point.before),
        cy=y.at(point.after),
        r=radius if point.count > 1 else _SMALLEST,
        data_c="{}.{}".format(*point.cell),
        data_n=point.count,
    )


def _sides(x: Scale, y: Scale, *, higher_is_better: bool) -> tuple[Svg, Svg]:
    above, below = ("better", "worse") if higher_is_better else ("worse", "better")
    left, right, top, bottom = map(number, (x.start, x.end, y.end, y.start))
    return (
        el("path", d=f"M{left} {bottom}L{right} {top}H{left}z", class_=f"side s-{above}"),
        el("path", d=f"M{left} {bottom}L{right} {top}V{bottom}z", class_=f"side s-{below}"),
    )


def _titles(x: Scale, y: Scale, names: tuple[str, str]) -> tuple[Svg, ...]:
    """Draw the diagonal, and name both axes."""
    baseline, candidate = (f"{shortened(name, _SIZE - 20)} →" for name in names)
    across, along = (x.start + x.end) / 2, (y.start + y.end) / 2
    return (
        el("line", x1=x.start, y1=y.start, x2=x.end, y2=y.end, class_="rule"),
        el("text", baseline, x=across, y=y.start + 38, text_anchor="middle"),
        el("text", candidate, x=-along, y=12, text_anchor="middle", transform="rotate(-90)"),
    )
