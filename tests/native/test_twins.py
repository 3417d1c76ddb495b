"""The native twin is bit-for-bit identical to Python.

On a build without the extension both sides are the Python twin, and the tests still run.
"""

import threading

import numpy as np
import pytest
from hypothesis import given

from berryeval import metrics
from berryeval.backend import backend, n_threads
from berryeval.kernels import discounts
from berryeval.metrics import _python
from berryeval.metrics._functions import _score
from berryeval.metrics._validation import METRICS
from cases import ArrayCase, array_cases
from depth import examples

PORTABLE = {"portable": True} if backend().name == "native" else {}


def arguments(case: ArrayCase, dtype: type) -> tuple:
    return (
        case.retrieved, case.relevant, case.grades, case.ks, METRICS, case.denominator, dtype,
    )  # fmt: skip


def specified(case: ArrayCase, dtype: type = np.float64) -> bytes:
    """Return the bytes of the Python twin, before rounding to float32."""
    return _python.score(*arguments(case, dtype)).tobytes()


def computed(case: ArrayCase, dtype: type = np.float64, **how: bool) -> bytes:
    return _score(*arguments(case, dtype), **how).tobytes()


@examples(400)
@given(array_cases())
def test_both_twins_give_identical_bytes(case):
    """B7: every metric at every k, graded or not, for any shape."""
    assert computed(case) == specified(case)


@examples(100)
@given(array_cases())
def test_both_twins_round_to_the_same_float32(case):
    """B2, B7: the cast is the last step, and is the same."""
    assert computed(case, np.float32) == specified(case, np.float32)


def test_rounding_never_exceeds_one():
    """B5: the quotient of these grades would exceed 1 in its last bits."""
    ids = np.array([[1, 2, 3]], dtype=np.int32)
    high = np.nextafter(np.nextafter(0.1, 1), 1)
    case = ArrayCase(ids, ids, np.array([[high, 0.1, high]]), (3,), "k")
    assert computed(case) == specified(case)
    assert metrics.ndcg(case.retrieved, case.relevant, 3, grades=case.grades)[0] == 1.0


@examples(200)
@given(array_cases())
def test_plain_instructions_give_identical_bytes(case):
    """B7: a processor without AVX2 computes the same bits."""
    assert computed(case, **PORTABLE) == specified(case)


@examples(30)
@given(array_cases(max_columns=300))
def test_long_rows_give_identical_bytes(case):
    """B7: rows of several words, and those long enough for the hash table, are equal."""
    assert computed(case) == specified(case)


@pytest.mark.parametrize("width", [63, 64, 65, 127, 128, 129, 256, 400])
def test_rows_at_word_boundaries_give_identical_bytes(width):
    """B7: hits in the last and first bit of a word are found, with and without hashing."""
    retrieved = np.arange(3 * width, dtype=np.int32).reshape(3, width)
    relevant = np.ascontiguousarray(retrieved[:, ::-1])
    relevant[1, ::2] = metrics.PADDING_ID
    case = ArrayCase(retrieved, relevant, None, (1, width - 1, width), "returned")
    assert computed(case) == specified(case)


def random_arrays(n_rows: int, n_retrieved: int, n_relevant: int):
    rng = np.random.default_rng(7)
    most = 10 * n_relevant
    return (
        rng.integers(0, most, size=(n_rows, n_retrieved), dtype=np.int32),
        rng.integers(0, most, size=(n_rows, n_relevant), dtype=np.int32),
    )


@pytest.mark.parametrize("threads", [1, 2, 3, 16, 1000])
@pytest.mark.parametrize("shape", [(20_000, 40, 8), (130, 400, 120), (3, 3000, 128)])
def test_threads_do_not_change_the_result(monkeypatch, threads, shape):
    """B6: fewer or more threads than rows match the specification."""
    monkeypatch.setenv("BERRYEVAL_THREADS", str(threads))
    n_threads.cache_clear()
    retrieved, relevant = random_arrays(*shape)
    values = metrics.ndcg(retrieved, relevant, shape[1])
    n_threads.cache_clear()
    some = slice(None, None, max(1, shape[0] // 50))
    case = ArrayCase(retrieved[some].copy(), relevant[some].copy(), None, (shape[1],), "k")
    at_once = values[some].tobytes()
    everything = np.frombuffer(specified(case, np.float32), np.float32).reshape(len(METRICS), -1)
    assert at_once == everything[METRICS.index("ndcg")].tobytes()


def test_concurrent_calls_do_not_interfere(monkeypatch):
    """B6: eight threads get the same as one, while the table grows."""
    retrieved, relevant = random_arrays(20, 2000, 30)
    ks = [150 * (i + 1) for i in range(8)]
    expected = [metrics.ndcg(retrieved, relevant, k).tobytes() for k in ks]
    short = discounts.log2_ranks(1)[:1]
    monkeypatch.setattr(discounts, "_table", short)
    if backend().name == "native":
        monkeypatch.setattr("berryeval.metrics._native._table", np.frombuffer(short))
    found: dict[int, bytes] = {}

    def work(i: int) -> None:
        found[i] = metrics.ndcg(retrieved, relevant, ks[i]).tobytes()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [found[i] for i in range(8)] == expected


def test_read_only_arrays_are_accepted():
    """B6: inputs are never written to."""
    retrieved = np.array([[1, 2]], dtype=np.int32)
    relevant = np.array([[2]], dtype=np.int32)
    grades = np.array([[2.0]])
    for array in (retrieved, relevant, grades):
        array.flags.writeable = False
    assert metrics.ndcg(retrieved, relevant, 2, grades=grades)[0] == pytest.approx(0.63093)
