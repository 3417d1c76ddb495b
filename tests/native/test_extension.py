"""The extension itself guards memory, even against a mistake of ours."""

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
    {"ks": (1, 4)},
    {"log2_ranks": np.ones(2)},
    {"metrics": (7,)},
    {"metrics": (-1,)},
    {"out": np.zeros((2, 2, 2), np.float32)},
    {"out": np.zeros((1, 2, 3), np.float32)},
]


def test_fitting_arguments_are_accepted():
    """The case that the others depart from is a good one."""
    _native.score(**GOOD)


@pytest.mark.parametrize("changes", BAD, ids=lambda changes: next(iter(changes)))
def test_arguments_that_do_not_fit_are_refused(changes):
    """No shape reaches the kernels that would have them read past an array."""
    with pytest.raises(ValueError, match="arguments do not fit"):
        _native.score(**(GOOD | changes))
