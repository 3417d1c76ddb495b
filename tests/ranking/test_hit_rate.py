import pytest

from berryeval.ranking import hit_rate_at_k, mean_metrics


def test_relevant_document_first_is_a_hit_at_every_k():
    """M6: rank 1 is within any k."""
    assert [hit_rate_at_k(["a", "x"], {"a"}, k) for k in (1, 2, 10)] == [1.0, 1.0, 1.0]


def test_finding_no_relevant_document_is_not_a_hit():
    """M6, A: neither x nor y is relevant."""
    assert hit_rate_at_k(["x", "y"], {"a"}, k=2) == 0.0


def test_one_of_many_relevant_documents_is_a_full_hit():
    """M6, A: one is enough; there are no partial hits."""
    assert hit_rate_at_k(["x", "a"], {"a", "b", "c"}, k=2) == 1.0


@pytest.mark.parametrize(("first", "expected"), [("a", 1.0), ("x", 0.0)])
def test_k_of_one_looks_at_the_first_document_only(first, expected):
    """M6: the a at rank 2 does not help."""
    assert hit_rate_at_k([first, "a"], {"a"}, k=1) == expected


@pytest.mark.parametrize(("k", "expected"), [(2, 0.0), (3, 1.0)])
def test_hit_exactly_at_k_counts(k, expected):
    """M6: rank 3 is within the first 3 and not within the first 2."""
    assert hit_rate_at_k(["x", "y", "a"], {"a"}, k) == expected


def test_mean_over_queries_is_the_share_of_queries_with_a_hit():
    """M6, L: hits at 2, none, 1, 3: 0.25 at 1, 0.75 at 3 and at 5."""
    records = [{"retrieved": [1, 2, 3, 4, 5], "relevant": {rank}} for rank in (2, 99, 1, 3)]
    assert mean_metrics(records, ks=(1, 3, 5))["hit_rate"] == {1: 0.25, 3: 0.75, 5: 0.75}


@pytest.mark.parametrize("judgments", [set(), {}, {"a": 0}, {"a": -1}])
def test_no_relevant_document_at_all_is_not_a_hit(judgments):
    """M6: a document graded 0 or less is not a hit."""
    assert hit_rate_at_k(["a"], judgments, k=1) == 0.0


def test_empty_list_is_not_a_hit():
    """M10: an empty list has a defined value."""
    assert hit_rate_at_k([], {"a"}, k=1) == 0.0


def test_if_everything_is_relevant_it_is_still_one_hit():
    """M6: three relevant documents give 1.0."""
    assert hit_rate_at_k(list("abc"), set("abc"), k=3) == 1.0


@pytest.mark.parametrize(("level", "expected"), [(0, 1.0), (1, 1.0), (2, 0.0)])
def test_level_decides_what_is_relevant(level, expected):
    """M6: the only judged document has grade 1; an unjudged one is not a hit at any level."""
    assert hit_rate_at_k(["a"], {"a": 1}, k=1, level=level) == expected
    assert hit_rate_at_k(["x"], {"a": 1}, k=1, level=level) == 0.0
