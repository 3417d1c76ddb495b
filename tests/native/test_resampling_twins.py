"""Native resampling is bit-for-bit identical to Python.

On a build without the extension both sides are the Python twin, and the tests still run.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as st_numpy

from berryeval.backend import backend, n_threads
from berryeval.stats import _python, resampling
from depth import examples

SEEDS = st.integers(0, 2**64 - 1)

tables = st_numpy.arrays(
    np.float64,
    st.tuples(st.integers(1, 140), st.integers(1, 9)),
    elements=st.floats(-1e6, 1e6) | st.sampled_from([0.0, -0.0, 1.0, 0.1, 5e-324]),
)


def specified(values: np.ndarray, n_resamples: int, seed: int) -> bytes:
    out = np.empty((n_resamples, values.shape[1]))
    _python.flipped_means(values, seed, 0, out)
    return out.tobytes()


def computed(values: np.ndarray, n_resamples: int, seed: int) -> bytes:
    return resampling.flipped_means(values, n_resamples, seed).tobytes()


@examples(150)
@given(values=tables, n_resamples=st.integers(1, 12), seed=SEEDS)
def test_both_twins_resample_with_identical_bytes(values, n_resamples, seed):
    """Any shape, values and seed give the same bytes."""
    assert computed(values, n_resamples, seed) == specified(values, n_resamples, seed)


@pytest.mark.parametrize("shape", [(1, 1), (1, 300), (64, 300), (65, 4), (1281, 5), (20_001, 1)])
def test_both_twins_agree_at_boundary_sizes(shape):
    """One query, one column, many columns, odd numbers and more than a page are tested."""
    values = np.random.default_rng(3).normal(size=shape)
    assert computed(values, 9, 5) == specified(values, 9, 5)


@pytest.mark.parametrize("threads", [1, 2, 3, 16, 1000])
def test_threads_do_not_change_a_resample(monkeypatch, threads):
    """Fewer or more threads than resamples give the same bytes."""
    values = np.random.default_rng(4).random((500, 7))
    expected = specified(values, 301, 11)
    monkeypatch.setenv("BERRYEVAL_THREADS", str(threads))
    n_threads.cache_clear()
    found = computed(values, 301, 11)
    n_threads.cache_clear()
    assert found == expected


@pytest.mark.parametrize("size", [1, 20, 1000])
def test_the_size_of_a_part_does_not_change_a_resample(monkeypatch, size):
    """Resamples do not depend on how many are computed at a time."""
    values = np.random.default_rng(5).random((20, 3))
    expected = computed(values, 50, 1)
    monkeypatch.setattr(_python, "_AT_A_TIME", size)
    assert specified(values, 50, 1) == expected
    if backend().name == "native":
        monkeypatch.setattr("berryeval.stats.resampling._ADDITIONS_AT_A_TIME", size)
        assert computed(values, 50, 1) == expected


@pytest.mark.skipif(backend().name != "native", reason="there is no extension")
@pytest.mark.parametrize(
    ("values", "out"),
    [
        (np.zeros((0, 1)), np.zeros((3, 1))),
        (np.zeros((2, 0)), np.zeros((3, 0))),
        (np.zeros((2, 2)), np.zeros((3, 1))),
    ],
)
def test_the_extension_rejects_mismatched_shapes(values, out):
    """A bug in the Python code becomes an error, not an invalid read."""
    from berryeval import _native

    with pytest.raises(ValueError, match="do not fit"):
        _native.flipped_means(values, 0, 0, 1, out)
