"""The extension guards memory, even against bugs in the Python code."""

import numpy as np
import pytest

from berryeval import _native

GOOD = {
    "retrieved": np.zeros((2, 3), np.int32),
    "relevant": np.zeros((2, 1), np.int32),
    "grades": None,
    "ks": (1, 3),
    "metrics": (0,),
    "divide_by_k": False,
    "log2_ranks": np.ones(3),
    "n_threads": 1,
    "portable": False,
    "out": np.zeros((1, 2, 2), np.float32),
}

BAD = [
    {"relevant": np.zeros((3, 1), np.int32)},
    {"grades": np.zeros((2, 2))},
    {"ks": ()},
    {"ks": (0, 3)},
    {"ks": (3, 1)},
    {"ks": (3, 3)},
    {"ks": (1, 4)},
    {"log2_ranks": np.ones(2)},
    {"metrics": (7,)},
    {"metrics": (-1,)},
    {"grades": np.zeros((3, 1))},
    {"out": np.zeros((2, 2, 2), np.float32)},
    {"out": np.zeros((1, 1, 2), np.float32)},
    {"out": np.zeros((1, 2, 3), np.float32)},
]


def test_valid_arguments_are_accepted():
    """This is the base case of the other tests."""
    _native.score(**GOOD)


@pytest.mark.parametrize("changes", BAD, ids=lambda changes: next(iter(changes)))
def test_mismatched_arguments_are_rejected(changes):
    """No shape makes the kernels read past an array."""
    with pytest.raises(ValueError, match="arguments do not fit"):
        _native.score(**(GOOD | changes))


@pytest.mark.parametrize(
    "changes",
    [
        {"retrieved": np.zeros((2, 3), np.int64)},
        {"retrieved": np.zeros((3, 2), np.int32).T},
        {"relevant": np.zeros((2, 1))},
        {"grades": np.zeros((2, 1), np.float32)},
        {"log2_ranks": np.ones(3, np.float32)},
        {"out": np.zeros((1, 2, 2), np.int32)},
        {"out": np.zeros((1, 2, 4), np.float32)[:, :, ::2]},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_nothing_is_converted(changes):
    """A converted copy of `out` would be lost, and one of ids would hide a bug."""
    with pytest.raises(TypeError, match="incompatible function arguments"):
        _native.score(**(GOOD | changes))


def test_arrays_too_wide_for_ranks_are_rejected():
    """Ranks have 32 bits; zero rows make a wide array cheap."""
    wide = np.zeros((0, 2**30 + 1), np.int32)
    empty = {"out": np.zeros((1, 2, 0), np.float32), "relevant": np.zeros((0, 1), np.int32)}
    with pytest.raises(ValueError, match="arguments do not fit"):
        _native.score(**(GOOD | empty | {"retrieved": wide}))
    with pytest.raises(ValueError, match="arguments do not fit"):
        _native.score(**(GOOD | empty | {"retrieved": wide[:, :3].copy(), "relevant": wide}))
