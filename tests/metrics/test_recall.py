import pytest

from arrays import float32, ids
from berryeval.metrics import recall_at_k


def recall(retrieved, relevant, k):
    """Return the recall of each query as a list."""
    return recall_at_k(ids(retrieved), ids(relevant), k).tolist()


def test_finding_every_relevant_document_is_perfect():
    """M1: 1 and 2 are both in the first three."""
    assert recall([[2, 7, 1]], [[1, 2]], 3) == [1.0]


def test_finding_no_relevant_document_is_zero():
    """M1: neither 8 nor 9 is relevant."""
    assert recall([[8, 9]], [[1, 2]], 2) == [0.0]


def test_finding_two_of_three_relevant_documents_is_two_thirds():
    """M1, B2: 2/3 in float64, rounded once to float32."""
    assert recall([[1, 2, 8]], [[1, 2, 3]], 3) == float32(2 / 3)


def test_k_of_one_looks_at_the_first_cell_only():
    """M1: one of four relevant documents can be at rank 1."""
    assert recall([[1, 2, 3, 4]], [[1, 2, 3, 4]], 1) == [0.25]


@pytest.mark.parametrize(("k", "expected"), [(2, 0.0), (3, 1.0)])
def test_hit_exactly_at_k_counts(k, expected):
    """M1: rank 3 is within the first 3 and not within the first 2."""
    assert recall([[8, 9, 1, 7]], [[1]], k) == [expected]


def test_each_query_is_scored_by_its_own_row():
    """B2: the relevant documents of other queries do not matter."""
    retrieved = [[1, 2], [1, 2], [1, 2], [3, 1]]
    relevant = [[1, 2, -1], [2, 8, 9], [7, 8, 9], [1, 2, 3]]
    assert recall(retrieved, relevant, 2) == float32(1, 1 / 3, 0, 2 / 3)


@pytest.mark.parametrize("relevant", [[[-1, -1]], [[]]])
def test_no_relevant_document_at_all_is_zero(relevant):
    """B4: an empty relevant row gives 0.0, whether padded or without columns."""
    assert recall([[1, -1]], relevant, 2) == [0.0]


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_if_everything_is_relevant_recall_grows_with_k(k):
    """M1: the first k of four relevant documents are k/4 of them."""
    assert recall([[4, 3, 2, 1]], [[1, 2, 3, 4]], k) == [k / 4]


@pytest.mark.parametrize("retrieved", [[-1, 1, 2], [1, -1, 2], [1, 2, -1]])
@pytest.mark.parametrize("relevant", [[-1, 1, 3], [1, -1, 3], [1, 3, -1]])
def test_padding_is_skipped_at_any_position(retrieved, relevant):
    """B4: 1 of the relevant 1 and 3 is found; padding on both sides does not match."""
    assert recall([retrieved], [relevant], 3) == [0.5]


def test_padding_keeps_its_position():
    """B4: the first k cells are taken first, so 1 is at rank 3."""
    assert recall([[-1, -1, 1]], [[1]], 2) == [0.0]
    assert recall([[-1, -1, 1]], [[1]], 3) == [1.0]


def test_repeat_in_retrieved_counts_once_and_keeps_its_position():
    """B4: three times 1 is one of two; 2 is at rank 4."""
    assert recall([[1, 1, 1, 2]], [[1, 2]], 3) == [0.5]
    assert recall([[1, 1, 1, 2]], [[1, 2]], 4) == [1.0]


def test_repeat_in_relevant_counts_once():
    """B4: there are two relevant documents, not four."""
    assert recall([[1, 8]], [[1, 1, 2, 1]], 2) == [0.5]


def test_other_negative_ids_are_ordinary_documents():
    """B4: only -1 is padding, and the limits of int32 are ids like any other."""
    assert recall([[-2, -(2**31), 2**31 - 1]], [[-2, -(2**31), 2**31 - 1, -3]], 3) == [0.75]


def test_five_documents_of_which_three_are_relevant():
    """B: retrieved 1-5, relevant 1, 3, 5 (padded), k = 5."""
    assert recall([[1, 2, 3, 4, 5]], [[1, 3, 5, -1, -1]], 5) == [1.0]


@pytest.mark.parametrize(("k", "expected"), [(1, 0.0), (3, 0.25), (5, 0.5), (7, 0.75)])
def test_lesson_example_follows_the_definition(k, expected):
    """M1, L: three of four relevant documents in seven, the first at rank 2."""
    assert recall([[3, 1, 7, 2, 5, 8, 4]], [[1, 2, 4, 6]], k) == [expected]


def test_ten_results_at_five_and_ten():
    """X: 3 of 3 is 1 and 2 of 4 is 0.5 at 10; at 5 it is 2/3 and 0.25."""
    retrieved = [list(range(1, 11))] * 2
    relevant = [[1, 2, 10, -1], [1, 6, 98, 99]]
    assert recall(retrieved, relevant, 10) == [1.0, 0.5]
    assert recall(retrieved, relevant, 5) == float32(2 / 3, 0.25)
