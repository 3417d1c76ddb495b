"""Types and checks of the arguments of the array metrics. The code behind them trusts both."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from berryeval.core.cutoff import DEFAULT_KS, check_k, check_ks
from berryeval.core.grade import MAX_GRADE
from berryeval.errors import ArgumentError, InputTypeError

__all__ = [
    "METRICS",
    "PADDING_ID",
    "Denominator",
    "GradeArray",
    "MetricResult",
    "QueryDocArray",
    "RelevanceArray",
    "validate_cutoffs",
    "validate_denominator",
    "validate_inputs",
    "validate_score_inputs",
]

PADDING_ID: Final[int] = -1
"""The id of cells without a document."""

QueryDocArray: TypeAlias = NDArray[np.int32]
"""Retrieved ids: one row per query, best first, padded with PADDING_ID."""

RelevanceArray: TypeAlias = NDArray[np.int32]
"""Relevant ids: one row per query, in any order, padded with PADDING_ID."""

GradeArray: TypeAlias = NDArray[np.float64]
"""The grade of each cell of a RelevanceArray."""

MetricResult: TypeAlias = NDArray[np.float32]
"""One value per query."""

Denominator: TypeAlias = Literal["returned", "k"]
"""The divisor of precision: the documents returned in the first k cells, or k itself."""

METRICS = ("recall", "precision", "f1", "hit_rate", "mrr", "ndcg", "average_precision")
"""The metrics, in the order of native/arrays/score.hpp."""


_INT32 = np.dtype(np.int32)
_FLOAT64 = np.dtype(np.float64)
_DENOMINATORS = get_args(Denominator)

MAX_COLUMNS = 2**30
"""Ranks are kept in 32 bits."""


def validate_inputs(retrieved: QueryDocArray, relevant: RelevanceArray, k: int) -> None:
    """Raise unless the arrays and k are valid.

    Parameters
    ----------
    retrieved, relevant : ndarray
        int32 in native byte order, two-dimensional, C-contiguous, with the same number of rows.
        The columns may differ in number.
    k : int
        At least 1, at most the number of columns of `retrieved`.

    Raises
    ------
    InputTypeError
        (a TypeError) if an argument is not an ndarray, or k is not an integer.
    InputError
        (a ValueError) for a wrong dtype, number of dimensions, memory layout, k or row count.
    """
    _check_array("retrieved", retrieved, _INT32)
    _check_array("relevant", relevant, _INT32)
    _check_k_fits(check_k(k), retrieved)
    _check_rows(retrieved, relevant)


def validate_cutoffs(
    retrieved: QueryDocArray, relevant: RelevanceArray, ks: Iterable[int] | None
) -> tuple[int, ...]:
    """Check as `validate_inputs` does, for several k; return them in ascending order.

    None means the default ones, up to the number of columns.
    """
    _check_array("retrieved", retrieved, _INT32)
    _check_array("relevant", relevant, _INT32)
    if ks is None:
        ks = [k for k in DEFAULT_KS if k <= retrieved.shape[1]] or [1]
    checked = check_ks(ks)
    _check_k_fits(checked[-1], retrieved)
    _check_rows(retrieved, relevant)
    return checked


def validate_score_inputs(relevant: RelevanceArray, grades: GradeArray) -> None:
    """Raise unless `grades` is a finite float64 array of the same shape as `relevant`.

    Grades of padding cells are ignored, but must be finite.

    Raises
    ------
    InputTypeError
        (a TypeError) if `grades` is not an ndarray.
    InputError
        (a ValueError) for a wrong dtype, shape or memory layout, and for grades that are NaN,
        infinite or above 1e290, where sums would overflow.
    """
    _check_array("relevant", relevant, _INT32)
    _check_array("grades", grades, _FLOAT64)
    if grades.shape != relevant.shape:
        raise ArgumentError(
            "grades", f"the shape of relevant, {relevant.shape}", f"shape {grades.shape}"
        )
    # One pass and no copy: NaN fails the comparison, infinity exceeds it.
    if grades.size and not (grades.max() <= MAX_GRADE and grades.min() >= -MAX_GRADE):
        usable = np.abs(grades) <= MAX_GRADE
        row, column = np.argwhere(~usable)[0]
        raise ArgumentError(
            "grades",
            f"finite numbers of at most {MAX_GRADE:g}",
            f"{grades[row, column]} at row {row}, column {column}",
        )


def validate_denominator(denominator: object) -> None:
    """Raise unless `denominator` is a valid choice."""
    if not isinstance(denominator, str) or denominator not in _DENOMINATORS:
        choices = " or ".join(repr(choice) for choice in _DENOMINATORS)
        raise ArgumentError("denominator", choices, repr(denominator))


def _check_array(name: str, array: object, dtype: np.dtype[np.generic]) -> None:
    if not isinstance(array, np.ndarray):
        raise InputTypeError(name, "a numpy.ndarray", _type_name(array))
    if type(array) is not np.ndarray and isinstance(array, np.ma.MaskedArray):
        raise InputTypeError(name, "a numpy.ndarray without a mask", "a MaskedArray")
    if array.dtype != dtype:
        way_out = f"{name}.astype(numpy.{dtype})"
        raise ArgumentError(name, f"dtype {dtype} ({way_out})", f"dtype {array.dtype}")
    if array.ndim != 2:  # noqa: PLR2004 - one row per query
        raise ArgumentError(name, "a 2-D array, one row per query", f"a {array.ndim}-D array")
    if array.shape[1] > MAX_COLUMNS:
        raise ArgumentError(name, f"at most {MAX_COLUMNS} columns", f"{array.shape[1]}")
    flags = array.flags
    if not flags.c_contiguous:
        raise ArgumentError(name, "a C-contiguous array (numpy.ascontiguousarray)", _layout(array))
    if not flags.aligned:
        raise ArgumentError(name, "an aligned array (make a copy)", "an unaligned array")


def _check_k_fits(k: int, retrieved: QueryDocArray) -> None:
    columns = retrieved.shape[1]
    if k > columns:
        raise ArgumentError("k", f"at most {columns}, the columns of retrieved", str(k))


def _check_rows(retrieved: QueryDocArray, relevant: RelevanceArray) -> None:
    if retrieved.shape[0] != relevant.shape[0]:
        raise ArgumentError(
            "relevant", f"{len(retrieved)} rows, as many as retrieved", f"{len(relevant)} rows"
        )


def _type_name(value: object) -> str:
    return "None" if value is None else type(value).__name__


def _layout(array: np.ndarray[tuple[int, ...], np.dtype[np.generic]]) -> str:
    return "a Fortran-contiguous array" if array.flags.f_contiguous else "a strided view"
