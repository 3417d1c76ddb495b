"""Rejected arrays of ids and cutoffs, with the whole message."""

import numpy as np
import pytest

from arrays import ids, misaligned
from berryeval import BerryEvalError, InputError, InputTypeError, metrics

METRICS = [
    metrics.recall_at_k,
    metrics.precision_at_k,
    metrics.f1_at_k,
    metrics.hit_rate,
    metrics.mrr,
    metrics.ndcg,
    metrics.average_precision,
]
INTERFACES = [
    *METRICS,
    metrics.validate_inputs,
    lambda *args: metrics.compute_all(*args[:2], args[2:]),
]

every_interface = pytest.mark.parametrize(
    "interface",
    INTERFACES,
    ids=[*(metric.__name__ for metric in METRICS), "validate_inputs", "compute_all"],
)


def ids_of(dtype):
    """Return two rows of three ids in another dtype."""
    return np.ones((2, 3), dtype=dtype)


SWAPPED = np.dtype(np.int32).newbyteorder()
INT32 = "dtype int32 ({argument}.astype(numpy.int32))"
TWO_D = "a 2-D array, one row per query"
CONTIGUOUS = "a C-contiguous array (numpy.ascontiguousarray)"
BAD_ARRAYS = {
    "list": ([[1, 2, 3]], InputTypeError, "a numpy.ndarray, got list"),
    "None": (None, InputTypeError, "a numpy.ndarray, got None"),
    "str": ("123", InputTypeError, "a numpy.ndarray, got str"),
    "masked": (
        np.ma.masked_equal(ids_of(np.int32), 9),
        InputTypeError,
        "a numpy.ndarray without a mask, got a MaskedArray",
    ),
    "int64": (ids_of(np.int64), InputError, f"{INT32}, got dtype int64"),
    "uint32": (ids_of(np.uint32), InputError, f"{INT32}, got dtype uint32"),
    "float64": (ids_of(np.float64), InputError, f"{INT32}, got dtype float64"),
    "bool": (ids_of(np.bool_), InputError, f"{INT32}, got dtype bool"),
    "object": (ids_of(object), InputError, f"{INT32}, got dtype object"),
    "swapped": (ids_of(SWAPPED), InputError, f"{INT32}, got dtype {SWAPPED}"),
    "0-D": (np.array(1, np.int32), InputError, f"{TWO_D}, got a 0-D array"),
    "1-D": (ids([1, 2, 3]), InputError, f"{TWO_D}, got a 1-D array"),
    "3-D": (ids([[[1, 2, 3]]]), InputError, f"{TWO_D}, got a 3-D array"),
    "too wide": (
        np.zeros((0, 2**30 + 1), np.int32),
        InputError,
        "at most 1073741824 columns, got 1073741825",
    ),
    "Fortran": (
        np.asfortranarray(ids_of(np.int32)),
        InputError,
        f"{CONTIGUOUS}, got a Fortran-contiguous array",
    ),
    "strided": (ids([range(6)] * 2)[:, ::2], InputError, f"{CONTIGUOUS}, got a strided view"),
    "misaligned": (
        misaligned(np.int32),
        InputError,
        "an aligned array (make a copy), got an unaligned array",
    ),
}


@every_interface
@pytest.mark.parametrize("argument", ["retrieved", "relevant"])
@pytest.mark.parametrize(("array", "error", "expected"), BAD_ARRAYS.values(), ids=BAD_ARRAYS)
def test_invalid_array_is_rejected_by_name(interface, argument, array, error, expected):
    """B3: the message names the argument, what was expected and what was found."""
    good = ids_of(np.int32)
    arrays = (array, good) if argument == "retrieved" else (good, array)
    with pytest.raises(error) as raised:
        interface(*arrays, 1)
    assert str(raised.value) == f"{argument}: expected {expected.format(argument=argument)}"


@pytest.mark.parametrize(
    ("error", "builtin"), [(InputError, ValueError), (InputTypeError, TypeError)]
)
def test_errors_have_the_usual_python_classes(error, builtin):
    """B3: both except ValueError and except BerryEvalError work."""
    assert issubclass(error, builtin)
    assert issubclass(error, BerryEvalError)


@every_interface
@pytest.mark.parametrize(
    ("k", "error", "expected"),
    [
        (0, InputError, "an integer, at least 1, got 0"),
        (-1, InputError, "an integer, at least 1, got -1"),
        (4, InputError, "at most 3, the columns of retrieved, got 4"),
        (2**70, InputError, f"at most 3, the columns of retrieved, got {2**70}"),
        (2.0, InputTypeError, "an integer, at least 1, got float 2.0"),
        (True, InputTypeError, "an integer, at least 1, got bool True"),
        (None, InputTypeError, "an integer, at least 1, got None"),
        ("2", InputTypeError, "an integer, at least 1, got str '2'"),
    ],
)
def test_invalid_k_is_rejected(interface, k, error, expected):
    """B3, M10: k is an integer from 1 to the number of columns of retrieved."""
    with pytest.raises(error) as raised:
        interface(ids_of(np.int32), ids_of(np.int32), k)
    assert str(raised.value) == f"k: expected {expected}"


@every_interface
def test_retrieved_without_columns_has_no_valid_k(interface):
    """B3: there is no k from 1 to 0."""
    with pytest.raises(InputError) as error:
        interface(np.empty((1, 0), np.int32), ids([[1]]), 1)
    assert str(error.value) == "k: expected at most 0, the columns of retrieved, got 1"


@every_interface
def test_different_numbers_of_rows_are_rejected(interface):
    """B3: both arrays have one row per query."""
    with pytest.raises(InputError) as error:
        interface(ids([[1], [2]]), ids([[1], [2], [3]]), 1)
    assert str(error.value) == "relevant: expected 2 rows, as many as retrieved, got 3 rows"


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.__name__)
@pytest.mark.parametrize("kind", [np.int8, np.int32, np.int64, np.uint64])
def test_numpy_integers_are_cutoffs(metric, kind):
    """B3: a k taken from an array is valid."""
    assert metric(ids([[1, 2]]), ids([[1]]), kind(1)).tolist() == [1.0]


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.__name__)
def test_subclasses_of_ndarray_are_accepted(metric):
    """B7: both backends read np.matrix and np.memmap as plain arrays."""
    retrieved, relevant = ids([[8, 1], [2, 9]]), ids([[1], [2]])
    as_matrix = metric(retrieved.view(np.matrix), relevant.view(np.matrix), 2)
    assert as_matrix.tolist() == metric(retrieved, relevant, 2).tolist()


def test_a_matrix_of_grades_is_accepted():
    """B7: it is read as a plain array."""
    row, grades = ids([[1, 2]]), np.array([[1.0, 2.0]])
    as_matrix = metrics.ndcg(row, row, 2, grades=grades.view(np.matrix))
    assert as_matrix.tolist() == metrics.ndcg(row, row, 2, grades=grades).tolist()
