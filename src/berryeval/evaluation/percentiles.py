"""Percentiles over queries, such as the time that 95% of them do not exceed.

A mean has a standard error; a percentile has none that could be trusted, since it depends on how
dense the values are around it. So queries are resampled, with replacement, and the percentile is
taken of each resample: the spread of these is that of the percentile. For two systems the same
queries are drawn for both. The tail of a resample holds values of the sample only, so that a
percentile is not estimated unless `MIN_BEYOND` queries are expected beyond it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from berryeval.stats import Interval
from berryeval.stats.moments import means_of, variances_of

if TYPE_CHECKING:
    from berryeval.evaluation.sampling import Sampling
    from berryeval.measures import Measure

__all__ = [
    "MIN_BEYOND",
    "N_RESAMPLES",
    "Spread",
    "few_queries",
    "fewest_queries",
    "percentile_in",
    "percentile_of",
    "resampled",
    "spread_of",
]

MIN_BEYOND = 5
"""With fewer queries beyond a percentile, its spread cannot be seen."""

N_RESAMPLES = 2_000
"""Enough for levels of 0.01; half of them would do for 0.05."""

_AT_A_TIME = 4_000_000  # values of resamples in memory

Floats = NDArray[np.float64]


def _place(n_values: int, percentile: float) -> int:
    """Return the place of a percentile among values in order; between two, the higher."""
    # 95% of 100 steps is 95, but 0.95 * 100 is a little less or more.
    return min(n_values - 1, math.ceil(round(percentile / 100 * (n_values - 1), 9)))


def percentile_in(measure: Measure) -> float:
    """Return the percentile that a measure with such an aggregate takes."""
    found: float | None = getattr(measure, "percentile", None)
    assert found is not None, f"{measure} is no percentile"
    return found


def percentile_of(values: Sequence[float] | Floats, percentile: float) -> float:
    """Return the value that the given percentage of values do not exceed; between two, the higher.

    Examples
    --------
    >>> percentile_of([10.0, 30.0, 20.0], 95), percentile_of([10.0, 30.0, 20.0], 50)
    (30.0, 20.0)
    """
    found = np.asarray(values, np.float64)
    place = _place(len(found), percentile)
    return float(np.partition(found, place)[place])


def fewest_queries(percentile: float) -> int | None:
    """Return how many queries a percentile needs for an interval; None for the maximum.

    Examples
    --------
    >>> fewest_queries(50), fewest_queries(95), fewest_queries(99)
    (10, 100, 500)
    """
    share = min(percentile, 100 - percentile) / 100
    return math.ceil(round(MIN_BEYOND / share, 6)) if share > 0 else None


def few_queries(percentile: float, n_units: int, units: str = "queries") -> str | None:
    """Return why a percentile of this many queries has no interval; None if it has one."""
    needed = fewest_queries(percentile)
    if needed is None:
        return f"a percentile of {percentile:g} is not tested"
    if n_units >= needed:
        return None
    return f"p{percentile:g} is not tested with fewer than {needed:,} {units}"


def resampled(
    columns: Sequence[Floats], percentile: float, sampling: Sampling, seed: int = 0
) -> list[Floats]:
    """Return the percentile of each column in `N_RESAMPLES` resamples of the queries.

    Each column has one number per query, and a resample has the same queries of all columns. Whole
    groups are drawn, and within each stratum as many as it has.
    """
    draws = np.random.Generator(np.random.PCG64(seed))
    if sampling.groups is None and sampling.strata is None:
        return _resample_queries(columns, percentile, draws)
    pools = _units_by_stratum(len(columns[0]), sampling)
    found = [np.empty(N_RESAMPLES) for _ in columns]
    for i in range(N_RESAMPLES):
        rows = np.concatenate([unit for pool in pools for unit in _drawn(pool, draws)])
        for column, out in zip(columns, found, strict=True):
            out[i] = percentile_of(column[rows], percentile)
    return found


def _resample_queries(
    columns: Sequence[Floats], percentile: float, draws: np.random.Generator
) -> list[Floats]:
    n_queries = len(columns[0])
    place = _place(n_queries, percentile)
    found: list[list[Floats]] = [[] for _ in columns]
    size = max(1, _AT_A_TIME // n_queries)
    for start in range(0, N_RESAMPLES, size):
        n_now = min(size, N_RESAMPLES - start)
        rows = draws.integers(0, n_queries, (n_now, n_queries))
        for column, parts in zip(columns, found, strict=True):
            parts.append(np.partition(column[rows], place, axis=1)[:, place])
    return [np.concatenate(parts) for parts in found]


def _units_by_stratum(n_queries: int, sampling: Sampling) -> list[list[NDArray[np.intp]]]:
    """Return the rows of each unit, a group or a query alone, stratum by stratum."""
    groups = sampling.groups or (None,) * n_queries
    strata = sampling.strata or (None,) * n_queries
    pools: dict[object, dict[object, list[int]]] = {}
    for row, (group, stratum) in enumerate(zip(groups, strata, strict=True)):
        unit: object = row if group is None else group
        pools.setdefault(stratum, {}).setdefault(unit, []).append(row)
    return [[np.array(rows) for rows in units.values()] for units in pools.values()]


def _drawn(pool: Sequence[NDArray[np.intp]], draws: np.random.Generator) -> list[NDArray[np.intp]]:
    return [pool[i] for i in draws.integers(0, len(pool), len(pool))]


@dataclass(frozen=True, eq=False)
class Spread:
    """The possible values of a number: those in all resamples."""

    values: Floats

    @cached_property
    def _ordered(self) -> Floats:
        return np.sort(self.values)

    def widened(self, noise_sd: float) -> Spread:
        """Return the spread with the variance of noise added that all queries of a run share."""
        variance = float(variances_of(self.values))
        if noise_sd == 0.0 or variance == 0.0:
            return self
        centre = float(means_of(self.values))
        return Spread(centre + (self.values - centre) * math.sqrt(1 + noise_sd**2 / variance))

    def p_above(self, limit: float) -> float:
        """Return the p-value of the hypothesis that the number is `limit` or less."""
        return float(1 + np.count_nonzero(self.values <= limit)) / (len(self.values) + 1)

    def p_below(self, limit: float) -> float:
        """Return the p-value of the hypothesis that the number is `limit` or more."""
        return float(1 + np.count_nonzero(self.values >= limit)) / (len(self.values) + 1)

    def p_value(self) -> float:
        """Return the two-sided p-value of the hypothesis that the number is 0."""
        return min(1.0, 2 * min(self.p_above(0.0), self.p_below(0.0)))

    def interval(self, level: float) -> Interval:
        """Return the two-sided interval that agrees with the p-values.

        A limit outside of it has a one-sided p-value of at most (1 - level) / 2.
        """
        n_beyond = math.floor(round((1 - level) / 2 * (len(self.values) + 1), 6))
        if n_beyond < 1:
            return Interval(-math.inf, math.inf, level, "bootstrap")
        low, high = self._ordered[n_beyond - 1], self._ordered[-n_beyond]
        return Interval(float(low), float(high), level, "bootstrap")


def spread_of(
    baseline: Floats, candidate: Floats, percentile: float, sampling: Sampling, seed: int = 0
) -> Spread:
    """Return how far the percentile of a candidate could be from that of a baseline."""
    before, after = resampled([baseline, candidate], percentile, sampling, seed)
    return Spread(after - before)
