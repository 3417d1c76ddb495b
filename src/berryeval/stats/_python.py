"""Resampling in NumPy: the specification.

Word j of resample i under a seed is ``mix(key + GOLDEN * (j + 1))``, where the key is
``mix(mix(seed) + GOLDEN * (i + 1))``: the generator SplitMix64, with a stream for each resample.
So a resample depends neither on the others nor on their number, and any thread can compute it.

A word has the signs of 64 queries, the lowest bit first: 0 means +, 1 means -.

Sums start at 0 and run in the order of the queries. So both twins give the same bits, whatever is
computed in parallel.

Values are queries x columns of float64, row by row. `first` is the number of the first resample;
there are as many as `out` has rows.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

__all__ = ["flipped_means"]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)

# Number of signs drawn at a time; 8 bytes each.
_AT_A_TIME = 2_000_000


def flipped_means(
    values: NDArray[np.float64], seed: int, first: int, out: NDArray[np.float64]
) -> None:
    """Write the mean of each column, with a random sign per query, for each resample."""
    n_queries, n_columns = values.shape
    for part in _parts(len(out), n_queries):
        signs = _draw_signs(seed, first + part.start, part.stop - part.start, n_queries)
        sums = np.zeros((len(signs), n_columns))
        for row, of_query in zip(values, np.ascontiguousarray(signs.T), strict=True):
            sums += of_query[:, None] * row
        out[part] = sums / n_queries


def _draw_signs(seed: int, first: int, n_resamples: int, n_queries: int) -> NDArray[np.int64]:
    """Return, for each resample, 1 or -1 for each query."""
    words = _draw_words(seed, first, n_resamples, -(-n_queries // 64))
    bits = words[:, :, None] >> np.arange(64, dtype=np.uint64) & np.uint64(1)
    signs: NDArray[np.int64] = 1 - 2 * bits.reshape(n_resamples, -1)[:, :n_queries].astype(np.int64)
    return signs


def _draw_words(seed: int, first: int, n_resamples: int, n_words: int) -> NDArray[np.uint64]:
    resamples = np.arange(first + 1, first + 1 + n_resamples, dtype=np.uint64)
    keys = _mix(_mix(np.array([seed], dtype=np.uint64)) + _GOLDEN * resamples)
    return _mix(keys[:, None] + _GOLDEN * np.arange(1, n_words + 1, dtype=np.uint64))


def _mix(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Mix every bit into every other: the finaliser of SplitMix64."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def _parts(n_resamples: int, n_queries: int) -> Iterator[slice]:
    """Split the resamples, so that memory does not grow with them."""
    size = max(1, _AT_A_TIME // n_queries)
    for start in range(0, n_resamples, size):
        yield slice(start, min(n_resamples, start + size))
