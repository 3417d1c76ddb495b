"""Resamples of paired scores: rows with random signs.

The same arguments give the same bits on any machine, with any number of threads, and from either
twin: `_python` is the specification, the extension the fast one. Resample i is the same whether
100 or 10,000 are drawn.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from berryeval.backend import backend, n_threads
from berryeval.stats import _python
from berryeval.stats.validation import as_columns, check_resampling

__all__ = ["farthest_sums", "flipped_means", "flipped_sums"]

# Ctrl-C takes effect between two parts, each of which takes well below a second.
_ADDITIONS_AT_A_TIME = 200_000_000

# Number of sums in memory at a time; 8 bytes each.
_AT_A_TIME = 2_000_000


def _flip_natively(
    values: NDArray[np.float64], seed: int, first: int, out: NDArray[np.float64]
) -> None:
    from berryeval import _native

    size = max(n_threads(), _ADDITIONS_AT_A_TIME // values.size)
    for start in range(0, len(out), size):
        part = out[start : start + size]
        _native.flipped_means(values, seed, first + start, n_threads(), part)


_flip = _python.flipped_means if backend().name == "python" else _flip_natively


def flipped_means(
    differences: ArrayLike, n_resamples: int = 10_000, seed: int = 0
) -> NDArray[np.float64]:
    """Return resamples x columns: means of differences with random signs, for paired randomisation.

    If the two systems are equally good, chance decides which of them got which score, and so the
    sign of a query's difference. A sign is drawn once for all columns. Raises `InputError` or
    `InputTypeError` for no query or column, for NaN or infinity, and for numbers out of range.

    Examples
    --------
    >>> flipped_means([[1.0, 5.0], [2.0, 7.0], [3.0, 9.0]], n_resamples=2, seed=5)
    array([[ 2.,  7.],
           [ 0., -1.]])
    """
    columns = as_columns(differences, "differences")
    check_resampling(n_resamples, seed)
    out = np.empty((n_resamples, columns.shape[1]))
    _flip(columns, seed, 0, out)
    return out


def flipped_sums(rows: NDArray[np.float64], n_flips: int, seed: int) -> NDArray[np.float64]:
    """Return flips x columns: the sums of the rows, each row with the sign + or -.

    If there are no more than `n_flips` ways to choose the signs, each is taken once.
    """
    if 2 ** min(len(rows), 63) > n_flips:
        return flipped_means(rows, n_flips, seed) * len(rows)
    ways = np.arange(2 ** len(rows))
    sums = np.zeros((len(ways), rows.shape[1]))
    for bit, row in enumerate(rows):
        sums += (1 - 2 * (ways >> bit & 1))[:, None] * row
    return sums


def farthest_sums(rows: NDArray[np.float64], n_flips: int, seed: int) -> NDArray[np.float64]:
    """Return the largest sum of each flip, over all columns."""
    n_columns = rows.shape[1]
    size = max(1, _AT_A_TIME // n_flips)
    blocks = (rows[:, start : start + size] for start in range(0, n_columns, size))
    largest: NDArray[np.float64] = np.maximum.reduce(
        [flipped_sums(np.ascontiguousarray(block), n_flips, seed).max(axis=1) for block in blocks]
    )
    return largest
