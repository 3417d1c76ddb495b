"""The logarithms that ranks are discounted by: one table for both twins.

``log2`` may differ in its last bit from one C library to the next. So it is called only here, and
its results are passed to the native twin.
"""

from __future__ import annotations

import math
from array import array

__all__ = ["log2_ranks"]

_table = array("d")


def log2_ranks(n_ranks: int) -> array[float]:
    """Return log2(rank + 1) for rank 1, 2, … up to `n_ranks` or further.

    The table is shared: do not write to it. A longer one replaces it when it is needed, so a
    caller in another thread keeps the one it has.
    """
    global _table  # noqa: PLW0603 - one table for the process
    table = _table
    if len(table) < n_ranks:
        size = max(n_ranks, 2 * len(table), 128)
        table = array("d", (math.log2(rank + 1) for rank in range(1, size + 1)))
        if len(table) > len(_table):  # another thread may have made a longer one
            _table = table
    return table
