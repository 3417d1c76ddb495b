"""Every system against every other, and how alike they are."""

import pytest

from berryeval import ArgumentError, compare
from berryeval.evaluation.all_pairs import all_pairs, order_similarity, run_similarity
from berryeval.stats import paired_t, rank_biased_overlap, tukey_hsd

DEPTHS = (0, 1, 2, 0, 3, 1, 0, 2)
JUDGMENTS = {f"q{i}": {"d": 1} for i in range(8)}
A = {f"q{i}": [f"x{j}" for j in range(depth)] + ["d"] for i, depth in enumerate(DEPTHS)}
B = {**A, "q1": ["d"], "q2": ["x0", "d"], "q3": ["x0", "d"], "q4": ["x0", "x1", "d"]}
C = {query: ["y", *ranking] for query, ranking in A.items()}


def three():
    return compare(JUDGMENTS, {"a": A, "b": B, "c": C}, ["RR", "P@2"], n_resamples=500)


def test_each_pair_has_its_difference_and_a_p_value():
    """Of all pairs together: the studentized range over scores of queries and systems."""
    found = [pair for pair in all_pairs(three(), "ordinary") if str(pair.measure) == "RR"]
    assert [(pair.first, pair.second) for pair in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    scores = [[run[f"q{i}"].index("d") for run in (A, B, C)] for i in range(8)]
    expected = tukey_hsd([[1 / (rank + 1) for rank in row] for row in scores])
    assert found[1].p_value == pytest.approx(expected[0, 2])
    assert found[0].difference == pytest.approx(three().difference("b", "RR").mean)


@pytest.mark.parametrize("measure", ["GMAP", "NumRet", "Unjudged@2"])
def test_differences_of_pairs_are_those_of_the_comparison(measure):
    """Also where means are geometric, sums are reported, or lower is better."""
    comparison = compare(JUDGMENTS, {"a": A, "b": B, "c": C}, measure)
    found = {(pair.first, pair.second): pair.difference for pair in all_pairs(comparison)}
    for difference in comparison.differences:
        assert found["a", difference.system] == pytest.approx(difference.mean)


def test_two_systems_are_a_paired_t_test():
    """Tukey's HSD of one pair is that."""
    comparison = compare(JUDGMENTS, {"a": A, "c": C}, "RR")
    [pair] = all_pairs(comparison, "ordinary")
    expected = paired_t(comparison.differences[0].values).p_value
    assert pair.p_value == pytest.approx(expected, abs=1e-6)


def test_by_permutation_p_is_never_zero():
    """And the same for the same seed."""
    first, second = all_pairs(three()), all_pairs(three())
    assert first == second
    assert all(0 < pair.p_value <= 1 for pair in first)


def test_methods_and_numbers_that_cannot_be_are_errors():
    """One query has no spread."""
    with pytest.raises(ArgumentError, match="expected 'randomised' or 'ordinary'"):
        all_pairs(three(), "guess")
    with pytest.raises(ArgumentError, match="at least two queries"):
        all_pairs(compare({"q1": {"d": 1}}, {"a": A, "b": B}, "RR"))


def test_rankings_are_as_alike_as_their_overlap():
    """The mean of rank-biased overlaps; taus of the documents in both."""
    found = {(one.first, one.second): one for one in run_similarity(three())}
    expected = sum(rank_biased_overlap(A[q], B[q]) for q in A) / len(A)
    assert found["a", "b"].overlap == pytest.approx(expected)
    assert found["a", "c"].tau == pytest.approx(1.0)  # one new document in front of each
    assert found["a", "c"].tau_ap == pytest.approx(1.0)


def test_rankings_without_two_common_documents_have_no_tau():
    """None says so, and the overlap of nothing is 0."""
    runs = {"a": {"q1": ["x"]}, "b": {"q1": ["y"]}}
    [one] = run_similarity(compare({"q1": {"d": 1}}, runs, "RR"))
    assert (one.overlap, one.tau, one.tau_ap) == (0.0, None, None)


def test_measures_may_order_systems_alike():
    """b, a, c by both."""
    [one] = order_similarity(three())
    assert (str(one.first), str(one.second)) == ("RR", "P@2")
    assert -1 <= one.tau <= 1
    assert -1 <= one.tau_ap <= 1
