import math

import pytest

from berryeval.ranking import dcg_at_k, mean_metrics, ndcg_at_k


def test_ideal_order_is_perfect():
    """M4: highest grade first."""
    assert ndcg_at_k(["a", "b", "c"], {"a": 3, "b": 2, "c": 1}, k=3) == 1.0


def test_finding_no_judged_document_is_zero():
    """M4: unjudged documents gain nothing."""
    assert ndcg_at_k(["x", "y"], {"a": 2}, k=2) == 0.0
    assert dcg_at_k(["x", "y"], {"a": 2}, k=2) == 0.0


def test_partial_order_earns_its_discounted_share():
    """M4, A: DCG 2.5 of an ideal 2.631 is 0.950."""
    judgments = {"a": 2, "b": 1, "c": 0}
    ideal = 2 + 1 / math.log2(3)
    assert dcg_at_k(["a", "c", "b"], judgments, k=3) == 2 / 1 + 1 / 2
    assert dcg_at_k(["a", "b", "c"], judgments, k=3) == pytest.approx(ideal)
    assert ndcg_at_k(["a", "c", "b"], judgments, k=3) == pytest.approx(2.5 / ideal)
    assert round(ideal, 3) == 2.631
    assert round(2.5 / ideal, 3) == 0.950


def test_k_of_one_compares_the_first_with_the_best():
    """M4: grade 1 first, where grade 3 would have been ideal."""
    assert ndcg_at_k(["b", "a"], {"a": 3, "b": 1}, k=1) == 1 / 3
    assert dcg_at_k(["b", "a"], {"a": 3, "b": 1}, k=1) == 1.0


@pytest.mark.parametrize(("k", "expected"), [(2, 0.0), (3, 1 / 2)])
def test_hit_exactly_at_k_counts(k, expected):
    """M4: rank 3 is discounted by log2(4) = 2."""
    assert ndcg_at_k(["x", "y", "a"], {"a"}, k) == expected


@pytest.mark.parametrize("n_ranks", [2, 10, 128, 129, 1000])
def test_only_relevant_document_last_is_one_over_its_discount(n_ranks):
    """M4: exactly 1 / log2(rank + 1), at any depth."""
    assert ndcg_at_k(range(1, n_ranks + 1), {n_ranks}, n_ranks) == 1 / math.log2(n_ranks + 1)


def test_mean_over_queries_weights_them_equally():
    """M4: 1, 1/2 and 0 average to 1/2."""
    records = [
        {"retrieved": ["a", "x", "y"], "relevant": {"a"}},
        {"retrieved": ["x", "y", "a"], "relevant": {"a"}},
        {"retrieved": ["x", "y", "z"], "relevant": {"a"}},
    ]
    assert mean_metrics(records, ks=(3,))["ndcg"] == {3: (1 + 1 / 2 + 0) / 3}


@pytest.mark.parametrize("judgments", [set(), {}, {"a": 0}, {"a": -3}])
def test_no_relevant_document_at_all_is_zero(judgments):
    """M4: an ideal of 0 gives 0.0."""
    assert ndcg_at_k(["a"], judgments, k=1) == 0.0


def test_empty_list_is_zero():
    """M10: an empty list has a defined value."""
    assert ndcg_at_k([], {"a"}, k=1) == 0.0
    assert dcg_at_k([], {"a"}, k=1) == 0.0


@pytest.mark.parametrize("k", [1, 2, 4, 10])
def test_if_everything_is_equally_relevant_any_order_is_perfect(k):
    """M4: all four documents have grade 1."""
    assert ndcg_at_k(["d", "b", "c", "a"], set("abcd"), k) == 1.0


def test_lesson_example_with_five_grades():
    """M4, L: DCG@5 4.1410 and nDCG@5 0.7975."""
    judgments = {"a": 3, "b": 2, "c": 1, "d": 0, "e": 1}
    dcg = 1 + 3 / math.log2(3) + 0 + 2 / math.log2(5) + 1 / math.log2(6)
    ideal = 3 + 2 / math.log2(3) + 1 / 2 + 1 / math.log2(5) + 0
    assert dcg_at_k(list("cadbe"), judgments, k=5) == pytest.approx(dcg)
    assert ndcg_at_k(list("cadbe"), judgments, k=5) == pytest.approx(dcg / ideal)
    assert round(dcg, 4) == 4.1410
    assert round(dcg / ideal, 4) == 0.7975


def test_binary_example_matches_the_array_api():
    """M4, B: DCG 1.8869, ideal 2.1309, nDCG 0.8855."""
    dcg = 1 + 1 / math.log2(4) + 1 / math.log2(6)
    ideal = 1 + 1 / math.log2(3) + 1 / math.log2(4)
    assert dcg_at_k([1, 4, 2, 5, 3], {1, 2, 3}, k=5) == pytest.approx(dcg)
    assert ndcg_at_k([1, 4, 2, 5, 3], {1, 2, 3}, k=5) == pytest.approx(dcg / ideal)
    assert (round(dcg, 4), round(ideal, 4), round(dcg / ideal, 4)) == (1.8869, 2.1309, 0.8855)


def test_ideal_includes_judged_documents_that_were_not_retrieved():
    """M4, D2: a alone was found, but a and b exist."""
    ideal = 1 + 1 / math.log2(3)
    assert ndcg_at_k(["a"], {"a", "b"}, k=2) == pytest.approx(1 / ideal)


def test_negative_grades_gain_nothing_and_are_not_in_the_ideal():
    """M4: a grade of -2 is equivalent to no judgment."""
    assert dcg_at_k(["b", "a"], {"a": 1, "b": -2}, k=2) == 1 / math.log2(3)
    assert ndcg_at_k(["a"], {"a": 1, "b": -2}, k=2) == 1.0


def test_float_grades_gain_their_value():
    """M9: half a grade gains half, even below the level of relevance."""
    assert dcg_at_k(["a", "b"], {"a": 0.5, "b": 2.5}, k=2) == 0.5 + 2.5 / math.log2(3)


def test_repeated_id_gains_once_and_keeps_its_rank():
    """M4: b is at rank 3, discounted by 2."""
    assert dcg_at_k(["a", "a", "b"], {"a", "b"}, k=3) == 1 + 1 / 2


def test_largest_grades_do_not_overflow():
    """M4: the value is defined even for the largest accepted grade."""
    judgments = dict.fromkeys(range(1000), 1e290)
    assert ndcg_at_k(range(1000), judgments, k=1000) == 1.0


def test_rounding_never_makes_a_ranking_exceed_the_ideal():
    """M4: these grades differ in their last bits, and the plain quotient would exceed 1."""
    low, high = 0.1, math.nextafter(math.nextafter(0.1, 1), 1)
    grades = {"a": high, "b": low, "c": high}
    assert dcg_at_k(["a", "b", "c"], grades, k=3) > dcg_at_k(["a", "c", "b"], grades, k=3)
    assert ndcg_at_k(["a", "b", "c"], grades, k=3) == 1.0
