"""All subsets of a few holes at once: subset i has hole j if bit j of i is set."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

__all__ = ["MOST_TRIED", "membership"]

MOST_TRIED = 14
"""The most holes whose subsets are tried out: there are 16,384."""


@lru_cache(maxsize=MOST_TRIED + 1)
def membership(n_holes: int) -> NDArray[np.float64]:
    """Return a row a hole and a column a subset: 1 where the subset has the hole."""
    subsets = np.arange(2**n_holes)
    return (subsets >> np.arange(n_holes)[:, None] & 1).astype(np.float64)
