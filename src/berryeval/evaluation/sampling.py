"""How the queries of a set represent all that users ask: weights, groups and strata.

Paraphrases of one intent, queries of one session or tenant rise and fall together. Treated as
independent, they suggest more certainty than there is, so each `group` counts as one. A query that
people ask more often than others counts more, by its `weight`. If queries were drawn stratum by
stratum, with a fixed number of each kind, the spread between kinds is not chance; only that within
each `stratum` counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from berryeval.core.query import Query
from berryeval.evaluation.weighting import effective_number, labels_of, scaled, weights_of
from berryeval.stats import mean_of
from berryeval.stats.moments import sums_of

if TYPE_CHECKING:
    from berryeval.stats import SampleMean

__all__ = ["MIN_GROUPS", "PLAIN", "Sampling", "sampling_of"]

MIN_GROUPS = 20
"""With fewer groups, no test of their queries can be trusted."""


@dataclass(frozen=True, eq=False)
class Sampling:
    """The groups, weights and strata of queries, in their order."""

    groups: tuple[str | None, ...] | None = None
    """The group of each query, None for an independent one; None if no query has one."""
    weights: tuple[float, ...] | None = None
    """How much each query counts, in relation to the others; None if all count equally."""
    strata: tuple[str | None, ...] | None = None
    """The stratum of each query; queries without one form their own. None if no query has one."""

    def take(self, rows: Sequence[int]) -> Sampling:
        """Return the same for some of the queries."""
        if self.is_plain:
            return self
        return Sampling(
            None if self.groups is None else tuple(self.groups[row] for row in rows),
            None if self.weights is None else scaled([self.weights[row] for row in rows]),
            None if self.strata is None else tuple(self.strata[row] for row in rows),
        )

    @property
    def is_plain(self) -> bool:
        """Whether queries are independent, count equally and were drawn as one sample."""
        return self.groups is None and self.weights is None and self.strata is None

    @property
    def effective_queries(self) -> float | None:
        """Equivalent number of queries of equal weight (Kish); None without weights."""
        return None if self.weights is None else effective_number(self.weights)

    @property
    def units(self) -> str:
        """The independent units: ``"groups"`` or ``"queries"``."""
        return "queries" if self.groups is None else "groups"

    def mean_of(self, values: NDArray[np.float64]) -> SampleMean | None:
        """Return the mean of one number per query, with its error; None if there are too few."""
        return mean_of(values, weights=self.weights, groups=self.groups, strata=self.strata)

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

    def alternating_signs(self, n_queries: int) -> NDArray[np.float64]:
        """Return 1 and -1 for the units of each stratum in turn, the same within a unit."""
        units = range(n_queries) if self.groups is None else self._units
        strata = self.strata or (None,) * n_queries
        signs: dict[object, float] = {}
        turns: dict[str | None, float] = {}
        for unit, stratum in zip(units, strata, strict=True):
            if unit not in signs:
                # Strata alternate, too, since those with a single unit may be merged.
                start = -1.0 if len(turns) % 2 else 1.0
                turns[stratum] = signs[unit] = -turns.get(stratum, -start)
        return np.array([signs[unit] for unit in units])

    @cached_property
    def _units(self) -> list[object]:
        assert self.groups is not None
        return [row if group is None else group for row, group in enumerate(self.groups)]


PLAIN = Sampling()
"""Queries that stand alone, count equally and were drawn as one sample."""


def sampling_of(queries: Mapping[str, Query], query_ids: Iterable[str]) -> Sampling:
    """Return the groups, weights and strata of queries, if any of them has one.

    `berryeval.evaluation.weighting.weights_of` describes how much a query without a weight counts.
    """
    ids = [*query_ids]
    found = Sampling(
        labels_of(queries, ids, "group"),
        weights_of(queries, ids),
        labels_of(queries, ids, "stratum"),
    )
    return PLAIN if found.is_plain else found
