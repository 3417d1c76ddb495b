"""All current judgments as columns in memory, for fast filtering and counting."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from berryeval.archive.judgments.opinions import SETTLED
from berryeval.core.id_column import decode_id, encode_id

__all__ = ["JudgmentTable", "WantedJudgments", "narrow"]

Mask = NDArray[np.bool_]
Numbers = NDArray[np.signedinteger[Any]]


def narrow(numbers: Any) -> Numbers:  # noqa: ANN401 - any array of whole numbers from 0
    """Return numbers in the smallest type that has room for them."""
    column = np.asarray(numbers)
    highest = int(column.max(initial=0))
    kinds = (np.int8, np.int16, np.int32, np.int64)
    return column.astype(next(kind for kind in kinds if highest <= np.iinfo(kind).max))


@dataclass(frozen=True, slots=True)
class WantedJudgments:
    """A filter of judgments; None means any."""

    text: str | None = None
    """Part of the id of a query or of a document, case-insensitive."""
    query_ids: Collection[str] = ()
    doc_ids: Collection[str] = ()
    """Queries and documents that match in addition to `text`."""
    query_id: str | None = None
    doc_id: str | None = None
    author: str | None = None
    """The author of the judgment or of a second opinion on it."""
    source: str | None = None
    """The source; empty for judgments without one."""
    grade: float | None = None
    is_stale: bool | None = None
    is_conflict: bool | None = None


@dataclass(frozen=True, eq=False)
class JudgmentTable:
    """The current judgments, oldest first, and the opinions of those with several.

    It is immutable.
    """

    newest: int
    """The revision that it was built at."""
    query_ids: Sequence[bytes]
    queries: Numbers
    """The number of each judgment's query."""
    doc_data: bytes
    doc_ends: Numbers
    """Start of each document's id in `doc_data`, and the end of the last one."""
    grades: NDArray[np.float64]
    author_names: Sequence[str]
    authors: Numbers
    source_names: Sequence[str | None]
    sources: Numbers
    revisions: Numbers
    stale: Mask
    conflicts: Mask
    opinions: Mapping[int, Mapping[str, float]] = field(default_factory=dict)
    """Grades by judge, by revision, if they are not just the judgment itself."""

    def __len__(self) -> int:
        return len(self.revisions)

    @property
    def n_conflicts(self) -> int:
        """The number of conflicts between judges."""
        return int(np.count_nonzero(self.conflicts))

    @property
    def n_stale(self) -> int:
        """The number of stale judgments."""
        return int(np.count_nonzero(self.stale))

    def pair(self, row: int) -> tuple[str, str]:
        """Return query and document of a row."""
        return decode_id(self.query_ids[self.queries[row]]), decode_id(self.doc_id(row))

    def doc_id(self, row: int) -> bytes:
        """Return the document of a row."""
        return self.doc_data[self.doc_ends[row] : self.doc_ends[row + 1]]

    def rows_of(self, revisions: Iterable[int]) -> NDArray[np.intp]:
        """Return the rows of the current ones among some revisions, in order."""
        wanted = np.unique(np.fromiter(revisions, dtype=np.int64))
        rows = np.searchsorted(self.revisions, wanted)
        inside = rows < len(self)
        rows, wanted = rows[inside], wanted[inside]
        found: NDArray[np.intp] = rows[self.revisions[rows] == wanted]
        return found

    def find(self, wanted: WantedJudgments) -> NDArray[np.intp]:
        """Return the matching rows, newest first."""
        kept = np.ones(len(self), dtype=bool)
        for mask in self._masks(wanted):
            kept &= mask
        return np.flatnonzero(kept)[::-1]

    def without_opinion_of(self, author: str) -> NDArray[np.intp]:
        """Return the rows that other judges graded, but not this one."""
        return np.flatnonzero(~self._judged_by(author))

    def counts_by_author(self) -> dict[str, dict[float, int]]:
        """Return the number of opinions per judge and grade."""
        single = ~self._is(self.source_names, self.sources, SETTLED)
        single[self._rows_of_opinions] = False
        counts: dict[str, dict[float, int]] = {}
        for number, name in enumerate(self.author_names):
            grades, times = np.unique(
                self.grades[single & (self.authors == number)], return_counts=True
            )
            if len(grades):
                pairs = zip(grades.tolist(), times.tolist(), strict=True)
                counts[name] = dict(pairs)
        for opinions in self.opinions.values():
            for author, grade in opinions.items():
                of_author = counts.setdefault(author, {})
                of_author[grade] = of_author.get(grade, 0) + 1
        return counts

    def counts_of(self, names: str) -> dict[Any, int]:
        """Return the number of judgments per author, source or grade: ``"authors"`` and so on.

        A judgment counts for its author, and for the authors of second opinions on it.
        """
        if names == "grades":
            values, times = np.unique(self.grades, return_counts=True)
            return dict(zip(values.tolist(), times.tolist(), strict=True))
        if names == "authors":
            return dict(self._counts_of_authors)
        times = np.bincount(self.sources, minlength=len(self.source_names))
        return {name: int(n) for name, n in zip(self.source_names, times, strict=True) if n}

    def _masks(self, wanted: WantedJudgments) -> Iterator[Mask]:
        if wanted.text is not None:
            yield self._matching(wanted)
        if wanted.query_id is not None:
            yield self._of_queries([wanted.query_id])
        if wanted.doc_id is not None:
            yield self._of_documents([wanted.doc_id])
        if wanted.author is not None:
            yield self._judged_by(wanted.author)
        if wanted.source is not None:
            yield self._is(self.source_names, self.sources, wanted.source or None)
        if wanted.grade is not None:
            yield self.grades == wanted.grade
        if wanted.is_stale is not None:
            yield self.stale if wanted.is_stale else ~self.stale
        if wanted.is_conflict is not None:
            yield self.conflicts if wanted.is_conflict else ~self.conflicts

    def _matching(self, wanted: WantedJudgments) -> Mask:
        assert wanted.text is not None
        part = encode_id(wanted.text).lower()
        of_text = [decode_id(one) for one in self.query_ids if part in one.lower()]
        found = self._of_queries([*of_text, *wanted.query_ids])
        found |= self._of_documents(wanted.doc_ids)
        found[self._rows_with_id_part(part)] = True
        return found

    def _rows_with_id_part(self, part: bytes) -> NDArray[np.intp]:
        starts, place = [], self._lower_ids.find(part)
        while place >= 0 and part:
            starts.append(place)
            place = self._lower_ids.find(part, place + 1)
        places = np.array(starts, dtype=np.int64)
        rows = np.searchsorted(self.doc_ends, places, side="right") - 1
        # A match that spans two ids does not count.
        return rows[places + len(part) <= self.doc_ends[rows + 1]]

    def _of_queries(self, query_ids: Collection[str]) -> Mask:
        numbers = [self._query_numbers.get(encode_id(query_id), -1) for query_id in query_ids]
        return np.isin(self.queries, np.array(numbers, dtype=np.int32))

    def _of_documents(self, doc_ids: Collection[str]) -> Mask:
        found = np.zeros(len(self), dtype=bool)
        wanted = frozenset(map(encode_id, doc_ids))
        keys = np.array([hash(one) for one in wanted], dtype=np.int64)
        rows = np.flatnonzero(np.isin(self._doc_keys, keys)) if wanted else ()
        found[[row for row in map(int, rows) if self.doc_id(row) in wanted]] = True
        return found

    def _is(self, names: Sequence[Any], column: Numbers, name: str | None) -> Mask:
        number = names.index(name) if name in names else -1
        found: Mask = column == number
        return found

    def _judged_by(self, author: str) -> Mask:
        """Return whether each judgment is this judge's, or has an opinion of theirs."""
        found = self._is(self.author_names, self.authors, author)
        found[self._rows_of_opinions[self._rows_with_opinion(author)]] = True
        return found

    def _rows_with_opinion(self, author: str) -> Mask:
        """Return whether each of `_rows_of_opinions` has one of this judge."""
        has_one = (author in opinions for opinions in self.opinions.values())
        return np.fromiter(has_one, dtype=bool, count=len(self.opinions))

    @cached_property
    def _counts_of_authors(self) -> Mapping[str, int]:
        times = np.bincount(self.authors, minlength=len(self.author_names))
        counts = Counter(dict(zip(self.author_names, times.tolist(), strict=True)))
        rows = self._rows_of_opinions.tolist()
        for row, opinions in zip(rows, self.opinions.values(), strict=True):
            counts.update(opinions.keys() - {self.author_names[self.authors[row]]})
        return +counts

    @cached_property
    def _rows_of_opinions(self) -> NDArray[np.intp]:
        """The row of each revision in `opinions`, in its order."""
        return np.searchsorted(self.revisions, np.array([*self.opinions], dtype=np.int64))

    @cached_property
    def _doc_keys(self) -> NDArray[np.int64]:
        """A hash of each document's id."""
        ids = (self.doc_id(row) for row in range(len(self)))
        return np.fromiter(map(hash, ids), dtype=np.int64, count=len(self))

    @cached_property
    def _lower_ids(self) -> bytes:
        lower = self.doc_data.lower()
        return self.doc_data if lower == self.doc_data else lower

    @cached_property
    def _query_numbers(self) -> dict[bytes, int]:
        return {query_id: number for number, query_id in enumerate(self.query_ids)}
