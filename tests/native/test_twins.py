"""The native twin gives the bits of the Python one.

On a build without the extension both sides are the Python twin, and the tests still run.
"""

import threading

import numpy as np
import pytest
from hypothesis import given, settings

from berryeval import metrics
from berryeval.backend import backend
from berryeval.metrics import _python
from berryeval.metrics._doors import _score
from berryeval.metrics._types import METRICS
from cases import ArrayCase, array_cases

PORTABLE = {"portable": True} if backend().name == "native" else {}


def specified(case: ArrayCase, metrics_wanted: tuple[str, ...] = METRICS) -> bytes:
    return _python.score(
        case.retrieved, case.relevant, case.grades, case.ks, metrics_wanted, case.denominator
    ).tobytes()


def computed(case: ArrayCase, metrics_wanted: tuple[str, ...] = METRICS, **how: bool) -> bytes:
    return _score(
        case.retrieved,
        case.relevant,
        case.grades,
        case.ks,
        metrics_wanted,
        case.denominator,
        **how,
    ).tobytes()


@settings(max_examples=400)
@given(array_cases())
def test_both_twins_give_identical_bytes(case):
    """B7: every metric at every k, graded or not, whatever the shape."""
    assert computed(case) == specified(case)


@settings(max_examples=200)
@given(array_cases())
def test_plain_instructions_give_identical_bytes(case):
    """B7: a processor without AVX2 gets the same bits."""
    assert computed(case, **PORTABLE) == specified(case)


@settings(max_examples=30, deadline=None)
@given(array_cases(max_columns=300))
def test_long_rows_give_identical_bytes(case):
    """B7: rows of several words, and those long enough for the hash table, change no bit."""
    assert computed(case) == specified(case)


@pytest.mark.parametrize("width", [63, 64, 65, 127, 128, 129, 256, 400])
def test_rows_at_the_seams_of_words_give_identical_bytes(width):
    """B7: hits in the last and first bit of a word are found, with and without hashing."""
    retrieved = np.arange(3 * width, dtype=np.int32).reshape(3, width)
    relevant = np.ascontiguousarray(retrieved[:, ::-1])
    relevant[1, ::2] = metrics.PADDING_ID
    case = ArrayCase(retrieved, relevant, None, (1, width - 1, width), "returned")
    assert computed(case) == specified(case)


def test_threads_change_no_bit():
    """B6: a call that is shared out among threads equals the same rows one by one."""
    rng = np.random.default_rng(7)
    retrieved = rng.integers(0, 300, size=(20_000, 40), dtype=np.int32)
    relevant = rng.integers(0, 300, size=(20_000, 8), dtype=np.int32)
    whole = metrics.ndcg(retrieved, relevant, 40)
    parts = [
        metrics.ndcg(retrieved[i : i + 500], relevant[i : i + 500], 40)
        for i in range(0, 20_000, 500)
    ]
    assert whole.tobytes() == np.concatenate(parts).tobytes()


def test_calls_from_many_threads_do_not_disturb_each_other():
    """B6: eight threads that score at once, at growing k, get what one alone gets."""
    rng = np.random.default_rng(3)
    retrieved = rng.integers(0, 2000, size=(20, 2000), dtype=np.int32)
    relevant = rng.integers(0, 2000, size=(20, 30), dtype=np.int32)
    ks = [150 * (i + 1) for i in range(8)]
    expected = [metrics.ndcg(retrieved, relevant, k).tobytes() for k in ks]
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
    """B6: nothing is written to, so memory that cannot be written will do."""
    retrieved = np.array([[1, 2]], dtype=np.int32)
    relevant = np.array([[2]], dtype=np.int32)
    grades = np.array([[2.0]])
    for array in (retrieved, relevant, grades):
        array.flags.writeable = False
    assert metrics.ndcg(retrieved, relevant, 2, grades=grades)[0] == pytest.approx(0.63093)
