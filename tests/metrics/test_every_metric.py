"""Properties shared by all array metrics; each metric's values have a separate module."""

import inspect

import numpy as np
import pytest

from arrays import ids
from berryeval import metrics

METRICS = {
    "recall_at_k": metrics.recall_at_k,
    "precision_at_k": metrics.precision_at_k,
    "f1_at_k": metrics.f1_at_k,
    "hit_rate": metrics.hit_rate,
    "mrr": metrics.mrr,
    "ndcg": metrics.ndcg,
    "average_precision": metrics.average_precision,
}

every_metric = pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)


def random_case(n_queries=40, n_retrieved=30, n_relevant=8):
    """Return the same arrays at each call, with repeats, padding and other negative ids."""
    random = np.random.default_rng(7)
    return (
        random.integers(-3, 40, (n_queries, n_retrieved), dtype=np.int32),
        random.integers(-3, 40, (n_queries, n_relevant), dtype=np.int32),
    )


def test_every_metric_is_tested():
    """Every public function that takes retrieved, relevant and k is in the list."""
    public = {name: getattr(metrics, name) for name in metrics.__all__}
    takes_k = {
        name
        for name, value in public.items()
        if inspect.isfunction(value)
        and [*inspect.signature(value).parameters][:3] == ["retrieved", "relevant", "k"]
    }
    assert takes_k - {"validate_inputs"} == set(METRICS)


@every_metric
def test_hundred_calls_give_identical_bytes(metric):
    """B6: repeated calls are deterministic."""
    retrieved, relevant = random_case()
    assert len({metric(retrieved, relevant, 20).tobytes() for _ in range(100)}) == 1


def test_hundred_calls_with_grades_give_identical_bytes():
    """B6: this holds for graded nDCG, too."""
    retrieved, relevant = random_case()
    grades = np.random.default_rng(8).normal(2, 2, relevant.shape)
    calls = (metrics.ndcg(retrieved, relevant, 20, grades=grades) for _ in range(100))
    assert len({values.tobytes() for values in calls}) == 1


@every_metric
def test_inputs_are_not_changed(metric):
    """B6: no input is ever modified."""
    retrieved, relevant = random_case()
    metric(retrieved, relevant, 20)
    for array, original in zip((retrieved, relevant), random_case(), strict=True):
        assert array.tobytes() == original.tobytes()


def test_grades_are_not_changed():
    """B6: graded nDCG sorts a copy of the grades."""
    retrieved, relevant = random_case()
    grades = np.random.default_rng(8).normal(2, 2, relevant.shape)
    original = grades.tobytes()
    metrics.ndcg(retrieved, relevant, 20, grades=grades)
    assert grades.tobytes() == original


@every_metric
def test_read_only_inputs_are_accepted(metric):
    """B6: inputs are never written to."""
    retrieved, relevant = random_case()
    expected = metric(retrieved, relevant, 20).tobytes()
    retrieved.setflags(write=False)
    relevant.setflags(write=False)
    assert metric(retrieved, relevant, 20).tobytes() == expected


@every_metric
@pytest.mark.parametrize("n_queries", [0, 1, 3])
def test_result_is_one_float32_per_query(metric, n_queries):
    """B2: this includes one row and no rows."""
    values = metric(*random_case(n_queries), 20)
    assert type(values) is np.ndarray
    assert (values.dtype, values.shape) == (np.float32, (n_queries,))


@every_metric
def test_result_belongs_to_the_caller(metric):
    """B6: writing to one result does not change another."""
    retrieved, relevant = random_case()
    first = metric(retrieved, relevant, 20)
    expected = first.copy()
    second = metric(retrieved, relevant, 20)
    first[:] = 9.0
    assert second.tolist() == expected.tolist()


@every_metric
def test_each_row_is_scored_independently(metric):
    """B2: a query has the same value alone and among thousands."""
    retrieved, relevant = random_case()
    alone = [metric(retrieved[i : i + 1], relevant[i : i + 1], 20)[0] for i in range(40)]
    together = metric(np.tile(retrieved, (500, 1)), np.tile(relevant, (500, 1)), 20)
    assert together.tolist() == np.tile(alone, 500).tolist()


@every_metric
def test_cells_after_k_change_nothing(metric):
    """B4: only the first k cells are used."""
    retrieved, relevant = random_case()
    expected = metric(retrieved, relevant, 20).tolist()
    retrieved[:, 20:] = relevant[:, :1]
    assert metric(retrieved, relevant, 20).tolist() == expected


@every_metric
def test_order_of_relevant_changes_nothing(metric):
    """B4: relevant is a set."""
    retrieved, relevant = random_case()
    backwards = np.ascontiguousarray(relevant[:, ::-1])
    assert metric(retrieved, backwards, 20).tolist() == metric(retrieved, relevant, 20).tolist()


@every_metric
def test_one_cell_is_enough(metric):
    """B2: it is the smallest possible array."""
    assert metric(ids([[5]]), ids([[5]]), 1).tolist() == [1.0]
    assert metric(ids([[5]]), ids([[6]]), 1).tolist() == [0.0]
    assert metric(ids([[-1]]), ids([[-1]]), 1).tolist() == [0.0]
