"""Resampling in C++: the same bits as `berryeval.stats._python`."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from berryeval import _native
from berryeval.backend import n_threads

__all__ = ["flipped_means", "permuted_ranges", "resampled_means"]

# Between two parts, each of which takes well below a second, Ctrl-C is heard.
_ADDITIONS_AT_A_TIME = 200_000_000

_Fill = Callable[["NDArray[np.float64]", int, int, int, "NDArray[np.float64]"], None]


def resampled_means(
    values: NDArray[np.float64], seed: int, first: int, out: NDArray[np.float64]
) -> None:
    """Draw as many queries as there are, with replacement; a mean for each column."""
    _fill_in_parts(_native.resampled_means, values, seed, first, out)


def flipped_means(
    values: NDArray[np.float64], seed: int, first: int, out: NDArray[np.float64]
) -> None:
    """Give each query the sign + or -, by one bit; a mean for each column."""
    _fill_in_parts(_native.flipped_means, values, seed, first, out)


def permuted_ranges(
    values: NDArray[np.float64], seed: int, first: int, out: NDArray[np.float64]
) -> None:
    """Shuffle the columns of each query; the largest mean minus the smallest."""
    _fill_in_parts(_native.permuted_ranges, values, seed, first, out)


def _fill_in_parts(
    fill: _Fill, values: NDArray[np.float64], seed: int, first: int, out: NDArray[np.float64]
) -> None:
    size = max(n_threads(), _ADDITIONS_AT_A_TIME // values.size)
    for start in range(0, len(out), size):
        fill(values, seed, first + start, n_threads(), out[start : start + size])
