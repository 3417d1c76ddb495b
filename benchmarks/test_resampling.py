"""Resampling: 10,000 resamples of 6,980 queries x 12 columns, six measures of two systems.

Run ``make bench``. NumPy alone is measured on fewer resamples; benchmarks/report.py divides.
"""

import numpy as np
import pytest
from data import make_differences

from berryeval.stats import _python, simultaneous_intervals
from berryeval.stats.resampling import flipped_means

N_RESAMPLES = 10_000
N_SLOW = 200


@pytest.fixture(scope="module")
def differences():
    return make_differences()


@pytest.mark.benchmark(group="resampling", max_time=3)
def test_resampling(benchmark, differences):
    benchmark.extra_info["n_resamples"] = N_RESAMPLES
    benchmark(flipped_means, differences, N_RESAMPLES)


@pytest.mark.benchmark(group="resampling", max_time=3)
def test_resampling_intervals(benchmark, differences):
    benchmark.extra_info["n_resamples"] = N_RESAMPLES
    benchmark(simultaneous_intervals, differences, n_flips=N_RESAMPLES)


@pytest.mark.benchmark(group="resampling")
def test_resampling_in_python(benchmark, differences):
    """The specification, which is in use where nothing can be compiled."""
    benchmark.extra_info["n_resamples"] = N_SLOW
    out = np.empty((N_SLOW, differences.shape[1]))
    benchmark(_python.flipped_means, differences, 0, 0, out)


@pytest.mark.benchmark(group="resampling")
def test_resampling_by_numpy_alone(benchmark, differences):
    """The loop that most people write: draw signs, multiply, and average."""
    benchmark.extra_info["n_resamples"] = N_SLOW
    rng = np.random.default_rng(0)
    n_queries = len(differences)

    def resample():
        return [(rng.choice((-1.0, 1.0), (n_queries, 1)) * differences).mean(axis=0)
                for _ in range(N_SLOW)]  # fmt: skip

    benchmark(resample)
