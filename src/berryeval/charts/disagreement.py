"""The heat map: the scores of every system for the queries on which systems differ most."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from berryeval.charts.axes import labels_along
from berryeval.charts.chart import Chart, summary
from berryeval.charts.svg import FONT_SIZE, Svg, el, fixed, joined, shortened, text_width
from berryeval.core.text import distinct_parts
from berryeval.evaluation.leaderboard import leaderboard

if TYPE_CHECKING:
    from berryeval.evaluation.comparison import Comparison
    from berryeval.measures import Measure

__all__ = ["HeatRow", "heat_map", "heat_map_of", "most_disputed"]

_CELL, _WIDEST_CELL = 22, 48.0
_GAP = 12
_WIDEST_NAME, _WIDEST_SYSTEM = 300, 120
_NARROWEST = 18
"""Minimum width in pixels of a column headed by the name of its system; narrower ones get a number.
"""
_MIN_NAME = 90
_SLANT = -50
"""Rotation of the names of systems, in degrees."""
_FAINTEST = 0.06
"""Opacity of the lowest score, so that its cell is visible."""


@dataclass(frozen=True)
class HeatRow:
    """The scores of one query, one per system."""

    name: str
    scores: Sequence[float]
    address: str | None = None
    """The address that the row links to."""


def most_disputed(comparison: Comparison, measure: Measure, n_queries: int) -> list[int]:
    """Return the positions of the queries whose scores differ most between systems.

    The difference is the range of the scores. Queries with the same score in every system are left
    out.
    """
    scores = np.array(
        [np.asarray(run[str(measure)].values) for run in comparison.evaluations.values()]
    )
    spread = scores.max(axis=0) - scores.min(axis=0)
    order = np.argsort(-spread, kind="stable")[:n_queries]
    return [position for position in order.tolist() if spread[position] > 0]


def heat_map(
    comparison: Comparison,
    measure: Measure | None = None,
    *,
    n_queries: int = 30,
    address_of: Callable[[str], str] | None = None,
    width: int = 760,
) -> Chart:
    """Draw the queries on which systems differ most, with a cell for each system.

    Parameters
    ----------
    comparison : Comparison
    measure : Measure, optional
        Default: the lead measure.
    n_queries : int
        Maximum number of queries to draw.
    address_of : callable, optional
        Returns the address that the row of a query links to, given its id.
    width : int
        Width in pixels.
    """
    wanted = measure or comparison.lead
    systems = [place.system for place in leaderboard(comparison, wanted)]
    scores = [comparison.evaluations[name][str(wanted)].values for name in systems]
    rows = []
    for position in most_disputed(comparison, wanted, n_queries):
        query_id = comparison.query_ids[position]
        text = comparison.text_of(query_id)
        rows.append(
            HeatRow(
                f"{query_id}  {text}" if text else query_id,
                [column[position] for column in scores],
                None if address_of is None else address_of(query_id),
            )
        )
    return heat_map_of(rows, systems, f"{wanted} by query and system", width=width)


def heat_map_of(
    rows: Sequence[HeatRow], systems: Sequence[str], title: str, *, width: int = 760
) -> Chart:
    """Draw rows of scores; a stronger colour is a higher score.

    In a narrow chart, columns have numbers instead of names.
    """
    names = [shortened(name, _WIDEST_SYSTEM) for name in distinct_parts(systems)]
    longest = max(map(text_width, names), default=0.0)
    widest = max((text_width(row.name) for row in rows), default=0.0)
    # The last name is slanted and extends beyond the right edge.
    lean = 0.64 * longest
    room = max(_MIN_NAME, width - _NARROWEST * len(systems) - _GAP - lean)
    left = min(widest, _WIDEST_NAME, room) + _GAP
    cell = min(_WIDEST_CELL, (width - left - lean) / max(1, len(systems)))
    top = 0.77 * longest + FONT_SIZE + _GAP
    if cell < _NARROWEST:
        cell, top = (width - left) / len(systems), 2.0 * FONT_SIZE
        heads = labels_along(
            ((left + (i + 0.5) * cell, str(i + 1)) for i in range(len(systems))), top - 6, width
        )
    else:
        heads = _heads(names, left, cell, top)
    values = [value for row in rows for value in row.scores]
    low, high = min(values, default=0.0), max(values, default=1.0)
    parts = [
        *heads,
        *(
            _row(row, systems, (low, high), left, top + i * _CELL, cell, width)
            for i, row in enumerate(rows)
        ),
    ]
    bottom = top + _CELL * len(rows)
    parts += _legend(low, high, left, bottom)
    words = [
        f"{row.name}: from {fixed(min(row.scores), 4)} to {fixed(max(row.scores), 4)}"
        for row in rows
    ]
    return Chart(title, summary(words), width, bottom + 40, joined(parts), "heat-map")


def _heads(names: Sequence[str], left: float, cell: float, top: float) -> Iterator[Svg]:
    for i, name in enumerate(names):
        x, y = left + (i + 0.5) * cell, top - 6
        yield el(
            "text", name, x=x, y=y, transform=f"rotate({_SLANT} {x:.2f} {y:.2f})", class_="ink"
        )


def _row(
    row: HeatRow,
    systems: Sequence[str],
    ends: tuple[float, float],
    left: float,
    top: float,
    cell: float,
    width: float,
) -> Svg:
    cells = [
        el(
            "rect",
            el("title", f"{system}: {fixed(value, 4)}"),
            x=left + i * cell + 1,
            y=top + 1,
            width=cell - 2,
            height=_CELL - 2,
            rx=3,
            class_="area s-candidate",
            fill_opacity=_opacity(value, *ends),
        )
        for i, (system, value) in enumerate(zip(systems, row.scores, strict=True))
    ]
    back = el("rect", x=0, y=top, width=width, height=_CELL, class_="back")
    name = el("text", shortened(row.name, left - _GAP), x=0, y=top + 15, class_="ink")
    if row.address is None:
        return el("g", el("title", row.name), back, name, *cells, class_="row")
    return el("a", back, name, *cells, href=row.address, class_="row", aria_label=row.name)


def _opacity(value: float, low: float, high: float) -> float:
    share = (value - low) / (high - low) if high > low else 1.0
    return round(_FAINTEST + (1 - _FAINTEST) * share, 2)


def _legend(low: float, high: float, left: float, bottom: float) -> Iterator[Svg]:
    """Draw the shades from the lowest to the highest score."""
    y, n_shades, step = bottom + _GAP, 8, 18
    yield el("text", fixed(low, 2), x=left - 6, y=y + 11, text_anchor="end")
    for i in range(n_shades):
        yield el("rect", x=left + i * step, y=y, width=step, height=14, class_="area s-candidate",
                 fill_opacity=_opacity(i, 0, n_shades - 1))  # fmt: skip
    yield el("text", fixed(high, 2), x=left + n_shades * step + 6, y=y + 11)
