"""How alike the rankings of two runs are."""

import pytest

import berryeval as be
from berryeval.errors import ArgumentError, MismatchError
from berryeval.evaluation import all_pairs
from berryeval.stats import overlap_bounds, rank_biased_overlap

A = {"q1": ["d1", "d2", "d3"], "q2": ["d1", "d2"], "q3": ["d1"], "only": ["d1"]}
B = {"q1": ["d2", "d1", "d9"], "q2": ["d1", "d2"], "q3": ["d8"]}


def test_each_query_has_its_overlap_and_its_bounds():
    """They equal those of the functions for two lists."""
    found = be.overlap(A, B)
    one = found.by_query["q1"]
    assert one.overlap == rank_biased_overlap(A["q1"], B["q1"])
    assert (one.low, one.high) == overlap_bounds(A["q1"], B["q1"])
    assert (one.tau, one.n_common, one.n_first, one.n_second) == (-1.0, 2, 3, 3)
    assert found.by_query["q3"].tau is None


def test_means_are_over_the_queries_of_both_runs():
    """A query that is only in one run does not count."""
    found = be.overlap(A, B)
    assert [*found.by_query] == ["q1", "q2", "q3"]
    assert found.n_unmatched == (1, 0)
    values = [one.overlap for one in found.by_query.values()]
    assert found.mean == pytest.approx(sum(values) / 3)
    assert found.bounds[0] <= found.mean <= found.bounds[1]
    assert found.tau == 0.0
    assert found.n_identical == 1
    assert [query_id for query_id, _ in found.most_different(2)] == ["q3", "q1"]
    assert repr(found) == f"<Overlap {found.mean:.4f} over 3 queries, p 0.9>"


def test_ties_are_in_the_usual_order():
    """Equal scores in both runs are ordered by id, so the rankings are the same."""
    tied = {"q": {"a": 1.0, "b": 1.0, "c": 1.0}}
    assert be.overlap(tied, {"q": ["c", "b", "a"]}).mean == 1.0


def test_the_depth_limits_the_ranks():
    """Ranks below it do not count; None means all ranks."""
    a, b = {"q": ["a", "b", "c"]}, {"q": ["a", "c", "b"]}
    assert be.overlap(a, b, depth=1).mean == 1.0
    assert be.overlap(a, b, depth=None).mean < 1.0
    with pytest.raises(ArgumentError, match="depth: expected"):
        be.overlap(a, b, depth=0)


def test_runs_without_a_common_query_are_rejected():
    """There is nothing to compare."""
    with pytest.raises(MismatchError, match="the two runs have no query in common"):
        be.overlap({"a": ["d"]}, {"b": ["d"]})


def test_no_common_documents_have_no_tau():
    """No query has two of them."""
    assert be.overlap({"q": ["a"]}, {"q": ["b"]}).tau is None


def test_a_comparison_shows_the_same_overlap():
    """`berryeval compare --similarity` has it for judged queries."""
    judgments = {query: {"d1": 1} for query in B}
    [similar] = all_pairs.run_similarity(be.compare(judgments, {"a": A, "b": B}, "RR"))
    assert similar.overlap == pytest.approx(be.overlap(A, B).mean)
