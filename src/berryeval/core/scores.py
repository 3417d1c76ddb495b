"""Scores: one number a query and measure."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import dataclass

from berryeval.core.id_column import IdColumn

__all__ = ["QueryCounts", "Scores"]


@dataclass(frozen=True)
class QueryCounts:
    """How many queries there were, and what became of them."""

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

    Queries stand in the order of their ids as bytes: sums over them then depend on nothing but
    the data.
    """

    query_ids: IdColumn
    values: Mapping[str, array[float]]
    """For each measure, by its name, one number a query."""
    counts: QueryCounts
    ignored_ids: tuple[str, ...] = ()
    """The first three, in the order of bytes, of the run's queries without judgments."""

    def mean(self, measure: str) -> float:
        """Return the mean over the queries, added up in their order; 0 if there is none."""
        total = 0.0
        for value in self.values[measure]:
            total += value
        return total / len(self.query_ids) if len(self.query_ids) else 0.0
