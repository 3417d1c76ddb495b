"""The queries of a run as a table: filtered, sorted, a page at a time."""

from __future__ import annotations

import math
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from berryeval.core.id_column import IdColumn
from berryeval.core.query import Query
from berryeval.core.run import Run
from berryeval.engine import MissingQueries
from berryeval.evaluation import evaluate
from berryeval.evaluation.result import Evaluation
from berryeval.evaluation.slices import LABELS, Slice, values_of
from berryeval.measures import Holes, ReciprocalRank
from berryeval.service.workbench.scoring import JudgmentsLike

__all__ = ["DEPTH", "ROWS", "Only", "QueryRow", "QueryTable", "TablePage", "Wanted", "judged_share"]

DEPTH = 10
"""How far down it is told what is judged."""
ROWS = 50
"""Rows of a page."""

Only: TypeAlias = Literal["", "nothing", "holes"]

_RANK = str(ReciprocalRank())
_HOLES = str(Holes(DEPTH))


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which queries to show, and in which order."""

    text: str = ""
    """Part of a text or an id, in any case."""
    slice: Slice | None = None
    only: Only = ""
    """Queries for which nothing relevant was found, or whose first documents have holes."""
    sort: str = ""
    """A measure, ``"rank"``, ``"judged"`` or ``"query"``; the first measure unless told."""
    is_descending: bool = False
    page: int = 1


@dataclass(frozen=True, slots=True)
class QueryRow:
    """A query, and what the run made of it."""

    query_id: str
    text: str | None
    scores: tuple[float, ...]
    """One number a measure."""
    first_relevant: int | None
    """The rank of the first relevant document; None if there is none in the ranking."""
    judged: float | None
    """The share of the first ten documents that is judged; None if nothing was returned."""
    n_holes: int
    is_missing: bool
    """Whether the run does not have the query."""
    lacks_relevant: bool
    """Whether no document is known to be relevant."""


@dataclass(frozen=True, slots=True)
class TablePage:
    """Some rows of a table."""

    rows: tuple[QueryRow, ...]
    n_found: int
    """Rows of all pages."""
    n_queries: int
    """Queries of the run, filtered or not."""
    number: int
    n_pages: int


class QueryTable:
    """The queries that a run was scored with.

    Parameters
    ----------
    evaluation : Evaluation
    state : JudgmentsLike
        The judgments that it was scored with; they are not read unless they are needed.
    run : Run
    queries : mapping of str to Query
        Texts and labels, as far as they are known.
    """

    def __init__(
        self,
        evaluation: Evaluation,
        state: JudgmentsLike,
        run: Run,
        queries: Mapping[str, Query],
    ) -> None:
        self._scores = evaluation.scores
        self._queries = queries
        self.measures = tuple(evaluation)
        self._query_ids: Sequence[str] = list(evaluation.scores.query_ids)
        known = _with_ranks_and_holes(evaluation, state, run)
        self._columns = {name: np.array(known[name]) for name in self.measures}
        reciprocal, self._holes = np.array(known[_RANK]), np.array(known[_HOLES])
        with np.errstate(divide="ignore"):
            self._ranks = np.rint(1.0 / reciprocal)  # infinite where nothing relevant was found
        self._n_shown = _n_shown(run, evaluation.scores.query_ids)
        # Queries without a document have no share, and come first.
        n_documents = np.maximum(self._n_shown, 1)
        self._judged = np.where(self._n_shown > 0, 1.0 - self._holes / n_documents, -1.0)

    @property
    def n_without_relevant(self) -> int:
        """Queries for which nothing relevant was found."""
        return int(np.count_nonzero(np.isinf(self._ranks)))

    @property
    def n_with_holes(self) -> int:
        """Queries that have an unjudged document among the first ten."""
        return int(np.count_nonzero(self._holes > 0))

    def quarters(self, measure: str) -> tuple[float, float, float]:
        """Return the scores that a quarter, half and three quarters of the queries do not pass."""
        low, middle, high = np.quantile(self._columns[measure], [0.25, 0.5, 0.75]).tolist()
        return low, middle, high

    def page(self, wanted: Wanted) -> TablePage:
        """Return the rows of a page; the last one, if there are not so many."""
        places = self._order(np.flatnonzero(self._is_wanted(wanted)), wanted)
        n_pages = max(1, -(-len(places) // ROWS))
        number = min(max(1, wanted.page), n_pages)
        shown = places[(number - 1) * ROWS : number * ROWS]
        rows = tuple(self._row(int(place)) for place in shown)
        return TablePage(rows, len(places), len(self._query_ids), number, n_pages)

    def slices(self) -> dict[str, list[Slice]]:
        """Return by which slices the queries can be filtered, label by label."""
        found: dict[str, list[Slice]] = {}
        for label in LABELS:
            values = {
                value for query in self._queries.values() for value in values_of(query, label)
            }
            if values:
                found[label] = sorted(Slice(label, value) for value in values)
        return found

    def _is_wanted(self, wanted: Wanted) -> NDArray[np.bool_]:
        is_wanted = np.ones(len(self._query_ids), bool)
        if wanted.only == "nothing":
            is_wanted &= np.isinf(self._ranks)
        elif wanted.only == "holes":
            is_wanted &= self._holes > 0
        if wanted.slice is not None:
            is_wanted &= self._in_slice(wanted.slice)
        needle = wanted.text.casefold().strip()
        if needle:
            is_wanted &= np.fromiter(
                (needle in self._words(query_id) for query_id in self._query_ids), bool
            )
        return is_wanted

    def _in_slice(self, part: Slice) -> NDArray[np.bool_]:
        known = map(self._queries.get, self._query_ids)
        return np.fromiter((part.value in values_of(query, part.label) for query in known), bool)

    def _words(self, query_id: str) -> str:
        query = self._queries.get(query_id)
        return (query_id if query is None else f"{query_id} {query.text}").casefold()

    def _order(self, places: NDArray[np.intp], wanted: Wanted) -> NDArray[np.intp]:
        if wanted.sort == "query":
            by_text = sorted(
                map(int, places), key=lambda place: self._words(self._query_ids[place])
            )
            ordered = np.array(by_text, np.intp)
            return ordered[::-1] if wanted.is_descending else ordered
        columns = {**self._columns, "rank": self._ranks, "judged": self._judged}
        keys = columns.get(wanted.sort, self._columns[self.measures[0]])[places]
        # Ties stay in the order of ids either way.
        return places[np.argsort(-keys if wanted.is_descending else keys, kind="stable")]

    def _row(self, place: int) -> QueryRow:
        query_id = self._query_ids[place]
        query = self._queries.get(query_id)
        rank, judged = float(self._ranks[place]), float(self._judged[place])
        return QueryRow(
            query_id,
            None if query is None else query.text,
            tuple(float(self._columns[name][place]) for name in self.measures),
            None if math.isinf(rank) else int(rank),
            None if judged < 0 else judged,
            int(self._holes[place]),
            bool(self._scores.is_missing[place]),
            bool(self._scores.lacks_relevant[place]),
        )


def judged_share(
    evaluation: Evaluation, state: JudgmentsLike, run: Run
) -> tuple[float | None, int]:
    """Return the share of all first ten documents that is judged, and how many are not.

    Of the queries that were scored. The share is None if they have no document.
    """
    n_holes = int(sum(_with_ranks_and_holes(evaluation, state, run)[_HOLES]))
    n_documents = int(_n_shown(run, evaluation.scores.query_ids).sum())
    return (1.0 - n_holes / n_documents if n_documents else None), n_holes


def _with_ranks_and_holes(
    evaluation: Evaluation, state: JudgmentsLike, run: Run
) -> Mapping[str, array[float]]:
    """Return the scores of an evaluation, with those that the table needs besides."""
    known = evaluation.scores.values
    if _RANK in known and _HOLES in known:
        return known
    # Over the same queries, whichever way those that the run does not have were scored.
    is_partial = evaluation.n_queries < evaluation.counts.judged
    missing: MissingQueries = "skip" if is_partial else "zero"
    more = evaluate(state.judgments, run, [_RANK, f"Judged@{DEPTH}"], missing=missing)
    return {**more.scores.values, **known}


def _n_shown(run: Run, query_ids: IdColumn) -> NDArray[np.int64]:
    """Return how many documents each query has in the first ten."""
    lengths = np.diff(np.array(run.starts, np.int64))
    if run.query_ids != query_ids:
        length_of = dict(zip(run.query_ids, lengths.tolist(), strict=True))
        lengths = np.fromiter((length_of.get(query_id, 0) for query_id in query_ids), np.int64)
    return np.minimum(lengths, DEPTH)
