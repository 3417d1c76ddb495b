import pytest

from berryeval.ranking import mean_metrics, recall_at_k


def test_finding_every_relevant_document_is_perfect():
    """M1: all of a and b are in the first two."""
    assert recall_at_k(["b", "a", "x"], {"a", "b"}, k=2) == 1.0


def test_finding_no_relevant_document_is_zero():
    """M1, A: neither x nor y was judged."""
    assert recall_at_k(["x", "y"], {"a": 2}, k=2) == 0.0


def test_finding_two_of_three_relevant_documents_is_two_thirds():
    """M1, A: a and b are found, d is not; prints as 0.667."""
    assert recall_at_k(["a", "b", "c"], {"a": 2, "b": 1, "d": 2}, k=3) == 2 / 3


def test_k_of_one_looks_at_the_first_document_only():
    """M1: one of four relevant documents can be at rank 1."""
    assert recall_at_k(["a", "b", "c", "d"], set("abcd"), k=1) == 1 / 4


@pytest.mark.parametrize(("k", "expected"), [(2, 0.0), (3, 1.0)])
def test_hit_exactly_at_k_counts(k, expected):
    """M1: rank 3 is within the first 3 and not within the first 2."""
    assert recall_at_k(["x", "y", "a"], {"a"}, k) == expected


def test_mean_over_queries_weights_them_equally():
    """M1: recalls of 1, 1/2 and 0 average to 1/2."""
    records = [
        {"retrieved": ["a"], "relevant": {"a"}},
        {"retrieved": ["a"], "relevant": {"a", "b"}},
        {"retrieved": ["x"], "relevant": {"a", "b", "c"}},
    ]
    assert mean_metrics(records, ks=(1,))["recall"] == {1: (1 + 1 / 2 + 0) / 3}


@pytest.mark.parametrize("judgments", [set(), {}, [], {"a": 0}, {"a": -1}])
def test_no_relevant_document_at_all_is_zero(judgments):
    """M1, A: nothing to find gives 0.0, not an error."""
    assert recall_at_k(["a"], judgments, k=1) == 0.0


def test_empty_list_is_zero():
    """M1, A: nothing retrieved finds nothing."""
    assert recall_at_k([], {"a": 2}, k=3) == 0.0


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_if_everything_is_relevant_recall_grows_with_k(k):
    """M1: the first k of four relevant documents are k/4 of them."""
    assert recall_at_k(list("abcd"), set("abcd"), k) == k / 4


@pytest.mark.parametrize(("k", "expected"), [(1, 0.0), (3, 0.25), (5, 0.5), (10, 0.75)])
def test_lesson_example_follows_the_definition(k, expected):
    """M1, L: one of four is in the first 3, so 0.25, even if the lesson prints another number."""
    retrieved = ["d3", "d1", "d7", "d2", "d5", "d8", "d4"]
    assert recall_at_k(retrieved, {"d1", "d2", "d4", "d6"}, k) == expected


@pytest.mark.parametrize(
    ("relevant", "at_5", "at_10"),
    [({1, 2, 10}, 2 / 3, 1.0), ({1, 5, 97, 98}, 0.5, 0.5), ({6, 7, 97, 98}, 0.0, 0.5)],
)
def test_ten_results_at_five_and_ten(relevant, at_5, at_10):
    """M1, X: recall@10 of 3 of 3 is 1 and of 2 of 4 is 0.5; recall@5 stops at rank 5."""
    retrieved = range(1, 11)
    assert recall_at_k(retrieved, relevant, 5) == at_5
    assert recall_at_k(retrieved, relevant, 10) == at_10


def test_relevant_documents_not_retrieved_are_counted():
    """D2: every returned document is relevant, but only half of the relevant were found."""
    assert recall_at_k(["a", "b"], set("abcd"), k=2) == 0.5


def test_repeated_id_counts_once_and_keeps_its_rank():
    """M1: the second a earns nothing and pushes b to rank 3."""
    assert recall_at_k(["a", "a", "b"], {"a", "b"}, k=2) == 0.5
    assert recall_at_k(["a", "a", "b"], {"a", "b"}, k=3) == 1.0


@pytest.mark.parametrize(("level", "expected"), [(0, 2 / 4), (1, 2 / 3), (2, 1 / 2), (4, 0.0)])
def test_level_decides_what_is_relevant(level, expected):
    """M1: at level 2 only a and d are relevant, at level 0 also c; -1 never is."""
    judgments = {"a": 3, "b": 1, "c": 0, "d": 2, "e": -1}
    assert recall_at_k(["a", "b", "e"], judgments, k=3, level=level) == expected


def test_grade_between_zero_and_one_is_not_relevant():
    """M9: float grades are compared with the level without rounding."""
    judgments = {"a": 0.5, "b": 1.0}
    assert recall_at_k(["a"], judgments, k=1) == 0.0
    assert recall_at_k(["a"], judgments, k=1, level=0.5) == 0.5
