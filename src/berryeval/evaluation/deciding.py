"""What a difference says: the one policy behind every comparison.

Each question is one family, and its intervals hold together at the level that is asked for:

- the lead measure, the first that was named: all candidates in this measure;
- the other measures: all candidates in all of them;
- slices: all candidates in one measure, over all slices of one label;
- a history: each evaluation of a series against the best before it.

A family of one difference has Student's t interval. In a family of m, Bonferroni gives each
difference the level 1 - (1 - level) / m, and multiplies its p-value by m. Interval and p-value come
from the same t, so they never disagree. The word follows from the interval alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from berryeval.stats import Interval, paired_t, student_interval

__all__ = ["Estimate", "estimate_family"]


@dataclass(frozen=True)
class Estimate:
    """The interval and the p-value of one mean difference, or why there are none."""

    interval: Interval | None
    """Simultaneous over the family."""
    p_value: float | None
    """Two-sided, for a mean difference of 0; adjusted over the family."""
    reason: str | None = None
    """Why neither is defined."""


def estimate_family(columns: Sequence[NDArray[np.float64]], level: float = 0.95) -> list[Estimate]:
    """Estimate the mean of each column of differences, simultaneously over all columns.

    Parameters
    ----------
    columns : sequence of arrays
        One column per difference: candidate minus baseline, one number per query. Slices may
        have different numbers of queries.
    level : float
        The probability that all intervals contain their means.

    Returns
    -------
    list of Estimate
        In the order of the columns. A column of fewer than two queries, or of zeros, has neither
        interval nor p-value, but counts as a member of the family: a family that shrinks with the
        data would not keep its level. Where every query has the same difference, the sign test
        decides.

    Examples
    --------
    >>> import numpy as np
    >>> [alone] = estimate_family([np.array([0.1, 0.3, 0.2, 0.4])])
    >>> round(alone.interval.low, 3), round(alone.interval.high, 3), round(alone.p_value, 4)
    (0.045, 0.455, 0.0305)
    """
    return [_estimate(column, level, len(columns)) for column in columns]


def _estimate(values: NDArray[np.float64], level: float, n_members: int) -> Estimate:
    test = paired_t(values)
    if test.p_value is None:
        return _without_spread(values, level, n_members, test.reason)
    found = student_interval(values, 1 - (1 - level) / n_members)
    assert found is not None  # what has a p-value has two queries
    method = "t" if n_members == 1 else "simultaneous t"
    interval = Interval(found.low, found.high, level, method)
    return Estimate(interval, min(1.0, n_members * test.p_value))


def _without_spread(
    values: NDArray[np.float64], level: float, n_members: int, reason: str | None
) -> Estimate:
    """Estimate a difference that is the same for every query, where t is not defined.

    Its sign alone is evidence: all n queries agree by chance with probability 2^(1 - n).
    """
    p_value = min(1.0, n_members * 2.0 ** (1 - len(values))) if values.any() else 1.0
    if p_value > 1 - level:
        return Estimate(None, None, reason)
    same = float(values[0])
    return Estimate(Interval(same, same, level, "sign"), p_value)
