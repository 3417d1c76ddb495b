"""The BCa bootstrap: bias-corrected and accelerated.

It corrects the plain percentiles of resampled means twice: for their bias, by the share of them
that lies below the observed mean, and for a spread that changes with the mean, by the skewness of
the values (Efron 1987, Journal of the American Statistical Association 82, 171-185).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri

from berryeval.errors import ArgumentError
from berryeval.stats._moments import means_of, slack_of, sums_of
from berryeval.stats._validation import as_columns

__all__ = ["Correction", "bca_p_values", "correction_of"]


class Correction(NamedTuple):
    """How the distribution of resampled means is corrected, column by column."""

    bias: NDArray[np.float64]
    """z0: 0 where half of the resampled means lie below the observed one."""
    acceleration: NDArray[np.float64]
    """a: a sixth of the skewness of the jackknife's means. For means it is always between
    -1/6 and 1/6; 0 where all values are equal."""


def correction_of(columns: NDArray[np.float64], means: NDArray[np.float64]) -> Correction:
    """Return bias and acceleration of columns and of the means of their resamples.

    A resampled mean that equals the observed one counts half. Means that differ only by
    rounding are equal.
    """
    observed = means_of(columns)
    slack = slack_of(columns)
    below = _share_of(means < observed - slack)
    not_above = _share_of(means <= observed + slack)
    bias: NDArray[np.float64] = ndtri(_within(len(means), (below + not_above) / 2))
    return Correction(bias, _acceleration_of(columns - observed, slack))


def bca_p_values(
    differences: ArrayLike, nulls: Sequence[float] | NDArray[np.float64], means: ArrayLike
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the p-values that one-sided BCa intervals have, turned round.

    The p-value is the level at which the end of the interval reaches the null. It lies between
    1 / (B + 1) and B / (B + 1), where B is the number of resamples: they cannot say more.

    - Resampled means that equal the null count against rejecting, on either side.
    - All differences equal: the p-value is 1 / (B + 1) on the side that they are on, otherwise
      B / (B + 1); both are B / (B + 1) where they equal the null.
    - Fewer than two queries: both are B / (B + 1).
    - Beyond the pole of the correction, where 1 + a w <= 0, it is B / (B + 1). Means do not get
      there: as a lies within 1/6, w would have to be beyond 6.

    Parameters
    ----------
    differences : array of queries x columns
        One column a comparison.
    nulls : sequence of float
        For each column the mean difference to test against.
    means : array of resamples x columns
        What `resampled_means` makes of the differences.

    Returns
    -------
    greater : ndarray of float64
        For each column the p-value of H0: the mean is at most the null.
    less : ndarray of float64
        Likewise of H0: the mean is at least the null.

    Examples
    --------
    >>> from berryeval.stats import resampled_means
    >>> differences = [[0.1], [0.2], [0.0], [0.3], [0.1]]
    >>> greater, less = bca_p_values(differences, [0.0], resampled_means(differences, 999))
    >>> bool(greater[0] < 0.01), bool(less[0] > 0.99)
    (True, True)
    """
    columns = as_columns(differences, "differences")
    resampled = as_columns(means, "means")
    null = np.asarray(nulls, dtype=np.float64)
    n_columns = columns.shape[1]
    if null.shape != (n_columns,) or not np.isfinite(null).all():
        raise ArgumentError("nulls", f"one finite number a column, {n_columns}", repr(nulls))
    if resampled.shape[1] != n_columns:
        raise ArgumentError("means", f"{n_columns} columns", str(resampled.shape[1]))
    n_resamples = len(resampled)
    if len(columns) < 2:  # noqa: PLR2004 - one query has no spread
        never = np.full(n_columns, n_resamples / (n_resamples + 1))
        return never, never.copy()
    bias, acceleration = correction_of(columns, resampled)
    slack = np.maximum(slack_of(columns), slack_of(null[None, :]))
    not_above = _share_of(resampled <= null + slack)
    not_below = _share_of(resampled >= null - slack)
    return (
        _p_value(n_resamples, not_above, bias, acceleration),
        _p_value(n_resamples, not_below, -bias, -acceleration),  # the mirror image
    )


def _p_value(
    n_resamples: int,
    share: NDArray[np.float64],
    bias: NDArray[np.float64],
    acceleration: NDArray[np.float64],
) -> NDArray[np.float64]:
    w = ndtri(_within(n_resamples, share)) - bias
    pole = 1 + acceleration * w
    is_defined = pole > 0
    z = w / np.where(is_defined, pole, 1.0) - bias
    return _within(n_resamples, np.where(is_defined, ndtr(z), 1.0))


def _acceleration_of(
    distances: NDArray[np.float64], slack: NDArray[np.float64]
) -> NDArray[np.float64]:
    # Leaving a value out moves the mean by its distance divided by n - 1, which cancels; so
    # does dividing by the largest distance, which keeps tiny ones from vanishing.
    largest = np.abs(distances).max(axis=0)
    has_spread = largest > slack
    scaled = distances / np.where(has_spread, largest, 1.0)
    squares = np.where(has_spread, sums_of(scaled**2), 1.0)
    acceleration: NDArray[np.float64] = sums_of(scaled**3) / (6 * squares**1.5)
    return np.where(has_spread, acceleration, 0.0)


def _share_of(is_so: NDArray[np.bool_]) -> NDArray[np.float64]:
    by_column = np.ascontiguousarray(is_so.T)  # a column in one piece is counted quickest
    share: NDArray[np.float64] = np.count_nonzero(by_column, axis=1) / len(is_so)
    return share


def _within(n_resamples: int, share: NDArray[np.float64]) -> NDArray[np.float64]:
    """Keep a share from 0 and 1, which no number of resamples can show."""
    return np.clip(share, 1 / (n_resamples + 1), n_resamples / (n_resamples + 1))
