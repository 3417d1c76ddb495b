"""The queries of a comparison: filtered, sorted, fifty per page; and the addresses of its pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from berryeval.charts.scatter import cell_numbers
from berryeval.core.id_column import decode_id, encode_id
from berryeval.core.query import Query
from berryeval.evaluation.bounds import holes_of
from berryeval.evaluation.findings import Outcome, outcome_of
from berryeval.evaluation.slices import Slice, find_slices
from berryeval.measures import Measure
from berryeval.service.paging import numbered_page
from berryeval.service.paths import address, quoted
from berryeval.service.workbench.choosing import read_number
from berryeval.service.workbench.state.comparisons import RANKS_COMPARED, Compared

__all__ = [
    "OUTCOMES",
    "PAGE",
    "ChangeRow",
    "ComparedQueries",
    "Listing",
    "Order",
    "Pair",
    "find_moves",
    "list_changes",
    "matching",
    "read_wanted",
]

PAGE = 50
"""Queries per page."""

_N_SHOWN = 2
_RELEVANT = 1.0

Order: TypeAlias = Literal["harm", "gain", "query"]
_ORDERS: tuple[Order, ...] = get_args(Order)
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

    def parameters(self, **changes: object) -> dict[str, object]:
        """Return the parameters of the address with some changed; starts at the first page."""
        wanted = replace(self, **{"page": 1, **changes})  # type: ignore[arg-type]
        return {
            "measure": wanted.measure,
            "sort": "" if wanted.order == "harm" else wanted.order,
            "outcome": wanted.outcome,
            "different": "1" if wanted.is_different else "",
            "slice": wanted.part,
            "q": wanted.text,
            "cell": "" if wanted.cell is None else "{}.{}".format(*wanted.cell),
            "page": "" if wanted.page == 1 else wanted.page,
        }


def read_wanted(given: Mapping[str, str], measure: Measure) -> ComparedQueries:
    """Read the parameters of an address; invalid ones are ignored."""
    column, _, row = given.get("cell", "").partition(".")
    cell = read_number(column, -1), read_number(row, -1)
    order, outcome = given.get("sort", ""), given.get("outcome", "")
    return ComparedQueries(
        measure,
        next((one for one in _ORDERS if one == order), "harm"),
        next((one for one in OUTCOMES if one == outcome), None),
        bool(given.get("different")),
        Slice.read(given.get("slice", "")),
        given.get("q", "").strip(),
        None if -1 in cell else cell,
        read_number(given.get("page", ""), 1),
    )


@dataclass(frozen=True)
class Pair:
    """Both runs as the address names them, and the revision of the judgments that it pins."""

    a: str
    b: str
    at: int | None = None

    def address(self, measure: Measure | None = None, *, path: str = "/compare") -> str:
        """Return the address of their comparison, or of a part of it."""
        return address(path, a=self.a, b=self.b, measure=measure, at=self.at)

    def with_(self, wanted: ComparedQueries, **changes: object) -> str:
        """Return the address with some parameters changed."""
        parameters = wanted.parameters(**changes)
        return address("/compare", a=self.a, b=self.b, **parameters, at=self.at)

    @property
    def swapped(self) -> str:
        """Return the address with baseline and candidate swapped."""
        return replace(self, a=self.b, b=self.a).address()

    @property
    def judging(self) -> str:
        """Return the address for judging the holes of both."""
        return address("/judge", a=self.a, b=self.b)

    def query(self, query_id: str, wanted: ComparedQueries) -> str:
        """Return the address of the results of both for a query, which keeps the filters."""
        path = f"/queries/{quoted(query_id)}"
        return address(path, a=self.a, b=self.b, **wanted.parameters(cell=None))

    def holes(self, measure: Measure) -> str:
        """Return the address of the effect of unjudged documents."""
        return self.address(measure, path="/compare/holes")

    def report(self, measure: Measure) -> str:
        """Return the address of the comparison as one file."""
        return self.address(measure, path="/compare/report")

    def model(self, measure: Measure) -> str:
        """Return the address of the comparison that is based on people and a model."""
        return self.address(measure, path="/compare/model")


@dataclass(frozen=True)
class MovedDocument:
    """A document whose rank changed; None is a rank below those that are compared."""

    doc_id: str
    grade: float
    before: int | None
    after: int | None

    @property
    def is_up(self) -> bool:
        """Whether it moved up."""
        return self.after is not None and (self.before is None or self.after < self.before)


@dataclass(frozen=True)
class Moves:
    """Rank changes within the top ranks."""

    shown: tuple[MovedDocument, ...]
    """Relevant documents, highest grade and largest move first."""
    n_relevant: int
    """Relevant documents that moved."""
    n_new: int
    """Documents that are new."""
    n_shifted: int
    """Documents that moved to another rank."""

    @property
    def words(self) -> str:
        """A summary without ids: ``2 new, 5 shifted``."""
        parts = [f"{self.n_new} new"] if self.n_new else []
        parts += [f"{self.n_shifted} shifted"] if self.n_shifted else []
        return ", ".join(parts) or "same ranking"


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

    @property
    def note(self) -> str:
        """Its id and labels, below its text."""
        query = self.query
        labels = () if query is None else (query.category, query.difficulty)
        return " · ".join(filter(None, (self.query_id, *labels)))


@dataclass(frozen=True)
class Listing:
    """A page of queries, with totals."""

    rows: tuple[ChangeRow, ...]
    n_found: int
    n_all: int
    page: int
    n_pages: int


def matching(compared: Compared, wanted: ComparedQueries) -> NDArray[np.intp]:
    """Return the positions of the matching queries, in their order."""
    positions = _order(compared, wanted)
    keep = np.ones(len(positions), dtype=bool)
    for only in _filters(compared, wanted):
        keep &= only
    return positions[keep[positions]]


def list_changes(compared: Compared, wanted: ComparedQueries) -> Listing:
    """Return a page of the matching queries; the last page if there are fewer."""
    positions = matching(compared, wanted)
    page = numbered_page(len(positions), wanted.page, PAGE)
    rows = tuple(_rows(compared, wanted.measure, positions[page.rows].tolist()))
    return Listing(rows, len(positions), compared.comparison.n_queries, page.number, page.n_pages)


def _order(compared: Compared, wanted: ComparedQueries) -> NDArray[np.intp]:
    if wanted.order == "query":
        return compared.by_id
    by_loss = compared.by_loss(wanted.measure)
    return by_loss if wanted.order == "harm" else by_loss[::-1]


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
    judgments = comparison.judgments
    depth = min(measure.k or RANKS_COMPARED, RANKS_COMPARED)
    for position in positions:
        query_id = comparison.query_ids[position]
        encoded = encode_id(query_id)
        old, new = (run.ranked_ids(encoded, depth) for run in runs)
        grades = judgments.grades_of(encoded)
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


def find_moves(
    before: Sequence[bytes], after: Sequence[bytes], grades: Mapping[bytes, float]
) -> Moves:
    """Compare the top ranks of two rankings.

    A document is relevant from grade 1.
    """
    old, new = ({doc_id: i for i, doc_id in enumerate(ids, start=1)} for ids in (before, after))
    moved = [doc_id for doc_id in old | new if old.get(doc_id) != new.get(doc_id)]
    relevant = [
        MovedDocument(decode_id(doc_id), grades[doc_id], old.get(doc_id), new.get(doc_id))
        for doc_id in moved
        if grades.get(doc_id, 0.0) >= _RELEVANT
    ]
    deepest = max(len(before), len(after)) + 1
    relevant.sort(key=lambda one: (-one.grade, -_way(one, deepest)))
    n_new = sum(doc_id not in old for doc_id in new)
    n_shifted = sum(old.get(doc_id, rank) != rank for doc_id, rank in new.items())
    return Moves(tuple(relevant[:_N_SHOWN]), len(relevant), n_new, n_shifted)


def _way(document: MovedDocument, deepest: int) -> int:
    before, after = (rank or deepest for rank in (document.before, document.after))
    return abs(after - before)
