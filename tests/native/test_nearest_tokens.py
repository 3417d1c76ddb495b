"""Both twins find the same nearest tokens of documents.

On a build without the extension both sides are the Python twin, and the tests still run.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from berryeval.backend import backend
from berryeval.search.systems.late_interaction import _nearest, _nearest_by_numpy
from depth import examples


def drawn(n_tokens, n_columns, lengths, seed):
    """Draw similarities, and documents of these lengths whose tokens refer to them."""
    draw = np.random.default_rng(seed)
    similar = draw.normal(size=(n_tokens, n_columns)).astype(np.float32)
    tokens = draw.integers(0, n_tokens, size=sum(lengths)).astype(np.uint16)
    return similar, tokens, np.cumsum(lengths, dtype=np.int64)


@examples(200)
@given(
    n_tokens=st.integers(1, 50),
    n_columns=st.integers(1, 40),
    lengths=st.lists(st.integers(1, 30), min_size=1, max_size=9),
    seed=st.integers(0, 2**32),
)
def test_both_twins_find_the_same_similarities(n_tokens, n_columns, lengths, seed):
    """Any number of query tokens and documents gives the same bytes."""
    request = drawn(n_tokens, n_columns, lengths, seed)
    assert _nearest(*request).tobytes() == _nearest_by_numpy(*request).tobytes()


@pytest.mark.skipif(backend().name != "native", reason="there is no extension")
@pytest.mark.parametrize(
    "changed",
    [
        {"similar": np.zeros((2, 0), np.float32), "out": np.zeros((2, 0), np.float32)},
        {"out": np.zeros((3, 2), np.float32)},
        {"out": np.zeros((2, 3), np.float32)},
        {"tokens": np.array([0, 1, 2], np.uint16)},
        {"ends": np.array([1, 4], np.int64)},
        {"ends": np.array([1, 2], np.int64)},
        {"ends": np.array([0, 3], np.int64)},
        {"ends": np.array([3, 3], np.int64)},
    ],
)
def test_the_extension_rejects_tokens_that_do_not_fit(changed):
    """A bug in the Python code becomes an error, not an invalid read."""
    from berryeval import _native

    request = {
        "similar": np.zeros((2, 2), np.float32),
        "tokens": np.array([0, 1, 1], np.uint16),
        "ends": np.array([1, 3], np.int64),
        "out": np.zeros((2, 2), np.float32),
    }
    _native.nearest_tokens(**request)
    with pytest.raises(ValueError, match="do not fit"):
        _native.nearest_tokens(**{**request, **changed})
