import pytest

from berryeval.ranking import mean_metrics, reciprocal_rank


def ranked_lists(*ranks):
    """Return one record per rank, whose only relevant document is at that rank."""
    return [{"retrieved": range(1, 11), "relevant": {rank}} for rank in ranks]


def test_relevant_document_first_is_perfect():
    """M3, A: rank 1 gives 1."""
    assert reciprocal_rank(["a", "b"], {"a"}) == 1.0


def test_finding_no_relevant_document_is_zero():
    """M3, A: there is no first relevant document."""
    assert reciprocal_rank(["x", "y"], {"a"}) == 0.0


def test_first_relevant_document_at_rank_two_is_a_half():
    """M3, A: b, further down, does not matter."""
    assert reciprocal_rank(["x", "a", "b"], {"a": 2, "b": 1}) == 1 / 2


@pytest.mark.parametrize(("first", "expected"), [("a", 1.0), ("x", 0.0)])
def test_k_of_one_is_all_or_nothing(first, expected):
    """M3: with one rank to look at, the value is 1 or 0."""
    assert reciprocal_rank([first, "a"], {"a"}, k=1) == expected


@pytest.mark.parametrize(("k", "expected"), [(4, 0.0), (5, 0.2), (None, 0.2)])
def test_hit_exactly_at_k_counts(k, expected):
    """M3, B: rank 5 gives 0.2, unless k stops short of it."""
    assert reciprocal_rank(range(1, 11), {5}, k) == expected


def test_mean_over_queries_is_mrr():
    """M3, L: the first relevant documents are at 2, 1 and 3: 0.6111."""
    mrr = mean_metrics(ranked_lists(2, 1, 3))["mrr"]
    assert mrr == pytest.approx((1 / 2 + 1 + 1 / 3) / 3)
    assert round(mrr, 4) == 0.6111


def test_mean_over_queries_with_ranks_one_two_and_five():
    """M3, X: ranks 1, 2, 5: 0.567."""
    mrr = mean_metrics(ranked_lists(1, 2, 5))["mrr"]
    assert mrr == pytest.approx((1 + 1 / 2 + 1 / 5) / 3)
    assert round(mrr, 3) == 0.567


def test_mean_over_no_queries_is_zero():
    """M10, X: no queries give an MRR of 0."""
    assert mean_metrics([])["mrr"] == 0.0


@pytest.mark.parametrize("judgments", [set(), {}, {"a": 0}, {"a": -2}])
def test_no_relevant_document_at_all_is_zero(judgments):
    """M3: a document graded 0 or less does not count as relevant."""
    assert reciprocal_rank(["a", "b"], judgments) == 0.0


def test_empty_list_is_zero():
    """M10: an empty list has a defined value."""
    assert reciprocal_rank([], {"a"}) == 0.0


def test_if_everything_is_relevant_the_first_rank_decides():
    """M3: the first document is the first relevant one."""
    assert reciprocal_rank(list("abc"), set("abc")) == 1.0


def test_without_k_the_whole_list_counts():
    """M3: rank 1000 is found."""
    assert reciprocal_rank(range(1, 1001), {1000}) == 1 / 1000


def test_repeats_keep_their_rank():
    """M3: the second x still occupies rank 2."""
    assert reciprocal_rank(["x", "x", "a"], {"a"}) == 1 / 3


@pytest.mark.parametrize(("level", "expected"), [(0, 1 / 2), (1, 1 / 3), (2, 1 / 4), (3, 0.0)])
def test_level_decides_what_is_relevant(level, expected):
    """M3: no grade, 0, 1, 2 in rank order; an unjudged document is relevant at no level."""
    judgments = {"a": 0, "b": 1, "c": 2}
    assert reciprocal_rank(["x", "a", "b", "c"], judgments, level=level) == expected
