"""`berryeval.ranking` and `berryeval.metrics` agree if their definitions do."""

import numpy as np
import pytest
from hypothesis import given

from berryeval import metrics, ranking
from berryeval.metrics import PADDING_ID
from cases import cutoffs, judged_rankings

COLUMNS = 35

PAIRS = {
    "recall": (ranking.recall_at_k, metrics.recall_at_k, {}),
    "precision": (ranking.precision_at_k, metrics.precision_at_k, {"denominator": "k"}),
    "f1": (ranking.f1_at_k, metrics.f1_at_k, {"denominator": "k"}),
    "hit_rate": (ranking.hit_rate_at_k, metrics.hit_rate, {}),
    "mrr": (ranking.reciprocal_rank, metrics.mrr, {}),
    "ndcg": (ranking.ndcg_at_k, metrics.ndcg, {}),
    "average_precision": (ranking.average_precision, metrics.average_precision, {}),
}


def padded(ids) -> np.ndarray:
    """Return one padded row of ids."""
    row = np.full((1, COLUMNS), PADDING_ID, dtype=np.int32)
    row[0, : len(ids)] = list(ids)
    return row


@pytest.mark.parametrize("name", PAIRS)
@given(case=judged_rankings(), k=cutoffs(COLUMNS))
def test_binary_metrics_agree(name, case, k):
    """The array value is the list value, rounded to float32."""
    of_list, of_arrays, options = PAIRS[name]
    value = of_arrays(padded(case.retrieved), padded(case.relevant), k, **options)
    assert value[0] == np.float32(of_list(case.retrieved, case.relevant, k))


@given(case=judged_rankings(min_grade=-2), k=cutoffs(COLUMNS))
def test_graded_ndcg_agrees(case, k):
    """B5: the parallel array of grades gives the same as the mapping."""
    grades = np.zeros((1, COLUMNS))
    grades[0, : len(case.grades)] = list(case.grades.values())
    value = metrics.ndcg(padded(case.retrieved), padded(case.grades), k, grades=grades)
    assert value[0] == np.float32(ranking.ndcg_at_k(case.retrieved, case.grades, k))


@given(case=judged_rankings(min_size=1), k=cutoffs(COLUMNS))
def test_precision_differs_if_fewer_than_k_were_returned(case, k):
    """D1: the array default divides by the documents returned, the list by k."""
    by_returned = metrics.precision_at_k(padded(case.retrieved), padded(case.relevant), k)
    n_returned = min(k, len(case.retrieved))
    by_k = ranking.precision_at_k(case.retrieved, case.relevant, k)
    assert by_returned[0] == pytest.approx(by_k * k / n_returned, rel=1e-6)
