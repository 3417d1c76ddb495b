"""What a difference says: the one policy behind every comparison.

Each question is one family, and its intervals hold together at the level that is asked for:

- the lead measure, the first that was named: all candidates in this measure;
- the other measures: all candidates in all of them;
- slices: all candidates in one measure, over all slices of one label;
- all pairs: every system against every other, in one measure.

The interval of a difference is Student's and Hall's, taken together: Hall's takes skewness into
account. In a family of several, the single-step max-t widens all intervals so that they hold at
once. The p-value comes from the same construction, so the two never disagree. The word follows from
the interval alone. If fewer than `FEWEST_CHANGED` queries changed there is no word: too few
differences are not 0 to say how the others vary.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from berryeval.evaluation.findings import ROUNDING
from berryeval.stats import Interval, deviations_of, mean_of, means_of, simultaneous_intervals
from berryeval.stats._moments import variances_of

__all__ = ["FEWEST_CHANGED", "Column", "Estimate", "Floats", "estimate_family", "widened"]

FEWEST_CHANGED = 10
"""With fewer queries whose score changed, no test can be trusted."""

Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Column:
    """The differences of one candidate in one measure, over all queries or a slice."""

    values: Floats
    """Candidate minus baseline, one number per query."""
    rows: Sequence[int] | None = None
    """The places of these queries among all; None for all of them."""
    noise_sd: float = 0.0
    """The standard deviation of what all queries of a run share, from run to run."""

    @property
    def is_testable(self) -> bool:
        """Whether enough queries changed."""
        return int(np.count_nonzero(self.values)) >= FEWEST_CHANGED

    @cached_property
    def noisy(self) -> Floats:
        """The differences with the noise added that they share: what is estimated."""
        return widened(self.values, self.noise_sd)


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
    columns: Sequence[Column], level: float = 0.95, *, n_flips: int = 10_000, seed: int = 0
) -> list[Estimate]:
    """Estimate the mean of each column of differences, simultaneously over all columns.

    Parameters
    ----------
    columns : sequence of Column
        The family.
    level : float
        The probability that all intervals contain their means.
    n_flips, seed : int
        For the draws of signs that a family of several needs.

    Returns
    -------
    list of Estimate
        In the order of the columns. A column of which fewer than `FEWEST_CHANGED` queries changed
        has neither interval nor p-value, and does not widen the intervals of others.

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
    tested = [place for place, column in enumerate(columns) if column.is_testable]
    found = [Estimate(None, None, f"fewer than {FEWEST_CHANGED} queries changed")] * len(columns)
    estimates = _estimate([columns[place] for place in tested], level, n_flips, seed)
    for place, estimate in zip(tested, estimates, strict=True):
        found[place] = estimate
    return found


def _estimate(columns: Sequence[Column], level: float, n_flips: int, seed: int) -> list[Estimate]:
    if len(columns) == 1:
        sample = mean_of(columns[0].noisy)
        assert sample is not None  # as many changed
        return [Estimate(sample.interval(level), sample.p_value())]
    if not columns:
        return []
    values, present = _side_by_side(columns)
    members = simultaneous_intervals(values, level, present=present, n_flips=n_flips, seed=seed)
    return [Estimate(one.interval, one.p_value) for one in members if one is not None]


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


def widened(differences: Floats, noise_sd: float) -> Floats:
    """Spread differences about their mean so that the variance of the mean has noise added.

    `noise_sd` is the standard deviation of what all queries of a run share from one repeat to the
    next: the spread between queries says nothing about it. Differences that are all equal have no
    spread to stretch: they get one that alternates. A single query stays as it is.
    """
    n_queries = len(differences)
    if noise_sd == 0.0 or n_queries < 2:  # noqa: PLR2004
        return differences
    mean = means_of(differences)
    around = differences - mean
    added = n_queries * noise_sd**2
    if np.abs(around).max() < ROUNDING:
        around = np.resize([1.0, -1.0], n_queries)
        around -= means_of(around)
        factor = math.sqrt(added) / deviations_of(around)
    else:
        factor = np.sqrt(1 + added / variances_of(around))
    stretched: Floats = mean + around * factor
    return stretched
