import pytest

from berryeval.ranking import average_precision, mean_metrics


def test_relevant_documents_on_top_are_perfect():
    """M5: precision is 1 at rank 1 and at rank 2."""
    assert average_precision(["b", "a", "x"], {"a", "b"}) == 1.0


def test_finding_no_relevant_document_is_zero():
    """M5, A: nothing is added up."""
    assert average_precision(["x", "y"], {"a"}) == 0.0


@pytest.mark.parametrize("k", [4, None])
def test_precision_at_each_relevant_document_is_averaged(k):
    """M5, A: 1/1 at rank 1 and 2/3 at rank 3; prints as 0.833."""
    value = average_precision(["a", "x", "b", "y"], {"a": 2, "b": 1}, k)
    assert value == pytest.approx((1 / 1 + 2 / 3) / 2)
    assert round(value, 3) == 0.833


def test_k_of_one_still_divides_by_all_relevant_documents():
    """M5: precision 1 at rank 1, over four relevant documents."""
    assert average_precision(list("abcd"), set("abcd"), k=1) == 1 / 4


@pytest.mark.parametrize(("k", "expected"), [(2, 0.0), (3, 1 / 3), (None, 1 / 3)])
def test_hit_exactly_at_k_counts(k, expected):
    """M5: the only relevant document is at rank 3."""
    assert average_precision(["x", "y", "a"], {"a"}, k) == expected


def test_mean_over_queries_is_map():
    """M5: 1, 1/2 and 0 average to 1/2 without a cutoff; at k = 1 only the first query earns."""
    records = [
        {"retrieved": ["a", "x"], "relevant": {"a"}},
        {"retrieved": ["x", "a"], "relevant": {"a"}},
        {"retrieved": ["x", "y"], "relevant": {"a"}},
    ]
    means = mean_metrics(records, ks=(1, 2))
    assert means["map"] == (1 + 1 / 2 + 0) / 3
    assert means["map_at"] == {1: 1 / 3, 2: (1 + 1 / 2 + 0) / 3}


@pytest.mark.parametrize("judgments", [set(), {}, {"a": 0}, {"a": -1}])
def test_no_relevant_document_at_all_is_zero(judgments):
    """M5: none relevant gives 0.0, not a division by zero."""
    assert average_precision(["a"], judgments) == 0.0


def test_empty_list_is_zero():
    """M10: an empty list has a defined value."""
    assert average_precision([], {"a"}) == 0.0


def test_if_everything_is_relevant_it_is_perfect():
    """M5: precision is 1 at each of the four ranks."""
    assert average_precision(list("abcd"), set("abcd")) == 1.0


def test_relevant_documents_not_retrieved_contribute_zero():
    """M5, D2: one of four relevant documents is found, at rank 1."""
    assert average_precision(["a"], set("abcd")) == 1 / 4


def test_divides_by_all_relevant_documents_even_beyond_k():
    """M5: with k = 2 and three relevant documents the best value is 2/3, not 1."""
    assert average_precision(["a", "b", "c"], set("abc"), k=2) == pytest.approx(2 / 3)


def test_lesson_example_by_hand():
    """M5: relevant documents are at ranks 2, 4 and 7, of four in total."""
    retrieved = ["d3", "d1", "d7", "d2", "d5", "d8", "d4"]
    expected = (1 / 2 + 2 / 4 + 3 / 7) / 4
    assert average_precision(retrieved, {"d1", "d2", "d4", "d6"}) == pytest.approx(expected)


def test_repeated_id_earns_once_and_keeps_its_rank():
    """M5: b is at rank 3, where two of three are relevant and new."""
    assert average_precision(["a", "a", "b"], {"a", "b"}) == pytest.approx((1 + 2 / 3) / 2)


@pytest.mark.parametrize(("level", "expected"), [(0, (1 / 2 + 2 / 3) / 2), (2, 1 / 3)])
def test_level_decides_what_is_relevant(level, expected):
    """M5: at level 2 only b, at rank 3, is relevant; the unjudged x is relevant at no level."""
    value = average_precision(["x", "a", "b"], {"a": 0, "b": 2}, level=level)
    assert value == pytest.approx(expected)
