"""Which of the judged queries count."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import compress
from typing import Literal, NamedTuple, TypeAlias

from berryeval.core.id_column import IdColumn, decode_id
from berryeval.core.scores import QueryCounts, Scores
from berryeval.errors import MismatchError
from berryeval.measures import Measure

__all__ = ["N_SHOWN", "AllScores", "MissingQueries", "NoRelevant"]

N_SHOWN = 3
"""Largest number of ignored queries that are named."""

MissingQueries: TypeAlias = Literal["zero", "skip", "error"]
"""How to score judged queries that are missing from the run."""

NoRelevant: TypeAlias = Literal["zero", "skip"]
"""How to score queries without relevant documents."""


class AllScores(NamedTuple):
    """The scores of all judged queries, in the order of their ids as bytes."""

    query_ids: Sequence[bytes]
    values: Sequence[array[float]]
    """For each measure, one number per query; that of an empty ranking if the run lacks the
    query."""
    is_missing: Sequence[bool]
    """For each query, whether it is missing from the run."""
    lacks_relevant: Sequence[bool]
    """For each query, whether it has no relevant document."""
    n_ignored: int
    """Queries of the run without judgments."""
    ignored_ids: Sequence[bytes]
    """The first `N_SHOWN` of them, or as many as requested, in byte order."""

    def select(
        self, measures: Sequence[Measure], missing: MissingQueries, no_relevant: NoRelevant
    ) -> Scores:
        """Leave out the queries to skip, and count them."""
        n_missing, n_no_relevant = sum(self.is_missing), sum(self.lacks_relevant)
        if missing == "error" and n_missing:
            query_id = decode_id(next(compress(self.query_ids, self.is_missing)))
            are = "is" if n_missing == 1 else f"and {n_missing - 1:,} more are"
            raise MismatchError(f"query {query_id!r} {are} judged but missing from the run")
        query_ids, values = self.query_ids, self.values
        flags = (self.is_missing, self.lacks_relevant)
        if (missing == "skip" and n_missing) or (no_relevant == "skip" and n_no_relevant):
            is_kept = [
                not (missing == "skip" and is_missing)
                and not (no_relevant == "skip" and lacks_relevant)
                for is_missing, lacks_relevant in zip(
                    self.is_missing, self.lacks_relevant, strict=True
                )
            ]
            query_ids = list(compress(query_ids, is_kept))
            values = [array("d", compress(numbers, is_kept)) for numbers in values]
            flags = (list(compress(flags[0], is_kept)), list(compress(flags[1], is_kept)))
        counts = QueryCounts(
            judged=len(self.query_ids),
            missing=n_missing,
            ignored=self.n_ignored,
            no_relevant=n_no_relevant,
        )
        names = map(str, measures)
        by_name = dict(zip(names, values, strict=True))
        ignored_ids = tuple(map(decode_id, self.ignored_ids[:N_SHOWN]))
        ids = IdColumn.of(query_ids)
        return Scores(ids, by_name, counts, *flags, ignored_ids)
