import numpy as np
from numpy.typing import NDArray

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
