"""Resamples of paired scores: bootstrap, sign flips, permutations.

The same arguments give the same bits on any machine, with any number of threads, and from either
twin. Resample i is the same whether 100 or 10,000 are asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from berryeval.backend import backend
from berryeval.stats._validation import as_columns, check_resampling

if TYPE_CHECKING or backend().name == "python":
    from berryeval.stats import _python as _twin
else:
    from berryeval.stats import _native as _twin

__all__ = ["flipped_means", "permuted_ranges", "resampled_means"]


def resampled_means(
    values: ArrayLike, n_resamples: int = 10_000, seed: int = 0
) -> NDArray[np.float64]:
    """Return the means of resampled queries: the bootstrap.

    Each resample draws as many queries as there are, with replacement, once for all columns: what
    is paired stays paired.

    Parameters
    ----------
    values : array of queries x columns
        Finite numbers; a column for each measure, system or difference.
    n_resamples : int
        How many resamples, at least 1.
    seed : int
        From 0 to 2**64 - 1. Other seeds give other resamples.

    Returns
    -------
    ndarray of float64, resamples x columns

    Raises
    ------
    InputError, InputTypeError
        For no query or no column, NaN or infinity, and numbers out of range.

    Examples
    --------
    >>> resampled_means([[0.0, 5.0], [1.0, 6.0], [2.0, 7.0], [3.0, 8.0]], n_resamples=2)
    array([[2., 7.],
           [1., 6.]])
    """
    columns = as_columns(values)
    check_resampling(n_resamples, seed)
    out = np.empty((n_resamples, columns.shape[1]))
    _twin.resampled_means(columns, seed, 0, out)
    return out


def flipped_means(
    differences: ArrayLike, n_resamples: int = 10_000, seed: int = 0
) -> NDArray[np.float64]:
    """Return the means of differences with random signs: the paired randomisation.

    If the two systems are the same, which of them had which score is chance, and so is the sign
    of a query's difference. A sign is drawn once for all columns.

    Parameters
    ----------
    differences, n_resamples, seed
        As the values of `resampled_means`.

    Returns
    -------
    ndarray of float64, resamples x columns
    """
    columns = as_columns(differences, "differences")
    check_resampling(n_resamples, seed)
    out = np.empty((n_resamples, columns.shape[1]))
    _twin.flipped_means(columns, seed, 0, out)
    return out


def permuted_ranges(
    values: ArrayLike, n_resamples: int = 10_000, seed: int = 0
) -> NDArray[np.float64]:
    """Return ranges of means when the systems swap their scores: for randomised Tukey HSD.

    In each query the scores are dealt out to the systems anew; the largest of the systems' means
    minus the smallest is what the best and the worst would differ by if all were the same.

    Parameters
    ----------
    values, n_resamples, seed
        As those of `resampled_means`; a column is a system.

    Returns
    -------
    ndarray of float64
        One range a resample; 0 for one system.
    """
    columns = as_columns(values)
    check_resampling(n_resamples, seed)
    out = np.empty(n_resamples)
    _twin.permuted_ranges(columns, seed, 0, out)
    return out
