"""The arrays that tests of `berryeval.metrics` are made of."""

import numpy as np


def ids(rows):
    """Return rows of document ids as the metrics take them."""
    return np.array(rows, dtype=np.int32)


def float32(*values):
    """Return values as they are after one rounding to float32."""
    return [float(np.float32(value)) for value in values]


def misaligned(dtype):
    """Return two rows of three numbers that start one byte off."""
    n_bytes = 6 * np.dtype(dtype).itemsize
    return np.zeros(n_bytes + 1, np.uint8)[1:].view(dtype).reshape(2, 3)
