import pytest

from arrays import float32, ids
from berryeval.metrics import average_precision


def precisions(retrieved, relevant, k):
    """Return the average precision of each query as a list."""
    return average_precision(ids(retrieved), ids(relevant), k).tolist()


def test_relevant_documents_on_top_are_perfect():
    """M5: precision is 1 at rank 1 and at rank 2."""
    assert precisions([[2, 1, 8]], [[1, 2]], 3) == [1.0]


def test_finding_no_relevant_document_is_zero():
    """M5: nothing is added up."""
    assert precisions([[8, 9]], [[1]], 2) == [0.0]


def test_precision_at_each_relevant_document_is_averaged():
    """M5, A: 1/1 at rank 1 and 2/3 at rank 3; prints as 0.833."""
    assert precisions([[1, 8, 2, 9]], [[1, 2]], 4) == float32((1 / 1 + 2 / 3) / 2)


def test_k_of_one_still_divides_by_all_relevant_documents():
    """M5: precision 1 at rank 1, over four relevant documents."""
    assert precisions([[1, 2, 3, 4]], [[1, 2, 3, 4]], 1) == [0.25]


@pytest.mark.parametrize(("k", "expected"), [(2, 0.0), (3, 1 / 3)])
def test_hit_exactly_at_k_counts(k, expected):
    """M5: the only relevant document is at rank 3."""
    assert precisions([[8, 9, 1, 7]], [[1]], k) == float32(expected)


def test_each_query_is_scored_by_its_own_row():
    """M5: hits at 1 and 2, at 2, nowhere, and at 2 and 3."""
    retrieved = [[1, 2, 3]] * 4
    relevant = [[1, 2], [2, -1], [8, 9], [2, 3]]
    expected = float32(1, 1 / 2, 0, (1 / 2 + 2 / 3) / 2)
    assert precisions(retrieved, relevant, 3) == expected


@pytest.mark.parametrize("relevant", [[[-1, -1]], [[]]])
def test_no_relevant_document_at_all_is_zero(relevant):
    """B4: an empty relevant row gives 0.0, not a division by zero."""
    assert precisions([[1, -1]], relevant, 2) == [0.0]


def test_if_everything_is_relevant_it_is_perfect():
    """M5: precision is 1 at each of the four ranks."""
    assert precisions([[4, 3, 2, 1]], [[1, 2, 3, 4]], 4) == [1.0]


def test_relevant_documents_not_retrieved_contribute_zero():
    """M5, D2: one of four relevant documents is found, at rank 1."""
    assert precisions([[1, 9]], [[1, 2, 3, 4]], 2) == [0.25]


def test_divides_by_all_relevant_documents_even_beyond_k():
    """M5: with k = 2 and three relevant documents the best value is 2/3, not 1."""
    assert precisions([[1, 2, 3]], [[1, 2, 3]], 2) == float32(2 / 3)


@pytest.mark.parametrize(
    ("retrieved", "expected"),
    [
        ([-1, 1, 2], (1 / 2 + 2 / 3) / 2),
        ([1, -1, 2], (1 / 1 + 2 / 3) / 2),
        ([1, 2, -1], (1 / 1 + 2 / 2) / 2),
    ],
)
@pytest.mark.parametrize("relevant", [[-1, 1, 2], [1, -1, 2], [1, 2, -1]])
def test_padding_keeps_its_position_and_does_not_match(retrieved, relevant, expected):
    """B4: ranks are those of the cells; padding on both sides does not match."""
    assert precisions([retrieved], [relevant], 3) == float32(expected)


def test_repeat_in_retrieved_counts_once_and_keeps_its_position():
    """B4: 2 is at rank 3, where two of three are relevant and new."""
    assert precisions([[1, 1, 2]], [[1, 2]], 3) == float32((1 / 1 + 2 / 3) / 2)


def test_repeat_in_relevant_counts_once():
    """B4: there are two relevant documents, not four."""
    assert precisions([[1, 8]], [[1, 1, 2, 1]], 2) == [0.5]


def test_other_negative_ids_are_ordinary_documents():
    """B4: -2 is relevant, at rank 2."""
    assert precisions([[-3, -2]], [[-2, -1]], 2) == [0.5]


def test_lesson_example_by_hand():
    """M5: relevant documents are at ranks 2, 4 and 7, of four in total."""
    retrieved = [[3, 1, 7, 2, 5, 8, 4]]
    expected = (1 / 2 + 2 / 4 + 3 / 7) / 4
    assert precisions(retrieved, [[1, 2, 4, 6]], 7) == float32(expected)


def test_long_sum_is_computed_in_float64():
    """B2: every second of 1,999 cells is relevant; float32 intermediate sums would show."""
    n_relevant = 1000
    retrieved = [range(2 * n_relevant - 1)]
    relevant = [range(0, 2 * n_relevant - 1, 2)]
    expected = sum(found / (2 * found - 1) for found in range(1, n_relevant + 1)) / n_relevant
    assert precisions(retrieved, relevant, 2 * n_relevant - 1) == float32(expected)
