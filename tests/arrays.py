"""Arrays for tests of `berryeval.metrics`."""

import numpy as np


def ids(rows):
    """Return rows of document ids in the form that the metrics accept."""
    return np.array(rows, dtype=np.int32)


def float32(*values):
    """Return values rounded once to float32."""
    return [float(np.float32(value)) for value in values]


def misaligned(dtype):
    """Return two rows of three numbers whose data starts one byte off alignment."""
    n_bytes = 6 * np.dtype(dtype).itemsize
    return np.zeros(n_bytes + 1, np.uint8)[1:].view(dtype).reshape(2, 3)
