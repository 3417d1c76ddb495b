"""Invariants of every ranking, for any documents and grades."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from berryeval import ranking
from cases import cutoffs, judged_rankings

METRICS = {
    "recall": ranking.recall_at_k,
    "precision": ranking.precision_at_k,
    "f1": ranking.f1_at_k,
    "hit_rate": ranking.hit_rate_at_k,
    "rr": ranking.reciprocal_rank,
    "ap": ranking.average_precision,
    "ndcg": ranking.ndcg_at_k,
    "dcg": ranking.dcg_at_k,
}

every_metric = pytest.mark.parametrize("name", METRICS)


def test_every_metric_is_tested():
    """Every metric that compute_all returns is in the list of this module."""
    computed = ranking.compute_all([], set()).__dataclass_fields__
    assert set(METRICS) == set(computed) - {"reciprocal_rank", "average_precision"}


@every_metric
@given(case=judged_rankings(min_grade=-2), k=cutoffs())
def test_values_stay_within_bounds(name, case, k):
    """M1-M7: they range from 0 to 1, and DCG from 0 to that of the ideal."""
    value = METRICS[name](case.retrieved, case.grades, k)
    most = math.inf if name == "dcg" else 1.0
    assert 0.0 <= value <= most


@pytest.mark.parametrize("name", ["recall", "hit_rate", "rr", "ap", "dcg"])
@given(case=judged_rankings(), k=cutoffs())
def test_a_larger_k_never_lowers_what_was_found(name, case, k):
    """Recall, hit rate, and sums over ranks never fall as k grows."""
    metric = METRICS[name]
    assert metric(case.retrieved, case.grades, k + 1) >= metric(case.retrieved, case.grades, k)


@given(case=judged_rankings(min_size=1))
def test_at_one_precision_reciprocal_rank_and_hit_rate_agree(case):
    """With k = 1 all three depend only on the first document."""
    values = {
        METRICS[name](case.retrieved, case.grades, 1) for name in ("precision", "rr", "hit_rate")
    }
    assert len(values) == 1


@every_metric
@given(case=judged_rankings(min_size=2), k=cutoffs(), data=st.data())
def test_moving_a_document_up_past_a_lower_grade_never_hurts(name, case, k, data):
    """Swapping neighbours so that the better one comes first lowers no metric."""
    i = data.draw(st.integers(0, len(case.retrieved) - 2))
    upper, lower = case.retrieved[i : i + 2]
    if case.grades.get(upper, 0) > case.grades.get(lower, 0):
        upper, lower = lower, upper
    before = [*case.retrieved[:i], upper, lower, *case.retrieved[i + 2 :]]
    after = [*case.retrieved[:i], lower, upper, *case.retrieved[i + 2 :]]
    metric = METRICS[name]
    assert metric(after, case.grades, k) >= metric(before, case.grades, k) - 1e-12


@every_metric
@given(case=judged_rankings(), k=cutoffs(30), tail=st.lists(st.integers(50, 60), unique=True))
def test_documents_after_rank_k_change_nothing(name, case, k, tail):
    """Documents below the cutoff are ignored."""
    cut = case.retrieved[:k]
    cut += [1000 + i for i in range(k - len(cut))]
    metric = METRICS[name]
    assert metric([*cut, *tail], case.grades, k) == metric(cut, case.grades, k)


@given(case=judged_rankings(min_grade=1), k=cutoffs())
def test_the_ideal_ranking_is_perfect(case, k):
    """All judged documents, best first, have an nDCG and an average precision of 1."""
    ideal = sorted(case.grades, key=lambda doc_id: -case.grades[doc_id])
    expected = 1.0 if ideal else 0.0
    assert ranking.ndcg_at_k(ideal, case.grades, k) == expected
    assert ranking.average_precision(ideal, case.grades) == expected


@every_metric
@given(case=judged_rankings(min_size=1), k=cutoffs(), data=st.data())
def test_a_repeat_counts_once_and_keeps_its_rank(name, case, k, data):
    """A repeated id counts like an unknown document in its place."""
    repeated = data.draw(st.sampled_from(case.retrieved))
    place = data.draw(st.integers(case.retrieved.index(repeated) + 1, len(case.retrieved)))
    with_repeat, with_stranger = list(case.retrieved), list(case.retrieved)
    with_repeat.insert(place, repeated)
    with_stranger.insert(place, "stranger")
    metric = METRICS[name]
    assert metric(with_repeat, case.grades, k) == metric(with_stranger, case.grades, k)


@every_metric
@given(case=judged_rankings(min_grade=-2), k=cutoffs())
def test_compute_all_equals_the_single_functions(name, case, k):
    """M8: one look-up table gives the same bits."""
    everything = ranking.compute_all(case.retrieved, case.grades, (k, k + 3))
    assert getattr(everything, name)[k] == METRICS[name](case.retrieved, case.grades, k)
