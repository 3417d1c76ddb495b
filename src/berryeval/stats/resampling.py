"""Resamples of paired scores: differences with random signs.

The same arguments give the same bits on any machine, with any number of threads, and from either
twin. Resample i is the same whether 100 or 10,000 are asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from berryeval.backend import backend
from berryeval.stats.validation import as_columns, check_resampling

if TYPE_CHECKING or backend().name == "python":
    from berryeval.stats import _python as _twin
else:
    from berryeval.stats import _native as _twin

__all__ = ["flipped_means"]


def flipped_means(
    differences: ArrayLike, n_resamples: int = 10_000, seed: int = 0
) -> NDArray[np.float64]:
    """Return the means of differences with random signs: the paired randomisation.

    If the two systems are the same, which of them had which score is chance, and so is the sign
    of a query's difference. A sign is drawn once for all columns.

    Parameters
    ----------
    differences : array of queries x columns
        Finite numbers; one column per measure, system or slice.
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
    >>> flipped_means([[1.0, 5.0], [2.0, 7.0], [3.0, 9.0]], n_resamples=2, seed=5)
    array([[ 2.,  7.],
           [ 0., -1.]])
    """
    columns = as_columns(differences, "differences")
    check_resampling(n_resamples, seed)
    out = np.empty((n_resamples, columns.shape[1]))
    _twin.flipped_means(columns, seed, 0, out)
    return out
