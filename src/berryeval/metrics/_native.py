"""The array metrics in C++: the fast twin."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import DTypeLike, NDArray

from berryeval._native import score as score_natively
from berryeval.backend import n_threads
from berryeval.kernels.discounts import log2_ranks
from berryeval.metrics._validation import (
    METRICS,
    Denominator,
    GradeArray,
    MetricResult,
    QueryDocArray,
    RelevanceArray,
)

__all__ = ["score"]

_FLOAT32 = np.dtype(np.float32)

# The shared table as an array; a view of it is made once, not for every call.
_table = np.frombuffer(log2_ranks(1))


def score(
    retrieved: QueryDocArray,
    relevant: RelevanceArray,
    grades: GradeArray | None,
    ks: tuple[int, ...],
    metrics: tuple[str, ...],
    denominator: Denominator,
    dtype: DTypeLike = _FLOAT32,
    *,
    portable: bool = False,
) -> MetricResult:
    """Return scores[metric, k, query] of validated arrays.

    `portable` uses only instructions that every processor of the platform supports.
    """
    scores = np.empty((len(metrics), len(ks), len(retrieved)), dtype)
    score_natively(
        retrieved,
        relevant,
        grades,
        ks,
        _numbers(metrics),
        denominator == "k",
        _log2_ranks(ks[-1]),
        n_threads(),
        portable,
        scores,
    )
    return scores


def _log2_ranks(n_ranks: int) -> NDArray[np.float64]:
    global _table  # noqa: PLW0603 - a view of the one table
    table = _table  # another thread may replace it
    if len(table) < n_ranks:
        table = _table = np.frombuffer(log2_ranks(n_ranks))
    return table


@cache
def _numbers(metrics: tuple[str, ...]) -> tuple[int, ...]:
    return tuple(METRICS.index(metric) for metric in metrics)
