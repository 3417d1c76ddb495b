"""How the queries of a set stand for all that users ask: by weights, alone or in groups.

Paraphrases of one intent, queries of one session or tenant rise and fall together. Taken as
independent they promise more certainty than there is, so each `group` counts as one. A query that
is asked more often than others counts more, by its `weight`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from berryeval.core.query import Query
from berryeval.evaluation.weighing import effective_number, scaled, weights_of
from berryeval.stats import mean_of, sums_of

if TYPE_CHECKING:
    from berryeval.stats import SampleMean

__all__ = ["FEWEST_GROUPS", "PLAIN", "Sampling", "sampling_of"]

FEWEST_GROUPS = 20
"""With fewer groups, no test of their queries can be trusted."""


@dataclass(frozen=True, eq=False)
class Sampling:
    """The groups and weights of queries, in their order."""

    groups: tuple[str | None, ...] | None = None
    """The group of each query, None for one that stands alone; None if no query has one."""
    weights: tuple[float, ...] | None = None
    """How much each query counts, in relation to the others; None if all count equally."""

    def take(self, rows: Sequence[int]) -> Sampling:
        """Return the same for some of the queries."""
        if self.groups is None and self.weights is None:
            return self
        return Sampling(
            None if self.groups is None else tuple(self.groups[row] for row in rows),
            None if self.weights is None else scaled([self.weights[row] for row in rows]),
        )

    @property
    def effective_queries(self) -> float | None:
        """How many queries of equal weight are worth as much (Kish); None without weights."""
        return None if self.weights is None else effective_number(self.weights)

    @property
    def units(self) -> str:
        """What counts as one: ``"groups"`` or ``"queries"``."""
        return "queries" if self.groups is None else "groups"

    def mean_of(self, values: NDArray[np.float64]) -> SampleMean | None:
        """Return the mean of one number per query, with its error; None if there are too few."""
        return mean_of(values, weights=self.weights, groups=self.groups)

    def mean_over(self, values: NDArray[np.float64]) -> float:
        """Return the mean alone; of at least one number."""
        if self.weights is None:
            return float(sums_of(values)) / len(values)
        weights = np.array(self.weights)
        return float(sums_of(weights * values)) / float(sums_of(weights))

    def count(self, is_counted: NDArray[np.bool_]) -> int:
        """Return how many independent units have a query that is counted: groups, or queries."""
        if self.groups is None:
            return int(np.count_nonzero(is_counted))
        return len({self._units[row] for row in np.flatnonzero(is_counted).tolist()})

    def worth(self, is_counted: NDArray[np.bool_]) -> float:
        """Return how many units of equal weight the counted ones are worth; see `count`."""
        if self.weights is None or not is_counted.any():
            return float(self.count(is_counted))
        by_unit: dict[object, float] = {}
        for row in np.flatnonzero(is_counted).tolist():
            unit = row if self.groups is None else self._units[row]
            by_unit[unit] = by_unit.get(unit, 0.0) + self.weights[row]
        return effective_number([*by_unit.values()])

    @cached_property
    def _units(self) -> list[object]:
        assert self.groups is not None
        return [row if group is None else group for row, group in enumerate(self.groups)]


PLAIN = Sampling()
"""Queries that stand alone and count equally."""


def sampling_of(queries: Mapping[str, Query], query_ids: Iterable[str]) -> Sampling:
    """Return the groups and weights of queries, if any of them has one.

    `berryeval.evaluation.weighing.weights_of` says what a query without a weight counts.
    """
    ids = [*query_ids]
    known = (queries.get(query_id) for query_id in ids)
    groups = tuple(None if query is None else query.group for query in known)
    weights = weights_of(queries, ids)
    has_groups = any(group is not None for group in groups)
    if not has_groups and weights is None:
        return PLAIN
    return Sampling(groups if has_groups else None, weights)
