"""The queries of a run as a table: filtered, sorted, in pages."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from berryeval.core.query import Query
from berryeval.core.run import Run
from berryeval.evaluation.query_figures import query_figures
from berryeval.evaluation.result import Evaluation
from berryeval.evaluation.slices import LABELS, Slice, in_order, values_in
from berryeval.service.paging import numbered_page
from berryeval.service.workbench.state.scoring import JudgmentsLike, bytes_of_scores

__all__ = ["DEPTH", "ROWS", "Only", "QueryFilter", "QueryRow", "QueryTable", "TablePage"]

DEPTH = 10
"""Ranks for which pages report the judged share."""
ROWS = 50
"""Rows per page."""

Only: TypeAlias = Literal["", "nothing", "holes"]


@dataclass(frozen=True, slots=True)
class QueryFilter:
    """Which queries to show, and in which order."""

    text: str = ""
    """Part of a text or an id, case-insensitive."""
    slice: Slice | None = None
    only: Only = ""
    """Only queries without a relevant result, or with unjudged documents in the top ranks."""
    sort: str = ""
    """A measure, ``"rank"``, ``"judged"`` or ``"query"``; by default the first measure."""
    is_descending: bool = False
    page: int = 1


@dataclass(frozen=True, slots=True)
class QueryRow:
    """A query and its figures in the run."""

    query_id: str
    text: str | None
    scores: tuple[float, ...]
    """One number per measure."""
    first_relevant: int | None
    """Rank of the first relevant document; None if none was retrieved."""
    judged: float | None
    """Judged share of the top ten documents; None if nothing was retrieved."""
    n_holes: int
    is_missing: bool
    """Whether the query is missing from the run."""
    lacks_relevant: bool
    """Whether no document is judged relevant."""


@dataclass(frozen=True, slots=True)
class TablePage:
    """Some rows of a table."""

    rows: tuple[QueryRow, ...]
    n_found: int
    """Number of rows on all pages."""
    n_queries: int
    """Number of queries in the run, filtered or not."""
    number: int
    n_pages: int


class QueryTable:
    """The queries of a scored run.

    Parameters
    ----------
    evaluation : Evaluation
    state : JudgmentsLike
        The judgments that it was scored with, read on access.
    run : Run
    queries : mapping of str to Query
        Texts and labels, if known.
    """

    def __init__(
        self,
        evaluation: Evaluation,
        state: JudgmentsLike,
        run: Run,
        queries: Mapping[str, Query],
    ) -> None:
        self._scores = evaluation.scores
        self.n_bytes = bytes_of_scores(evaluation)
        """About how much memory it takes."""
        self._queries = queries
        self.measures = tuple(evaluation)
        self._query_ids: Sequence[str] = list(evaluation.scores.query_ids)
        self.figures = query_figures(evaluation, lambda: state.judgments, run, DEPTH)
        self._columns = {name: np.asarray(one.values) for name, one in evaluation.items()}

    def page(self, wanted: QueryFilter) -> TablePage:
        """Return the rows of a page; the last page if there are fewer."""
        places = self._order(np.flatnonzero(self._is_wanted(wanted)), wanted)
        page = numbered_page(len(places), wanted.page, ROWS)
        rows = tuple(self._row(int(place)) for place in places[page.rows])
        return TablePage(rows, len(places), len(self._query_ids), page.number, page.n_pages)

    def slices(self) -> dict[str, list[Slice]]:
        """Return the slices to filter by, for each label."""
        found: dict[str, list[Slice]] = {}
        for label in LABELS:
            values_of = values_in(self._queries, label)
            values = {value for query_id in self._queries for value in values_of(query_id)}
            if values:
                found[label] = [Slice(label, value) for value in in_order(values)]
        return found

    def _is_wanted(self, wanted: QueryFilter) -> NDArray[np.bool_]:
        is_wanted = np.ones(len(self._query_ids), bool)
        if wanted.only == "nothing":
            is_wanted &= np.isinf(self.figures.first_relevant)
        elif wanted.only == "holes":
            is_wanted &= self.figures.n_holes > 0
        if wanted.slice is not None:
            is_wanted &= self._in_slice(wanted.slice)
        needle = wanted.text.casefold().strip()
        if needle:
            is_wanted &= np.fromiter(
                (needle in self._words(query_id) for query_id in self._query_ids), bool
            )
        return is_wanted

    def _in_slice(self, part: Slice) -> NDArray[np.bool_]:
        values_of = values_in(self._queries, part.label)
        return np.fromiter((part.value in values_of(one) for one in self._query_ids), bool)

    def _words(self, query_id: str) -> str:
        query = self._queries.get(query_id)
        return (query_id if query is None else f"{query_id} {query.text}").casefold()

    def _order(self, places: NDArray[np.intp], wanted: QueryFilter) -> NDArray[np.intp]:
        if wanted.sort == "query":
            by_text = sorted(
                map(int, places), key=lambda place: self._words(self._query_ids[place])
            )
            ordered = np.array(by_text, np.intp)
            return ordered[::-1] if wanted.is_descending else ordered
        judged = np.nan_to_num(self.figures.judged, nan=-1.0)  # missing shares come first
        columns = {**self._columns, "rank": self.figures.first_relevant, "judged": judged}
        keys = columns.get(wanted.sort, self._columns[self.measures[0]])[places]
        # Ties stay in the order of ids either way.
        return places[np.argsort(-keys if wanted.is_descending else keys, kind="stable")]

    def _row(self, place: int) -> QueryRow:
        query_id = self._query_ids[place]
        query = self._queries.get(query_id)
        rank = float(self.figures.first_relevant[place])
        judged = float(self.figures.judged[place])
        return QueryRow(
            query_id,
            None if query is None else query.text,
            tuple(float(self._columns[name][place]) for name in self.measures),
            None if math.isinf(rank) else int(rank),
            None if math.isnan(judged) else judged,
            int(self.figures.n_holes[place]),
            bool(self._scores.is_missing[place]),
            bool(self._scores.lacks_relevant[place]),
        )
