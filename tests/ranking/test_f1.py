import pytest

from berryeval.ranking import f1_at_k, mean_metrics


def test_perfect_precision_and_recall_are_perfect():
    """M7: 2 * 1 * 1 / (1 + 1)."""
    assert f1_at_k(["a", "b"], {"a", "b"}, k=2) == 1.0


def test_finding_no_relevant_document_is_zero():
    """M7: precision and recall are both 0, and the mean is 0, not an error."""
    assert f1_at_k(["x", "y"], {"a"}, k=2) == 0.0


def test_partial_precision_and_recall_give_their_harmonic_mean():
    """M7: precision 1/2 and recall 1/3."""
    expected = 2 * (1 / 2) * (1 / 3) / (1 / 2 + 1 / 3)
    assert f1_at_k(["a", "x"], {"a", "b", "c"}, k=2) == pytest.approx(expected)


def test_k_of_one_looks_at_the_first_document_only():
    """M7: precision 1 and recall 1/2 give 2/3."""
    assert f1_at_k(["a", "b"], {"a", "b"}, k=1) == pytest.approx(2 / 3)


@pytest.mark.parametrize(("k", "expected"), [(2, 0.0), (3, 1 / 2)])
def test_hit_exactly_at_k_counts(k, expected):
    """M7: at 3, precision 1/3 and recall 1 give 1/2."""
    assert f1_at_k(["x", "y", "a"], {"a"}, k) == pytest.approx(expected)


def test_mean_over_queries_averages_f1_itself():
    """M7: 1, 0 and 1/2 average to 1/2; the F1 of mean precision and mean recall is 0.533."""
    records = [
        {"retrieved": ["a"], "relevant": {"a"}},
        {"retrieved": ["x"], "relevant": {"a", "b"}},
        {"retrieved": ["a"], "relevant": {"a", "b", "c"}},
    ]
    assert mean_metrics(records, ks=(1,))["f1"][1] == pytest.approx((1 + 0 + 1 / 2) / 3)


@pytest.mark.parametrize("judgments", [set(), {}, {"a": 0}])
def test_no_relevant_document_at_all_is_zero(judgments):
    """M7: precision and recall are both 0."""
    assert f1_at_k(["a"], judgments, k=1) == 0.0


def test_empty_list_is_zero():
    """M10: an empty list has a defined value."""
    assert f1_at_k([], {"a"}, k=1) == 0.0


def test_if_everything_is_relevant_only_recall_limits_f1():
    """M7: precision 1 and recall 2/4 give 2/3."""
    assert f1_at_k(list("abcd"), set("abcd"), k=2) == pytest.approx(2 / 3)


def test_list_shorter_than_k_is_divided_by_k():
    """D1: precision is 1/5, so with a recall of 1 the mean is 1/3."""
    assert f1_at_k(["a"], {"a"}, k=5) == pytest.approx(2 * (1 / 5) / (1 / 5 + 1))


@pytest.mark.parametrize(("level", "expected"), [(1, 2 * 2 / (2 + 3)), (2, 2 * 1 / (2 + 1))])
def test_level_decides_what_is_relevant(level, expected):
    """M7: F1 is also 2 * found / (k + relevant)."""
    judgments = {"a": 3, "b": 1, "c": 1}
    assert f1_at_k(["a", "b"], judgments, k=2, level=level) == pytest.approx(expected)
