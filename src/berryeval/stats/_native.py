"""Resampling in C++: the same bits as `berryeval.stats._python`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from berryeval import _native
from berryeval.backend import n_threads

__all__ = ["flipped_means"]

# Between two parts, each of which takes well below a second, Ctrl-C is heard.
_ADDITIONS_AT_A_TIME = 200_000_000


def flipped_means(
    values: NDArray[np.float64], seed: int, first: int, out: NDArray[np.float64]
) -> None:
    """Give each query the sign + or -, by one bit; a mean for each column."""
    size = max(n_threads(), _ADDITIONS_AT_A_TIME // values.size)
    for start in range(0, len(out), size):
        part = out[start : start + size]
        _native.flipped_means(values, seed, first + start, n_threads(), part)
