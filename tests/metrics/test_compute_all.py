import dataclasses

import numpy as np
import pytest

from arrays import ids
from berryeval import metrics
from berryeval.metrics import compute_all

SINGLE = {
    "recall": metrics.recall_at_k,
    "precision": metrics.precision_at_k,
    "f1": metrics.f1_at_k,
    "hit_rate": metrics.hit_rate,
    "mrr": metrics.mrr,
    "ndcg": metrics.ndcg,
    "average_precision": metrics.average_precision,
}
KS = (1, 2, 7, 20)


def random_case():
    """Return retrieved, relevant and grades, with repeats, padding, negative ids and grades."""
    random = np.random.default_rng(11)
    relevant = random.integers(-3, 40, (50, 8), dtype=np.int32)
    retrieved = random.integers(-3, 40, (50, 20), dtype=np.int32)
    return retrieved, relevant, random.normal(1, 2, relevant.shape)


@pytest.mark.parametrize("metric", SINGLE)
def test_every_value_equals_that_of_the_single_function(metric):
    """M8, B8: one call for all metrics gives identical bits."""
    retrieved, relevant, _ = random_case()
    together = getattr(compute_all(retrieved, relevant, KS), metric)
    assert list(together) == list(KS)
    for k, values in together.items():
        assert values.dtype == np.float32
        assert values.tobytes() == SINGLE[metric](retrieved, relevant, k).tobytes()


def test_every_field_is_compared_with_a_single_function():
    """M8: a metric that is added without its own function fails here."""
    assert [field.name for field in dataclasses.fields(metrics.ArrayMetrics)] == list(SINGLE)


@pytest.mark.parametrize("metric", SINGLE)
def test_grades_affect_only_ndcg(metric):
    """B5: every other metric counts all relevant documents."""
    retrieved, relevant, grades = random_case()
    options = {"grades": grades} if metric == "ndcg" else {}
    together = getattr(compute_all(retrieved, relevant, KS, grades=grades), metric)
    for k, values in together.items():
        assert values.tobytes() == SINGLE[metric](retrieved, relevant, k, **options).tobytes()


@pytest.mark.parametrize("metric", SINGLE)
@pytest.mark.parametrize("denominator", ["returned", "k"])
def test_denominator_affects_only_precision_and_f1(metric, denominator):
    """D1: no other metric has a denominator."""
    retrieved, relevant, _ = random_case()
    options = {"denominator": denominator} if metric in ("precision", "f1") else {}
    together = getattr(compute_all(retrieved, relevant, KS, denominator=denominator), metric)
    for k, values in together.items():
        assert values.tobytes() == SINGLE[metric](retrieved, relevant, k, **options).tobytes()


def test_five_documents_of_which_three_are_relevant():
    """B: recall 1, precision 0.6, MRR 1, nDCG 0.8855 and a hit at k = 5."""
    scores = compute_all(ids([[1, 2, 3, 4, 5]]), ids([[1, 3, 5, -1, -1]]), ks=(5,))
    names = ("recall", "precision", "mrr", "ndcg", "hit_rate")
    values = [round(float(getattr(scores, name)[5][0]), 4) for name in names]
    assert values == [1.0, 0.6, 1.0, 0.8855, 1.0]


def test_default_cutoffs_are_1_3_5_and_10():
    """M8: cutoffs beyond the number of columns are left out."""
    assert list(compute_all(ids([range(10)]), ids([[1]])).mrr) == [1, 3, 5, 10]
    assert list(compute_all(ids([range(4)]), ids([[1]])).mrr) == [1, 3]


def test_cutoffs_are_sorted_and_unique():
    """M8: the requested order and the type of the collection do not matter."""
    ks = iter([3, np.int64(1), 3, 2])
    together = compute_all(ids([[8, 1, 2]]), ids([[1, 2]]), ks).recall
    assert {k: values.tolist() for k, values in together.items()} == {1: [0.0], 2: [0.5], 3: [1.0]}
    assert list(together) == [1, 2, 3]


def test_no_rows_give_no_values():
    """B2: the result is empty, with the right shape."""
    scores = compute_all(np.empty((0, 3), np.int32), np.empty((0, 2), np.int32), ks=(1, 3))
    for metric in SINGLE:
        shapes = {k: values.shape for k, values in getattr(scores, metric).items()}
        assert shapes == {1: (0,), 3: (0,)}


def test_inputs_are_not_changed():
    """B6: no input is ever modified."""
    arrays = random_case()
    compute_all(arrays[0], arrays[1], KS, grades=arrays[2])
    for array, original in zip(arrays, random_case(), strict=True):
        assert array.tobytes() == original.tobytes()


def test_hundred_calls_give_identical_bytes():
    """B6: repeated calls are deterministic."""
    retrieved, relevant, grades = random_case()

    def as_bytes():
        scores = compute_all(retrieved, relevant, KS, grades=grades)
        return b"".join(getattr(scores, metric)[k].tobytes() for metric in SINGLE for k in KS)

    assert len({as_bytes() for _ in range(100)}) == 1


def test_repr_of_the_result_is_short():
    """M8: it is one line, not thousands of values."""
    scores = compute_all(ids([[1, 8, 2], [9, 3, 7]]), ids([[1], [3]]), ks=(1, 3))
    assert repr(scores) == (
        "<ArrayMetrics of 2 queries: recall, precision, f1, hit_rate, mrr, ndcg, "
        "average_precision at k = 1, 3>"
    )
