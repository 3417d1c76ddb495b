"""Confidence intervals of means."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri, stdtrit

from berryeval.stats._moments import are_equal, deviations_of, means_of
from berryeval.stats._validation import as_columns, as_values, check_resampling, check_share
from berryeval.stats.bca import correction_of
from berryeval.stats.interval import Interval
from berryeval.stats.resampling import resampled_means

__all__ = ["bca_interval", "bca_intervals", "student_interval"]

_LEAST = 2  # one value has no spread


def student_interval(values: ArrayLike, level: float = 0.95) -> Interval | None:
    """Return Student's t interval of the mean.

    Parameters
    ----------
    values : sequence of float
        One finite number a query.
    level : float
        The confidence, between 0 and 1.

    Returns
    -------
    Interval or None
        None for fewer than two values. Where all are equal, both ends are this value.

    Examples
    --------
    >>> interval = student_interval([0.2, 0.4, 0.6])
    >>> round(interval.low, 4), round(interval.high, 4)
    (-0.0968, 0.8968)
    """
    found = as_values(values, "values")
    check_share("level", level)
    if len(found) < _LEAST:
        return None
    if are_equal(found):
        return Interval(float(found[0]), float(found[0]), level, "t")
    mean, deviation = float(means_of(found)), float(deviations_of(found))
    quantile = -float(stdtrit(len(found) - 1, (1 - level) / 2))
    half = quantile * deviation / math.sqrt(len(found))
    return Interval(mean - half, mean + half, level, "t")


def bca_interval(
    values: ArrayLike, level: float = 0.95, *, n_resamples: int = 10_000, seed: int = 0
) -> Interval | None:
    """Return the BCa bootstrap interval of the mean.

    Parameters
    ----------
    values : sequence of float
        One finite number a query.
    level : float
        The confidence, between 0 and 1.
    n_resamples, seed
        As those of `resampled_means`.

    Returns
    -------
    Interval or None
        None for fewer than two values. Where all are equal, both ends are this value.

    Examples
    --------
    >>> interval = bca_interval([0.0, 0.1, 0.0, 0.9, 0.2, 0.0])
    >>> 0.0 < interval.low < 0.2 < interval.high < 0.7
    True
    """
    found = as_values(values, "values")
    return bca_intervals(found[:, None], level, n_resamples, seed)[0]


def bca_intervals(
    values: ArrayLike, level: float = 0.95, n_resamples: int = 10_000, seed: int = 0
) -> list[Interval | None]:
    """Return the BCa bootstrap interval of each column's mean; one draw serves all columns.

    Parameters
    ----------
    values : array of queries x columns
        Finite numbers.
    level, n_resamples, seed
        As those of `bca_interval`.

    Returns
    -------
    list of Interval or None
        What `bca_interval` gives for each column.
    """
    columns = as_columns(values, least=0)
    check_share("level", level)
    check_resampling(n_resamples, seed)
    if len(columns) < _LEAST:
        return [None] * columns.shape[1]
    means = resampled_means(columns, n_resamples, seed)
    bias, acceleration = correction_of(columns, means)
    means.sort(axis=0)
    tail = float(ndtri((1 - level) / 2))
    low = _ends(means, _corrected(tail, bias, acceleration))
    high = _ends(means, _corrected(-tail, bias, acceleration))
    is_flat = columns.min(axis=0) == columns.max(axis=0)
    low, high = np.where(is_flat, columns[0], low), np.where(is_flat, columns[0], high)
    return [Interval(*ends, level, "bca") for ends in zip(low.tolist(), high.tolist(), strict=True)]


def _corrected(
    tail: float, bias: NDArray[np.float64], acceleration: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return which share of the resampled means lies below an end."""
    distance = bias + tail
    pole = 1 - acceleration * distance
    is_defined = pole > 0
    shares = ndtr(bias + distance / np.where(is_defined, pole, 1.0))
    outermost = 0.0 if tail < 0 else 1.0
    return np.where(is_defined, shares, outermost)


def _ends(ordered: NDArray[np.float64], shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the quantile of each column, between two means in proportion."""
    place = shares * (len(ordered) - 1)
    before = np.floor(place).astype(np.int64)
    after = np.minimum(before + 1, len(ordered) - 1)
    column = np.arange(ordered.shape[1])
    start, end = ordered[before, column], ordered[after, column]
    return start + (place - before) * (end - start)
