import pytest

from berryeval.ranking import mean_metrics, precision_at_k


def test_first_k_all_relevant_is_perfect():
    """M2, A: both of the first two are relevant."""
    assert precision_at_k(["a", "b", "c"], {"a": 2, "b": 1}, k=2) == 1.0


def test_finding_no_relevant_document_is_zero():
    """M2: neither of the first two is relevant."""
    assert precision_at_k(["x", "y"], {"a"}, k=2) == 0.0


def test_two_relevant_of_three_is_two_thirds():
    """M2, A: c is not relevant; prints as 0.667."""
    assert precision_at_k(["a", "b", "c"], {"a": 2, "b": 1}, k=3) == 2 / 3


@pytest.mark.parametrize(("first", "expected"), [("a", 1.0), ("x", 0.0)])
def test_k_of_one_is_all_or_nothing(first, expected):
    """M2: a single rank is relevant or it is not."""
    assert precision_at_k([first, "b"], {"a", "b"}, k=1) == expected


@pytest.mark.parametrize(("k", "expected"), [(3, 0.0), (4, 1 / 4)])
def test_hit_exactly_at_k_counts(k, expected):
    """M2: rank 4 is within the first 4 and not within the first 3."""
    assert precision_at_k(["x", "y", "z", "a"], {"a"}, k) == expected


def test_mean_over_queries_weights_them_equally():
    """M2: precisions of 1, 1/2 and 0 average to 1/2."""
    records = [
        {"retrieved": ["a", "b"], "relevant": {"a", "b"}},
        {"retrieved": ["a", "x"], "relevant": {"a", "b"}},
        {"retrieved": ["x", "y"], "relevant": {"a"}},
    ]
    assert mean_metrics(records, ks=(2,))["precision"] == {2: (1 + 1 / 2 + 0) / 3}


@pytest.mark.parametrize("judgments", [set(), {}, {"a": 0}])
def test_no_relevant_document_at_all_is_zero(judgments):
    """M2: nothing is relevant, so no rank has a relevant document."""
    assert precision_at_k(["a", "b"], judgments, k=2) == 0.0


def test_empty_list_is_zero():
    """M2, A: nothing retrieved gives 0.0."""
    assert precision_at_k([], {"a": 2, "b": 1}, k=3) == 0.0


@pytest.mark.parametrize("k", [1, 2, 4])
def test_if_everything_is_relevant_precision_is_one_at_every_k(k):
    """M2: each of the first k is relevant."""
    assert precision_at_k(list("abcd"), set("abcd"), k) == 1.0


@pytest.mark.parametrize(("k", "expected"), [(1, 1.0), (3, 2 / 3), (5, 2 / 5)])
def test_lesson_example(k, expected):
    """M2, L: 1, 0.6667 and 0.4."""
    retrieved = ["d1", "d3", "d2", "d7", "d5"]
    assert precision_at_k(retrieved, {"d1", "d2", "d4"}, k) == expected


@pytest.mark.parametrize(
    ("relevant", "k", "expected"),
    [
        ({3}, 5, 0.2),
        ({1, 3, 5}, 5, 0.6),
        (set(range(1, 6)), 5, 1.0),
        ({1, 10}, 10, 0.2),
        (set(range(1, 11)), 10, 1.0),
    ],
)
def test_ten_results_at_five_and_ten(relevant, k, expected):
    """M2, X: 1 in 5 is 0.2, 3 in 5 is 0.6, 2 in 10 is 0.2, all is 1."""
    assert precision_at_k(range(1, 11), relevant, k) == expected


def test_list_shorter_than_k_is_divided_by_k():
    """D1: two relevant documents alone give 2/5 at k = 5, as in trec_eval."""
    assert precision_at_k(["a", "b"], {"a", "b"}, k=5) == 2 / 5


def test_repeated_id_counts_once():
    """M2: the second a occupies a rank and earns nothing."""
    assert precision_at_k(["a", "a", "a"], {"a"}, k=3) == 1 / 3


@pytest.mark.parametrize(("level", "expected"), [(0, 3 / 6), (1, 2 / 6), (2, 1 / 6)])
def test_level_decides_what_is_relevant(level, expected):
    """M2: grades 2, 1, 0, -1 and none; the last two, and the repeat, are relevant at no level."""
    judgments = {"a": 2, "b": 1, "c": 0, "d": -1}
    assert precision_at_k(list("abcdxc"), judgments, k=6, level=level) == expected
