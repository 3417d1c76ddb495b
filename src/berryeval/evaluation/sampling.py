"""How the queries of a set stand for all that users ask: each alone, or in groups.

Paraphrases of one intent, queries of one session or tenant rise and fall together. Taken as
independent they promise more certainty than there is, so each `group` counts as one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from berryeval.core.query import Query
from berryeval.stats import mean_of, sums_of

if TYPE_CHECKING:
    from berryeval.stats import SampleMean

__all__ = ["FEWEST_GROUPS", "PLAIN", "Sampling", "sampling_of"]

FEWEST_GROUPS = 20
"""With fewer groups, no test of their queries can be trusted."""


@dataclass(frozen=True, eq=False)
class Sampling:
    """The groups of queries, in their order."""

    groups: tuple[str | None, ...] | None = None
    """The group of each query, None for one that stands alone; None if no query has one."""

    def take(self, rows: Sequence[int]) -> Sampling:
        """Return the same for some of the queries."""
        return self if self.groups is None else Sampling(tuple(self.groups[row] for row in rows))

    @property
    def units(self) -> str:
        """What counts as one: ``"groups"`` or ``"queries"``."""
        return "queries" if self.groups is None else "groups"

    def mean_of(self, values: NDArray[np.float64]) -> SampleMean | None:
        """Return the mean of one number per query, with its error; None if there are too few."""
        return mean_of(values, groups=self.groups)

    def mean_over(self, values: NDArray[np.float64]) -> float:
        """Return the mean alone; of at least one number."""
        return float(sums_of(values)) / len(values)

    def count(self, is_counted: NDArray[np.bool_]) -> int:
        """Return how many independent units have a query that is counted: groups, or queries."""
        if self.groups is None:
            return int(np.count_nonzero(is_counted))
        return len({self._units[row] for row in np.flatnonzero(is_counted).tolist()})

    @cached_property
    def _units(self) -> list[object]:
        assert self.groups is not None
        return [row if group is None else group for row, group in enumerate(self.groups)]


PLAIN = Sampling()
"""Queries that stand alone."""


def sampling_of(queries: Mapping[str, Query], query_ids: Iterable[str]) -> Sampling:
    """Return the groups of queries, if any of them has one."""
    known = (queries.get(query_id) for query_id in query_ids)
    groups = tuple(None if query is None else query.group for query in known)
    return Sampling(groups) if any(group is not None for group in groups) else PLAIN
