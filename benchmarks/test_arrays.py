"""The array metrics: 100,000 queries x 50 retrieved x 10 relevant, one query, five million.

Run ``make bench``. Nothing here fails for being slow: machines differ, and benchmarks/report.py
sets the figures against a memory copy of the same run.
"""

import numpy as np
import pytest
from data import make_arrays

from berryeval import metrics
from berryeval.metrics import _functions, _python

KS = (1, 3, 5, 10, 50)
SHAPES = [(10, 5), (50, 10), (100, 10), (100, 100), (1000, 10), (1000, 100), (1000, 1000)]
SINGLE = {
    "recall": metrics.recall_at_k,
    "precision": metrics.precision_at_k,
    "mrr": metrics.mrr,
    "ndcg": metrics.ndcg,
    "hit_rate": metrics.hit_rate,
    "average_precision": metrics.average_precision,
    "f1": metrics.f1_at_k,
}


@pytest.fixture(scope="module")
def arrays():
    return make_arrays(100_000, 50, 10)


@pytest.fixture(scope="module")
def grades(arrays):
    return np.random.default_rng(1).integers(0, 4, size=arrays.relevant.shape).astype(np.float64)


@pytest.mark.benchmark(group="100,000 x 50 x 10")
def test_memory_copy(benchmark, arrays):
    copy = np.empty_like(arrays.retrieved)
    benchmark(np.copyto, copy, arrays.retrieved)


@pytest.mark.benchmark(group="100,000 x 50 x 10")
@pytest.mark.parametrize("name", SINGLE)
def test_one_metric(benchmark, arrays, name):
    benchmark(SINGLE[name], *arrays, 50)


@pytest.mark.benchmark(group="100,000 x 50 x 10")
def test_everything_at_one_k(benchmark, arrays):
    benchmark(metrics.compute_all, *arrays, (10,))


@pytest.mark.benchmark(group="100,000 x 50 x 10")
def test_everything_at_five_ks(benchmark, arrays):
    benchmark(metrics.compute_all, *arrays, KS)


@pytest.mark.benchmark(group="100,000 x 50 x 10")
def test_everything_graded(benchmark, arrays, grades):
    benchmark(lambda: metrics.compute_all(*arrays, KS, grades=grades))


@pytest.mark.benchmark(group="100,000 x 50 x 10")
def test_everything_without_avx2(benchmark, arrays):
    benchmark(
        lambda: _functions._score(*arrays, None, KS, _functions.METRICS, "returned", portable=True)
    )


@pytest.mark.benchmark(group="100,000 x 50 x 10")
def test_numpy_alone(benchmark, arrays):
    """Recall in one line of NumPy: every id compared with every other, repeats not seen to."""

    def recall():
        equal = arrays.retrieved[:, :, None] == arrays.relevant[:, None, :]
        return equal.any(axis=1).mean(axis=1, dtype=np.float32)

    benchmark(recall)


@pytest.mark.benchmark(group="1 x 50 x 10")
def test_one_query_as_python_sets(benchmark):
    arrays = make_arrays(1, 50, 10)
    retrieved, relevant = arrays.retrieved[0].tolist(), set(arrays.relevant[0].tolist())
    benchmark(lambda: len(relevant.intersection(retrieved[:10])) / len(relevant))


@pytest.mark.benchmark(group="1 x 50 x 10")
@pytest.mark.parametrize("name", SINGLE)
def test_one_query(benchmark, name):
    arrays = make_arrays(1, 50, 10)
    benchmark(SINGLE[name], *arrays, 10)


@pytest.mark.benchmark(group="1 x 50 x 10")
def test_one_query_everything(benchmark):
    arrays = make_arrays(1, 50, 10)
    benchmark(metrics.compute_all, *arrays, KS)


@pytest.mark.benchmark(group="5,000,000 x 10 x 5", max_time=3)
def test_five_million_queries(benchmark):
    arrays = make_arrays(5_000_000, 10, 5)
    benchmark(metrics.ndcg, *arrays, 10)


@pytest.mark.benchmark(group="by shape", max_time=0.5)
@pytest.mark.parametrize("portable", [False, True], ids=["best", "baseline"])
@pytest.mark.parametrize(("n_retrieved", "n_relevant"), SHAPES)
def test_shape(benchmark, n_retrieved, n_relevant, portable):
    n_queries = 20_000_000 // (n_retrieved * (n_relevant + 50))
    arrays = make_arrays(n_queries, n_retrieved, n_relevant)
    benchmark.extra_info["n_queries"] = n_queries
    benchmark(
        lambda: _functions._score(
            *arrays, None, (n_retrieved,), ("recall",), "returned", portable=portable
        )
    )


@pytest.mark.benchmark(group="1,000 x 50 x 10")
@pytest.mark.parametrize("twin", ["native", "python"])
def test_twin(benchmark, twin):
    score = _python.score if twin == "python" else _functions._score
    arrays = make_arrays(1000, 50, 10)
    benchmark(lambda: score(*arrays, None, (10,), _functions.METRICS, "returned"))
