from array import array
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

class Plan:
    def __init__(
        self, calls: Sequence[tuple[str, dict[str, Any]]], log2_ranks: array[float]
    ) -> None: ...
    def __len__(self) -> int: ...
    def score_lists(self, grades: Sequence[float], judged: Sequence[float]) -> list[float]: ...

def score(
    retrieved: NDArray[np.int32],
    relevant: NDArray[np.int32],
    grades: NDArray[np.float64] | None,
    ks: tuple[int, ...],
    metrics: tuple[int, ...],
    divide_by_k: bool,
    log2_ranks: NDArray[np.float64],
    n_threads: int,
    portable: bool,
    out: NDArray[np.float32] | NDArray[np.float64],
) -> None: ...
def simd() -> str: ...
