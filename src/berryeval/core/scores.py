"""Scores: one number per query and measure."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from berryeval.core.id_column import IdColumn

__all__ = ["QueryCounts", "Scores"]


@dataclass(frozen=True)
class QueryCounts:
    """The number of queries, by how they were treated."""

    judged: int
    """Queries with judgments."""
    missing: int
    """Judged queries that the run does not have."""
    ignored: int
    """Queries of the run without judgments."""
    no_relevant: int
    """Judged queries without a relevant document (a grade of at least 1)."""


@dataclass(frozen=True, eq=False)
class Scores:
    """What the engine computes.

    Queries are in the order of their ids as bytes, so that sums over them depend only on the data.
    """

    query_ids: IdColumn
    values: Mapping[str, array[float]]
    """For each measure, by its name, one number per query."""
    counts: QueryCounts
    is_missing: Sequence[bool]
    """For each query, whether it is missing from the run."""
    lacks_relevant: Sequence[bool]
    """For each query, whether it has no relevant document."""
    ignored_ids: tuple[str, ...] = ()
    """The first three, in the order of bytes, of the run's queries without judgments."""

    def take(self, positions: Sequence[int]) -> Scores:
        """Return the scores of some of the queries; only these are then counted."""
        is_missing = [self.is_missing[i] for i in positions]
        lacks_relevant = [self.lacks_relevant[i] for i in positions]
        return Scores(
            IdColumn.of(self.query_ids.bytes_at(i) for i in positions),
            {name: array("d", (v[i] for i in positions)) for name, v in self.values.items()},
            QueryCounts(len(positions), sum(is_missing), 0, sum(lacks_relevant)),
            is_missing,
            lacks_relevant,
        )
