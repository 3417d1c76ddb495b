"""The queries of a comparison: filtered, sorted, fifty per page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args
from urllib.parse import urlencode

import numpy as np
from numpy.typing import NDArray

from berryeval.charts.scatter import cell_numbers
from berryeval.core.id_column import encode_id
from berryeval.core.query import Query
from berryeval.evaluation.bounds import holes_of
from berryeval.evaluation.findings import Outcome, outcome_of
from berryeval.evaluation.slices import Slice, find_slices
from berryeval.measures import Measure
from berryeval.service.workbench.pages.compare.moves import Moves, find_moves
from berryeval.service.workbench.state.comparisons import RANKS_COMPARED, Compared

__all__ = ["OUTCOMES", "PAGE", "ChangeRow", "ComparedQueries", "Listing", "Order", "list_changes"]

PAGE = 50
"""Queries per page."""

Order: TypeAlias = Literal["harm", "gain", "query"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)


@dataclass(frozen=True)
class ComparedQueries:
    """Which queries of a comparison to show, and in which order.

    Parameters
    ----------
    measure : Measure
        The measure whose scores are compared.
    order : {"harm", "gain", "query"}
        Largest loss first, largest gain first, or by id.
    outcome : {"better", "equal", "worse"}, optional
        Only those with this outcome.
    is_different : bool
        Only those whose rankings differ up to the cutoff of the measure.
    part : Slice, optional
        Only those of this slice.
    text : str
        Only those with all these words in their id or text.
    cell : tuple of int, optional
        Only those in this cell of the scatter plot.
    page : int
        Number of the page, from 1.
    """

    measure: Measure
    order: Order = "harm"
    outcome: Outcome | None = None
    is_different: bool = False
    part: Slice | None = None
    text: str = ""
    cell: tuple[int, int] | None = None
    page: int = 1

    @property
    def is_filtered(self) -> bool:
        """Whether any filter is set."""
        return bool(self.outcome or self.is_different or self.part or self.text or self.cell)

    def address(self, **changes: object) -> str:
        """Return the parameters of the address with some changed; starts at the first page."""
        wanted = replace(self, **{"page": 1, **changes})  # type: ignore[arg-type]
        fields = {
            "measure": str(wanted.measure),
            "sort": "" if wanted.order == "harm" else wanted.order,
            "outcome": wanted.outcome or "",
            "different": "1" if wanted.is_different else "",
            "slice": str(wanted.part or ""),
            "q": wanted.text,
            "cell": "" if wanted.cell is None else "{}.{}".format(*wanted.cell),
            "page": "" if wanted.page == 1 else str(wanted.page),
        }
        given = {name: value for name, value in fields.items() if value}
        return urlencode(given, errors="surrogateescape")


@dataclass(frozen=True)
class ChangeRow:
    """One query of the table."""

    query_id: str
    query: Query | None
    baseline: float
    candidate: float
    difference: float
    outcome: Outcome
    """Whether its score got better or worse."""
    moves: Moves
    n_holes: int
    """Unjudged documents of both runs, up to the cutoff of the measure."""


@dataclass(frozen=True)
class Listing:
    """A page of queries, with totals."""

    rows: tuple[ChangeRow, ...]
    n_found: int
    n_all: int
    page: int
    n_pages: int


def list_changes(compared: Compared, wanted: ComparedQueries) -> Listing:
    """Return a page of the matching queries; the last page if there are fewer."""
    positions = _order(compared, wanted)
    keep = np.ones(len(positions), dtype=bool)
    for only in _filters(compared, wanted):
        keep &= only
    positions = positions[keep[positions]]
    n_pages = max(1, -(-len(positions) // PAGE))
    page = min(max(1, wanted.page), n_pages)
    shown = positions[(page - 1) * PAGE : page * PAGE]
    rows = tuple(_rows(compared, wanted.measure, shown.tolist()))
    return Listing(rows, len(positions), len(keep), page, n_pages)


def _order(compared: Compared, wanted: ComparedQueries) -> NDArray[np.intp]:
    if wanted.order == "query":
        return np.arange(compared.comparison.n_queries)
    by_harm = compared.by_harm(wanted.measure)
    return by_harm if wanted.order == "harm" else by_harm[::-1]


def _filters(compared: Compared, wanted: ComparedQueries) -> Iterator[NDArray[np.bool_]]:
    if wanted.outcome:
        outcomes = map(outcome_of, compared.gains(wanted.measure).tolist())
        yield np.fromiter((one == wanted.outcome for one in outcomes), bool)
    if wanted.is_different:
        yield compared.differs(wanted.measure)
    if wanted.part is not None:
        yield _in_slice(compared, wanted.measure, wanted.part)
    words = wanted.text.casefold().split()
    if words:
        yield np.fromiter((all(w in text for w in words) for text in compared.texts), bool)
    if wanted.cell is not None:
        x, y = cell_numbers(*compared.scores(wanted.measure), wanted.measure.bounds)
        yield (x == wanted.cell[0]) & (y == wanted.cell[1])


def _in_slice(compared: Compared, measure: Measure, part: Slice) -> NDArray[np.bool_]:
    comparison = compared.comparison
    found = np.zeros(comparison.n_queries, dtype=bool)
    if any(difference.slice == part for difference in compared.sliced(measure)):
        slices = find_slices(comparison.queries, part.label, comparison.query_ids)
        found[slices[part]] = True
    return found


def _rows(compared: Compared, measure: Measure, positions: list[int]) -> Iterator[ChangeRow]:
    comparison = compared.comparison
    before, after = compared.scores(measure)
    gains = compared.gains(measure)
    runs = [comparison.runs[name] for name in compared.names]
    depth = min(measure.k or RANKS_COMPARED, RANKS_COMPARED)
    for position in positions:
        query_id = comparison.query_ids[position]
        encoded = encode_id(query_id)
        old, new = (run.ranked_ids(encoded, depth) for run in runs)
        grades = comparison.judgments.grades_of(encoded)
        gain = float(gains[position])
        yield ChangeRow(
            query_id,
            comparison.queries.get(query_id),
            float(before[position]),
            float(after[position]),
            gain if measure.higher_is_better else 0.0 - gain,
            outcome_of(gain),
            find_moves(old, new, grades),
            len(holes_of((old, new), grades, None)),
        )
