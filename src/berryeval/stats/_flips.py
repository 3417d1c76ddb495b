"""Sums of rows under random signs: all of them where there are few rows, else a fixed draw."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from berryeval.stats.resampling import flipped_means

__all__ = ["farthest_sums", "flipped_sums"]

# How many sums are held at a time; 8 bytes each.
_AT_A_TIME = 2_000_000


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
