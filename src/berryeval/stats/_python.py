"""Resampling in NumPy: the specification.

Word j of resample i under a seed is ``mix(key + GOLDEN * (j + 1))``, where the key is
``mix(mix(seed) + GOLDEN * (i + 1))``: the generator SplitMix64, with a stream for each resample.
So a resample depends neither on the others nor on how many there are, and any thread may make it.

A word has two halves of 32 bits, the lower one first. Half h stands for ``h * n >> 32``, a number
from 0 to before n, whose chance is off by less than n / 2**32 of itself.

Sums start at 0 and run in the order of the queries, one after the other. So both twins give the
same bits, whatever is computed side by side.

Values are queries x columns of float64, row by row. `first` is the number of the first resample;
there are as many as `out` has rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

__all__ = ["flipped_means", "permuted_ranges", "resampled_means"]

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)

# How many numbers are drawn at a time; 8 bytes each.
_AT_A_TIME = 2_000_000


def resampled_means(
    values: NDArray[np.float64], seed: int, first: int, out: NDArray[np.float64]
) -> None:
    """Draw as many queries as there are, with replacement; a mean for each column."""
    _weighted_means(values, seed, first, out, _draw_counts)


def flipped_means(
    values: NDArray[np.float64], seed: int, first: int, out: NDArray[np.float64]
) -> None:
    """Give each query the sign + or -, by one bit; a mean for each column."""
    _weighted_means(values, seed, first, out, _draw_signs)


def permuted_ranges(
    values: NDArray[np.float64], seed: int, first: int, out: NDArray[np.float64]
) -> None:
    """Shuffle the columns of each query; the largest mean minus the smallest."""
    n_queries, n_columns = values.shape
    n_draws = n_queries * (n_columns - 1)
    for part in _parts(len(out), n_draws):
        halves = _draw_halves(seed, first + part.start, part.stop - part.start, n_draws)
        everyone = np.arange(len(halves))
        sums = np.zeros((len(halves), n_columns))
        draws = iter(halves.T)
        for row in values:
            shuffled = np.tile(row, (len(halves), 1))
            for last in range(n_columns - 1, 0, -1):
                other = _below(last + 1, next(draws))
                moved = shuffled[everyone, other]
                shuffled[everyone, other] = shuffled[:, last]
                shuffled[:, last] = moved
            sums += shuffled
        out[part] = sums.max(axis=1) / n_queries - sums.min(axis=1) / n_queries


_Draw = Callable[[int, int, int, int], "NDArray[np.int64]"]


def _weighted_means(
    values: NDArray[np.float64], seed: int, first: int, out: NDArray[np.float64], draw: _Draw
) -> None:
    n_queries, n_columns = values.shape
    for part in _parts(len(out), n_queries):
        weights = draw(seed, first + part.start, part.stop - part.start, n_queries)
        sums = np.zeros((len(weights), n_columns))
        for row, of_query in zip(values, np.ascontiguousarray(weights.T), strict=True):
            sums += of_query[:, None] * row
        out[part] = sums / n_queries


def _draw_counts(seed: int, first: int, n_resamples: int, n_queries: int) -> NDArray[np.int64]:
    """Return, for each resample, how often each query is drawn."""
    drawn = _below(n_queries, _draw_halves(seed, first, n_resamples, n_queries))
    in_one_line = drawn + n_queries * np.arange(n_resamples, dtype=np.int64)[:, None]
    counts = np.bincount(in_one_line.ravel(), minlength=n_resamples * n_queries)
    return counts.reshape(n_resamples, n_queries)


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


def _draw_halves(seed: int, first: int, n_resamples: int, n_halves: int) -> NDArray[np.uint64]:
    words = _draw_words(seed, first, n_resamples, -(-n_halves // 2))
    halves = np.stack([words & _LOW, words >> _HALF], axis=-1)
    return halves.reshape(n_resamples, -1)[:, :n_halves]


def _mix(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Mix every bit into every other: the finaliser of SplitMix64."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def _below(n: int, halves: NDArray[np.uint64]) -> NDArray[np.int64]:
    return (halves * np.uint64(n) >> _HALF).astype(np.int64)


def _parts(n_resamples: int, n_draws: int) -> Iterator[slice]:
    """Split the resamples, so that memory does not grow with them."""
    size = max(1, _AT_A_TIME // max(1, n_draws))
    for start in range(0, n_resamples, size):
        yield slice(start, min(n_resamples, start + size))
