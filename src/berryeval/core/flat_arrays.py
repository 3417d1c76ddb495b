"""Relevance and scores as arrays, as scikit-learn, torchmetrics and LightGBM have them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from berryeval.core.grade import MAX_GRADE
from berryeval.core.grouped import Grouping
from berryeval.core.id_column import as_id, encode_id
from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.errors import ArgumentError

__all__ = ["read_arrays"]

_DIMENSIONS = 2


def read_arrays(
    y_true: ArrayLike,
    y_score: ArrayLike,
    query_ids: ArrayLike | None = None,
    group_sizes: Iterable[int] | None = None,
) -> tuple[Judgments, Run]:
    """Return the judgments and the run that two arrays hold.

    Parameters
    ----------
    y_true, y_score : array_like
        The grade and the score of each document, either flat, or with one row per query.
    query_ids : array_like, optional
        The query of each document, in any order; for flat arrays.
    group_sizes : iterable of int, optional
        How many documents each query has, one query after the other; for flat arrays. Queries
        are then called 0, 1, and so on, as the rows of a table are.

    Notes
    -----
    Among documents with equal scores, the one that comes first ranks first.
    """
    grades, scores = _numbers("y_true", y_true), _numbers("y_score", y_score)
    if grades.shape != scores.shape:
        raise ArgumentError("y_score", f"the shape of y_true, {grades.shape}", str(scores.shape))
    if (np.abs(grades) > MAX_GRADE).any():
        raise ArgumentError("y_true", f"grades of at most {MAX_GRADE:g}", f"{grades.max():g}")
    names = _queries(grades.shape, query_ids, group_sizes)
    judged, retrieved = Grouping(), Grouping()
    remaining = dict.fromkeys(names, 0)
    for name in names:
        remaining[name] += 1
    rows = zip(names, grades.ravel().tolist(), scores.ravel().tolist(), strict=True)
    for name, grade, score in rows:
        remaining[name] -= 1
        # Ties break by descending id, so the first has the highest number.
        doc_id = b"%012d" % remaining[name]
        judged.add(name, doc_id, grade)
        retrieved.add(name, doc_id, score)
    return Judgments.collect(judged), Run.collect(retrieved)


def _numbers(argument: str, values: ArrayLike) -> NDArray[np.float64]:
    try:
        numbers = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ArgumentError(argument, "an array of numbers", type(values).__name__) from None
    if numbers.ndim not in (1, _DIMENSIONS):
        raise ArgumentError(argument, "one or two dimensions", str(numbers.ndim))
    if not np.isfinite(numbers).all():
        raise ArgumentError(argument, "finite numbers", "NaN or infinity")
    return numbers


def _queries(
    shape: tuple[int, ...], query_ids: ArrayLike | None, group_sizes: Iterable[int] | None
) -> list[bytes]:
    """Return the query of each document."""
    if query_ids is not None and group_sizes is not None:
        raise ArgumentError("group_sizes", "either query_ids or group_sizes", "both")
    if len(shape) == _DIMENSIONS:
        if query_ids is not None and np.size(query_ids) == shape[0]:
            return _repeated(np.ravel(query_ids).tolist(), [shape[1]] * shape[0])
        if query_ids is None and group_sizes is None:
            return _repeated(range(shape[0]), [shape[1]] * shape[0])
    if group_sizes is not None:
        sizes = [int(size) for size in group_sizes]
        found = _repeated(range(len(sizes)), sizes)
        if min(sizes, default=0) < 0 or len(found) != math.prod(shape):
            total = f"sizes that add up to {math.prod(shape)}, the number of documents"
            raise ArgumentError("group_sizes", total, str(len(found)))
        return found
    if query_ids is None:
        raise ArgumentError(
            "query_ids", "the query of each document (or group_sizes, or one row per query)", "none"
        )
    given = np.asarray(query_ids)
    if given.shape != shape:
        raise ArgumentError("query_ids", f"the shape of y_true, {shape}", str(given.shape))
    return _repeated(given.ravel().tolist(), [1] * given.size)


def _repeated(names: Iterable[Any], sizes: Iterable[int]) -> list[bytes]:
    return [
        encoded
        for name, size in zip(names, sizes, strict=True)
        for encoded in [encode_id(as_id(name, "query_ids: an id"))] * size
    ]
