from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Columns: TypeAlias = tuple[bytes, memoryview, memoryview, bytes, memoryview, memoryview]

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
def group(
    rows: list[tuple[bytes, bytes, float]], keep_best: bool
) -> tuple[Columns, int | None]: ...
def arrow_names(stream: object) -> list[str]: ...
def arrow_group(
    stream: object, places: tuple[int, int, int], most: float, keep_best: bool, n_expected: int
) -> tuple[Columns | None, tuple[str, int, int, object] | None]: ...
