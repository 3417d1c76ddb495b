"""Rejected grades, denominators and lists of k, with the whole message."""

from functools import partial

import numpy as np
import pytest

from arrays import ids, misaligned
from berryeval import InputError, InputTypeError, metrics

RETRIEVED = ids([[1, 2, 3, 4], [5, 6, 7, 8]])
RELEVANT = ids([[1, 2, -1], [9, -1, -1]])
FLOAT64 = "dtype float64 (grades.astype(numpy.float64))"
CONTIGUOUS = "a C-contiguous array (numpy.ascontiguousarray)"
SWAPPED = np.dtype(np.float64).newbyteorder()
BAD_GRADES = {
    "list": ([[1.0] * 3] * 2, InputTypeError, "a numpy.ndarray, got list"),
    "masked": (
        np.ma.masked_equal(np.ones((2, 3)), 9),
        InputTypeError,
        "a numpy.ndarray without a mask, got a MaskedArray",
    ),
    "int32": (np.ones((2, 3), np.int32), InputError, f"{FLOAT64}, got dtype int32"),
    "float32": (np.ones((2, 3), np.float32), InputError, f"{FLOAT64}, got dtype float32"),
    "object": (np.ones((2, 3), object), InputError, f"{FLOAT64}, got dtype object"),
    "swapped": (np.ones((2, 3), SWAPPED), InputError, f"{FLOAT64}, got dtype {SWAPPED}"),
    "1-D": (np.ones(3), InputError, "a 2-D array, one row per query, got a 1-D array"),
    "columns": (np.ones((2, 2)), InputError, "the shape of relevant, (2, 3), got shape (2, 2)"),
    "rows": (np.ones((3, 3)), InputError, "the shape of relevant, (2, 3), got shape (3, 3)"),
    "Fortran": (
        np.asfortranarray(np.ones((2, 3))),
        InputError,
        f"{CONTIGUOUS}, got a Fortran-contiguous array",
    ),
    "strided": (np.ones((2, 6))[:, ::2], InputError, f"{CONTIGUOUS}, got a strided view"),
    "misaligned": (
        misaligned(np.float64),
        InputError,
        "an aligned array (make a copy), got an unaligned array",
    ),
}


@pytest.fixture(
    params=[
        partial(metrics.ndcg, RETRIEVED, RELEVANT, 1),
        partial(metrics.compute_all, RETRIEVED, RELEVANT, (1,)),
        partial(metrics.validate_score_inputs, RELEVANT),
    ],
    ids=lambda interface: interface.func.__name__,
)
def graded_function(request):
    """Return each function that accepts grades."""
    return request.param


@pytest.mark.parametrize(("grades", "error", "expected"), BAD_GRADES.values(), ids=BAD_GRADES)
def test_invalid_array_of_grades_is_rejected(graded_function, grades, error, expected):
    """B5: it must be float64 with the shape of relevant."""
    with pytest.raises(error) as raised:
        graded_function(grades=grades)
    assert str(raised.value) == f"grades: expected {expected}"


@pytest.mark.parametrize("grade", [float("nan"), float("inf"), float("-inf"), 2e290, -2e290])
def test_grades_that_are_not_finite_or_too_large_are_rejected(graded_function, grade):
    """B5: the first invalid one is named, even if its cell is padding."""
    expected = f"finite numbers of at most 1e+290, got {grade} at row 1, column 1"
    with pytest.raises(InputError) as error:
        graded_function(grades=np.array([[0, 1, 2], [3, grade, grade]]))
    assert str(error.value) == f"grades: expected {expected}"


@pytest.mark.parametrize("grade", [1e290, -1e290, 5e-324, 0.0])
def test_grades_up_to_the_limit_are_accepted(graded_function, grade):
    """B5: the limits themselves are valid."""
    graded_function(grades=np.full((2, 3), grade))


def test_grades_of_documents_must_be_an_array():
    """B3: a list instead of an ndarray is a TypeError in validate_score_inputs, too."""
    with pytest.raises(InputTypeError) as error:
        metrics.validate_score_inputs([[1, 2, 3]], np.ones((1, 3)))
    assert str(error.value) == "relevant: expected a numpy.ndarray, got list"


def test_arrays_are_checked_before_grades():
    """B3: the first error is reported."""
    with pytest.raises(InputError) as error:
        metrics.ndcg(RETRIEVED, RELEVANT, 0, grades=[[1.0]])
    assert str(error.value) == "k: expected an integer, at least 1, got 0"


@pytest.mark.parametrize(
    "interface",
    [
        partial(metrics.precision_at_k, RETRIEVED, RELEVANT, 1),
        partial(metrics.f1_at_k, RETRIEVED, RELEVANT, 1),
        partial(metrics.compute_all, RETRIEVED, RELEVANT, (1,)),
    ],
    ids=lambda interface: interface.func.__name__,
)
@pytest.mark.parametrize("denominator", ["K", "all", "", None, 5, ["k"]])
def test_unknown_denominator_is_rejected(interface, denominator):
    """D1: the message lists the two valid ones."""
    with pytest.raises(InputError) as error:
        interface(denominator=denominator)
    assert str(error.value) == f"denominator: expected 'returned' or 'k', got {denominator!r}"


@pytest.mark.parametrize(
    ("ks", "error", "message"),
    [
        ([], InputError, "ks: expected at least one k, got none"),
        (3, InputTypeError, "ks: expected an iterable of integers, got int"),
        ([1, 0], InputError, "k: expected an integer, at least 1, got 0"),
        ([1, 5], InputError, "k: expected at most 4, the columns of retrieved, got 5"),
        ([1, 2.0], InputTypeError, "k: expected an integer, at least 1, got float 2.0"),
    ],
)
def test_invalid_cutoffs_are_rejected(ks, error, message):
    """B3, M8: each k of several is checked, and at least one is required."""
    with pytest.raises(error) as raised:
        metrics.compute_all(RETRIEVED, RELEVANT, ks)
    assert str(raised.value) == message
