from array import array
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Columns: TypeAlias = tuple[bytes, memoryview, memoryview, bytes, memoryview, memoryview]

class Plan:
    def __init__(
        self, calls: Sequence[tuple[str, dict[str, Any]]], log2_ranks: array[float]
    ) -> None: ...
    def __len__(self) -> int: ...
    def score_lists(
        self, grades: Sequence[float], judged: Sequence[float], lengths: Sequence[float] = ...
    ) -> list[float]: ...

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

_Ids: TypeAlias = array[int]
_Values: TypeAlias = array[float]

class Pools:
    def __init__(
        self,
        query_data: bytes,
        query_offsets: _Ids,
        starts: _Ids,
        doc_data: bytes,
        doc_offsets: _Ids,
        values: _Values,
        n_threads: int,
    ) -> None: ...
    def order(self) -> bytes: ...
    def lacks_relevant(self) -> bytes: ...

class Intents:
    def __init__(
        self,
        pools: Pools,
        weight_starts: _Ids,
        weights: _Values,
        part_starts: _Ids,
        intents: _Ids,
        grades: _Values,
    ) -> None: ...

class Lengths:
    def __init__(self, doc_data: bytes, doc_offsets: _Ids, lengths: _Values) -> None: ...

class Strata:
    def __init__(self, pools: Pools, n_strata: _Ids, of_rows: _Ids) -> None: ...

class Board:
    def __init__(
        self,
        pools: Pools,
        plan: Plan,
        keep_best: bool,
        most: int | None = None,
        judged_only: bool = False,
        n_grades: int = 0,
        portable: bool = False,
        intents: Intents | None = None,
        strata: Strata | None = None,
        lengths: Lengths | None = None,
    ) -> None: ...
    def relstrings(self, length: int) -> list[bytes]: ...
    def score_file(
        self,
        file: int,
        size: int,
        n_threads: int,
        like_trec_eval: bool = False,
        sizes: tuple[int, int, int] | None = None,
    ) -> bool: ...
    def feed(self, piece: bytes) -> bool: ...
    def finish_feeding(self) -> bool: ...
    def score_columns(
        self,
        query_data: bytes,
        query_offsets: _Ids,
        starts: _Ids,
        doc_data: bytes,
        doc_offsets: _Ids,
        values: _Values,
        n_threads: int,
    ) -> None: ...
    def score_dict(self, run: dict[str, Any], n_threads: int) -> bool: ...
    def score_arrow(self, stream: object, places: tuple[int, int, int], n_threads: int) -> bool: ...
    def results(self, n_shown: int) -> tuple[bytes, bytes, int, list[bytes]]: ...

class TextReader:
    def __init__(self, is_run: bool, like_trec_eval: bool = False) -> None: ...
    def feed(self, piece: bytes) -> bool: ...
    def finish(self) -> bool: ...
    def wrong_line(self) -> tuple[int, bytes] | None: ...
    def first_duplicate(self) -> tuple[int, bytes, bytes] | None: ...
    def has_plain_labels(self) -> bool: ...
    def take_columns(self, keep_best: bool) -> Columns: ...

def fuse(
    runs: list[tuple[_Ids, bytes, _Ids, _Values]],
    places: array[int],
    norm: int,
    values: int,
    combination: int,
    weights: _Values,
    tables: list[_Values],
    factors: _Values,
    window: int,
    absent: float,
    depth: int | None,
    n_threads: int,
) -> tuple[tuple[memoryview, bytes, memoryview, memoryview] | None, tuple[int, int] | None]: ...
def group_dict(data: dict[str, Any], most: float) -> Columns | None: ...
def add_up(numbers: array[float]) -> float: ...
def print_rows(
    query_ids: list[bytes],
    columns: list[tuple[bytes, array[float] | list[bytes], bool]],
) -> bytes: ...
def parse_number(text: bytes) -> float | None: ...
def arrow_names(stream: object) -> list[str]: ...
def arrow_group(
    stream: object, places: tuple[int, int, int], most: float, keep_best: bool, n_expected: int
) -> tuple[Columns | None, tuple[str, int, int, object] | None]: ...
def flipped_means(
    values: NDArray[np.float64],
    seed: int,
    first: int,
    n_threads: int,
    out: NDArray[np.float64],
) -> None: ...
def nearest_tokens(
    similar: NDArray[np.float32],
    tokens: NDArray[np.uint16],
    ends: NDArray[np.int64],
    out: NDArray[np.float32],
) -> None: ...
