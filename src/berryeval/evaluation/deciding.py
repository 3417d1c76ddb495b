"""How a difference is interpreted: the single policy behind every comparison.

Each question is one family, and its intervals hold together at the requested level:

- the lead measure, the first that was named: all candidates in this measure;
- the other measures: all candidates in all of them;
- slices: all candidates in one measure, over all slices of one label;
- all pairs: every system against every other, in one measure.

Percentiles, such as the time that 95% of the queries do not exceed, are not means: they are
resampled (`berryeval.evaluation.percentiles`), and hold together among themselves, by Bonferroni.

The interval of a difference is Student's and Hall's, taken together: Hall's takes skewness into
account. In a family of several, the single-step max-t widens all intervals so that they hold at
once. The p-value comes from the same construction, so the two never disagree. The finding follows
from the interval alone. If fewer than `MIN_CHANGED` queries changed there is no finding: too few
differences are not 0 to show how the others vary. Where queries have weights, those that changed
have to be worth as many of equal weight: a mean that depends on a few heavy queries says little.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from berryeval.evaluation.findings import ROUNDING
from berryeval.evaluation.labelled import Labelled
from berryeval.evaluation.sampling import MIN_GROUPS, PLAIN, Sampling
from berryeval.stats import Interval, PoweredMean, SampleMean, simultaneous_intervals

__all__ = ["MIN_CHANGED", "Column", "Estimate", "Floats", "estimate_family", "widened"]

MIN_CHANGED = 10
"""With fewer queries whose score changed, no test can be trusted."""

Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Column:
    """The differences of one candidate in one measure, over all queries or a slice."""

    values: Floats
    """Candidate minus baseline, one number per query."""
    rows: Sequence[int] | None = None
    """The positions of these queries among all; None for all of them."""
    noise_sd: float = 0.0
    """The standard deviation of what all queries of a run share, from run to run."""
    sampling: Sampling = PLAIN
    """The groups, weights and strata of these queries."""
    labelled: Labelled | None = None
    """The differences by people and by a model, if the mean is based on both. Only queries that
    people labelled are then counted."""

    @cached_property
    def n_changed(self) -> int:
        """Queries whose score changed; groups, if there are any."""
        return self.sampling.count(self._is_counted & (self.values != 0))

    @cached_property
    def n_units(self) -> int:
        """Independent queries; groups, if there are any."""
        return self.sampling.count(self._is_counted)

    @cached_property
    def _is_counted(self) -> NDArray[np.bool_]:
        if self.labelled is None:
            return np.ones(len(self.values), dtype=bool)
        return self.labelled.is_labelled

    @cached_property
    def worth_changed(self) -> float:
        """How many queries, or groups, of equal weight those that changed are worth.

        At most the worth of all queries: a heavy query that did not change also leaves little to
        learn.
        """
        return min(self.sampling.worth(self._is_counted & (self.values != 0)), self._worth)

    @cached_property
    def _worth(self) -> float:
        return self.sampling.worth(self._is_counted)

    @property
    def is_alone(self) -> bool:
        """Whether queries are independent, not in groups."""
        return self.sampling.groups is None

    @property
    def is_weighted(self) -> bool:
        """Whether some queries count more than others."""
        return self.sampling.weights is not None

    @cached_property
    def has_few_groups(self) -> bool:
        """Whether the groups are too few to test."""
        return not self.is_alone and self._worth < MIN_GROUPS

    @property
    def is_testable(self) -> bool:
        """Whether enough queries changed, and there are enough groups."""
        return self.worth_changed >= MIN_CHANGED and not self.has_few_groups

    @cached_property
    def noisy(self) -> Floats:
        """The differences with the noise added that they share: what is estimated."""
        return widened(self.values, self.noise_sd, self.sampling)

    @cached_property
    def sample(self) -> SampleMean | None:
        """The mean difference with its error; None for fewer than two units."""
        if self.labelled is not None:
            return None if self.powered is None else self.powered.sample
        return self.sampling.mean_of(self.noisy)

    @cached_property
    def powered(self) -> PoweredMean | None:
        """The mean difference that is based on people and a model; None without a model."""
        return None if self.labelled is None else self.labelled.powered(self.sampling)


@dataclass(frozen=True)
class Estimate:
    """The interval and the p-value of one mean difference, or why there are none."""

    interval: Interval | None
    """Simultaneous over the family."""
    p_value: float | None
    """Two-sided, for a mean difference of 0; adjusted over the family."""
    reason: str | None = None
    """Why neither is defined."""


def estimate_family(
    columns: Sequence[Column],
    level: float = 0.95,
    *,
    sampling: Sampling = PLAIN,
    n_flips: int = 10_000,
    seed: int = 0,
) -> list[Estimate]:
    """Estimate the mean of each column of differences, simultaneously over all columns.

    `level` is the probability that all intervals contain their means; `sampling` has the groups,
    weights and strata of all queries. A column of which fewer than `MIN_CHANGED` queries
    changed, or with fewer than `MIN_GROUPS` groups if there are any, has neither interval nor
    p-value, and does not widen the intervals of others.

    Examples
    --------
    >>> import numpy as np
    >>> [alone] = estimate_family([Column(np.array([0.1, 0.3, 0.2, 0.4] * 3))])
    >>> round(alone.interval.low, 3), round(alone.interval.high, 3), alone.p_value < 0.001
    (0.176, 0.324, True)
    >>> [few] = estimate_family([Column(np.array([0.1, 0.3, 0.2, 0.4]))])
    >>> few.reason
    'fewer than 10 queries changed'
    """
    tested = [column for column in columns if column.is_testable]
    estimates = iter(_estimate(tested, level, sampling, n_flips, seed))
    return [
        next(estimates) if column.is_testable else Estimate(None, None, _untested(column))
        for column in columns
    ]


def _untested(column: Column) -> str:
    """Return the reason why there is no finding."""
    if column.has_few_groups:
        is_many = column.n_units >= MIN_GROUPS
        return f"fewer than {MIN_GROUPS} groups{' of equal weight' * is_many}"
    units = column.sampling.units if column.labelled is None else "labelled queries"
    is_many = column.n_changed >= MIN_CHANGED
    return f"fewer than {MIN_CHANGED} {units}{' of equal weight' * is_many} changed"


def _estimate(
    columns: Sequence[Column], level: float, sampling: Sampling, n_flips: int, seed: int
) -> list[Estimate]:
    if len(columns) == 1:
        sample = columns[0].sample
        assert sample is not None  # enough queries changed
        return [Estimate(sample.interval(level), sample.p_value())]
    if not columns:
        return []
    if any(column.labelled is not None for column in columns):
        return [_bonferroni(column, level, len(columns)) for column in columns]
    values, present = _side_by_side(columns)
    same = sampling.take(range(len(values)))
    members = simultaneous_intervals(
        values,
        level,
        present=present,
        weights=same.weights,
        groups=same.groups,
        strata=same.strata,
        n_flips=n_flips,
        seed=seed,
    )
    return [Estimate(one.interval, one.p_value) for one in members if one is not None]


def _bonferroni(column: Column, level: float, n_columns: int) -> Estimate:
    """Estimate one of several based on labels: signs of queries cannot be flipped together."""
    sample = column.sample
    assert sample is not None  # enough queries changed
    found = sample.interval(1 - (1 - level) / n_columns)
    return Estimate(replace(found, level=level), min(1.0, n_columns * sample.p_value()))


def _side_by_side(columns: Sequence[Column]) -> tuple[Floats, NDArray[np.bool_]]:
    """Return queries x columns, and which queries each column has."""
    n_queries = max(
        len(column.values) if column.rows is None else max(column.rows) + 1 for column in columns
    )
    values = np.zeros((n_queries, len(columns)))
    present = np.zeros(values.shape, dtype=bool)
    for place, column in enumerate(columns):
        rows = np.arange(len(column.values)) if column.rows is None else np.asarray(column.rows)
        values[rows, place] = column.noisy
        present[rows, place] = True
    return values, present


def widened(differences: Floats, noise_sd: float, sampling: Sampling = PLAIN) -> Floats:
    """Spread differences about their mean so that the variance of the mean has noise added.

    `noise_sd` is the standard deviation of what all queries of a run share from one repeat to the
    next: the spread between queries says nothing about it. Differences without a spread, all equal
    or equal within each stratum, have nothing to stretch: they get one that alternates. A single
    query stays as it is.
    """
    sample = sampling.mean_of(differences) if noise_sd > 0.0 else None
    if sample is None:
        return differences
    around = differences - sample.mean
    stretched: Floats
    if sample.standard_error == 0.0 or np.abs(around).max() < ROUNDING:
        signs = sampling.alternating_signs(len(differences))
        signs -= sampling.mean_over(signs)
        alternating = sampling.mean_of(signs)
        assert alternating is not None
        factor = noise_sd / alternating.standard_error if alternating.standard_error > 0 else 0.0
        stretched = differences + signs * factor
    else:
        factor = math.sqrt(1 + (noise_sd / sample.standard_error) ** 2)
        stretched = sample.mean + around * factor
    return stretched
