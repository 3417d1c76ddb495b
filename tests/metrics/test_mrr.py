import pytest

from arrays import float32, ids
from berryeval.metrics import mrr


def reciprocal_ranks(retrieved, relevant, k):
    """Return the reciprocal rank of each query as a list."""
    return mrr(ids(retrieved), ids(relevant), k).tolist()


def test_relevant_document_first_is_perfect():
    """M3: rank 1 gives 1."""
    assert reciprocal_ranks([[1, 8]], [[1]], 2) == [1.0]


def test_finding_no_relevant_document_is_zero():
    """M3: there is no first relevant document."""
    assert reciprocal_ranks([[8, 9]], [[1]], 2) == [0.0]


def test_first_relevant_document_at_rank_three_is_a_third():
    """M3, B2: 1/3 in float64, rounded once; 2, further down, does not matter."""
    assert reciprocal_ranks([[8, 9, 1, 2]], [[2, 1]], 4) == float32(1 / 3)


def test_k_of_one_is_all_or_nothing():
    """M3: with one cell to look at, the value is 1 or 0."""
    assert reciprocal_ranks([[1, 8], [8, 1]], [[1], [1]], 1) == [1.0, 0.0]


@pytest.mark.parametrize(("k", "expected"), [(4, 0.0), (5, 0.2)])
def test_hit_exactly_at_k_counts(k, expected):
    """M3, B: rank 5 gives 0.2, unless k stops short of it."""
    assert reciprocal_ranks([[6, 7, 8, 9, 1]], [[1]], k) == float32(expected)


def test_each_query_is_scored_by_its_own_row():
    """M3, L: the first relevant documents are at 2, 1 and 3; the mean is 0.6111."""
    values = reciprocal_ranks([[1, 2, 3]] * 3, [[2], [1], [3]], 3)
    assert values == float32(1 / 2, 1, 1 / 3)
    assert round(sum(values) / 3, 4) == 0.6111


def test_ranks_one_two_and_five():
    """X: the mean of ranks 1, 2 and 5 is 0.567."""
    values = reciprocal_ranks([[1, 2, 3, 4, 5]] * 3, [[1], [2], [5]], 5)
    assert values == float32(1, 1 / 2, 1 / 5)
    assert round(sum(values) / 3, 3) == 0.567


@pytest.mark.parametrize("relevant", [[[-1, -1]], [[]]])
def test_no_relevant_document_at_all_is_zero(relevant):
    """B4: an empty relevant row gives 0.0."""
    assert reciprocal_ranks([[-1, 1]], relevant, 2) == [0.0]


def test_if_everything_is_relevant_the_first_cell_decides():
    """M3: the first document is the first relevant one."""
    assert reciprocal_ranks([[3, 2, 1]], [[1, 2, 3]], 3) == [1.0]


@pytest.mark.parametrize(
    ("retrieved", "expected"),
    [([-1, -1, 1], 1 / 3), ([8, -1, 1], 1 / 3), ([8, 1, -1], 1 / 2)],
)
@pytest.mark.parametrize("relevant", [[-1, 1], [1, -1]])
def test_padding_keeps_its_position_and_does_not_match(retrieved, relevant, expected):
    """B4: padding before the hit pushes it down; padding on both sides does not match."""
    assert reciprocal_ranks([retrieved], [relevant], 3) == float32(expected)


def test_repeat_in_retrieved_keeps_its_position():
    """B4: the second 8 still occupies rank 2."""
    assert reciprocal_ranks([[8, 8, 1, 1]], [[1]], 4) == float32(1 / 3)


def test_repeat_in_relevant_changes_nothing():
    """B4: 1 is relevant, once."""
    assert reciprocal_ranks([[8, 1]], [[1, 1, 1]], 2) == [0.5]


def test_other_negative_ids_are_ordinary_documents():
    """B4: -2 can be the first relevant document."""
    assert reciprocal_ranks([[-3, -2]], [[-2, -1]], 2) == [0.5]


def test_five_documents_of_which_three_are_relevant():
    """B: retrieved 1-5, relevant 1, 3, 5 (padded), k = 5."""
    assert reciprocal_ranks([[1, 2, 3, 4, 5]], [[1, 3, 5, -1, -1]], 5) == [1.0]
