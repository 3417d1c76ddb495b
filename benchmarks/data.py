"""What is measured with: random ids, half of the relevant ones retrieved; random differences."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Arrays(NamedTuple):
    """Arguments of the array metrics."""

    retrieved: NDArray[np.int32]
    relevant: NDArray[np.int32]


def make_arrays(n_queries: int, n_retrieved: int, n_relevant: int, seed: int = 42) -> Arrays:
    """Draw ids from 1 to 100,000; every second relevant one stands at a random rank."""
    rng = np.random.default_rng(seed)
    retrieved = rng.integers(1, 100_001, size=(n_queries, n_retrieved), dtype=np.int32)
    relevant = rng.integers(1, 100_001, size=(n_queries, n_relevant), dtype=np.int32)
    half = n_relevant // 2
    ranks = rng.integers(0, n_retrieved, size=(n_queries, half))
    relevant[:, :half] = np.take_along_axis(retrieved, ranks, axis=1)
    return Arrays(retrieved, relevant)


def make_differences(
    n_queries: int = 6980, n_columns: int = 12, seed: int = 42
) -> NDArray[np.float64]:
    """Draw differences between scores, a column for each measure and system; most are 0."""
    rng = np.random.default_rng(seed)
    changed = rng.random((n_queries, n_columns)) < 0.3
    return np.where(changed, rng.normal(0.01, 0.2, (n_queries, n_columns)), 0.0)
