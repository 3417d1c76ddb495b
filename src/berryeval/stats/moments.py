"""Means and spreads of columns, summed in the order of the queries."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "are_equal",
    "average_ranks",
    "deviations_of",
    "means_of",
    "slack_of",
    "sums_of",
    "variances_of",
    "without_rounding",
]

# Smaller differences, relative to the largest value, are due to rounding: the same
# values added in another order, or 0.4 - 0.2 and 0.6 - 0.4.
_DIGITS = 12
_ROUNDING = 10.0**-_DIGITS


def sums_of(columns: NDArray[np.float64]) -> NDArray[np.float64]:
    """Add the rows up, one after the other."""
    sums: NDArray[np.float64] = np.add.accumulate(columns, axis=0)[-1]
    return sums


def means_of(columns: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean of each column; the mean of equal values is exactly that value."""
    means = sums_of(columns) / len(columns)
    return np.where(columns.min(axis=0) == columns.max(axis=0), columns[0], means)


def deviations_of(columns: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the standard deviation of each column of two rows or more."""
    return np.sqrt(variances_of(columns))


def variances_of(columns: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sample variance of each column of two rows or more."""
    distances = columns - means_of(columns)
    return sums_of(distances * distances) / (len(columns) - 1)


def slack_of(columns: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return, for each column, how far apart two means may be and still count as equal."""
    largest: NDArray[np.float64] = np.abs(columns).max(axis=0)
    return _ROUNDING * largest


def are_equal(values: NDArray[np.float64]) -> bool:
    """Return whether all values are equal, except for rounding."""
    return bool(values.max() - values.min() <= slack_of(values))


def without_rounding(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return values relative to the largest, with those equal that differ only by rounding."""
    largest = np.abs(values).max()
    return np.round(values / largest, _DIGITS) if largest > 0 else values


def average_ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return ranks from 1, the smallest first; equal values share the mean of theirs."""
    _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(sizes)
    shared: NDArray[np.float64] = (2 * last - sizes + 1) / 2
    return shared[group]
