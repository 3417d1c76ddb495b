import pytest

from arrays import ids
from berryeval.metrics import hit_rate


def hits(retrieved, relevant, k):
    """Return the hit rate of each query as a list."""
    return hit_rate(ids(retrieved), ids(relevant), k).tolist()


@pytest.mark.parametrize("k", [1, 2, 3])
def test_relevant_document_first_is_a_hit_at_every_k(k):
    """M6: rank 1 is within any k."""
    assert hits([[1, 8, 9]], [[1]], k) == [1.0]


def test_finding_no_relevant_document_is_not_a_hit():
    """M6: neither 8 nor 9 is relevant."""
    assert hits([[8, 9]], [[1]], 2) == [0.0]


def test_one_of_many_relevant_documents_is_a_full_hit():
    """M6: one is enough; there are no partial hits."""
    assert hits([[8, 2]], [[1, 2, 3, 4]], 2) == [1.0]


def test_k_of_one_looks_at_the_first_cell_only():
    """M6: the 1 at rank 2 does not help."""
    assert hits([[1, 8], [8, 1]], [[1], [1]], 1) == [1.0, 0.0]


@pytest.mark.parametrize(("k", "expected"), [(2, 0.0), (3, 1.0)])
def test_hit_exactly_at_k_counts(k, expected):
    """M6: rank 3 is within the first 3 and not within the first 2."""
    assert hits([[8, 9, 1, 7]], [[1]], k) == [expected]


@pytest.mark.parametrize(
    ("k", "expected"), [(1, [0, 0, 1, 0]), (3, [1, 0, 1, 1]), (5, [1, 0, 1, 1])]
)
def test_each_query_is_scored_by_its_own_row(k, expected):
    """M6, L: hits at 2, none, 1, 3: one query in four at 1, three in four at 3 and 5."""
    assert hits([[1, 2, 3, 4, 5]] * 4, [[2], [99], [1], [3]], k) == expected


@pytest.mark.parametrize("relevant", [[[-1, -1]], [[]]])
def test_no_relevant_document_at_all_is_not_a_hit(relevant):
    """B4: an empty relevant row gives 0.0, even if padding was retrieved."""
    assert hits([[1, -1]], relevant, 2) == [0.0]


def test_if_everything_is_relevant_it_is_still_one_hit():
    """M6: three relevant documents give 1.0."""
    assert hits([[3, 2, 1]], [[1, 2, 3]], 3) == [1.0]


@pytest.mark.parametrize("retrieved", [[-1, 8, 1], [8, -1, 1], [8, 1, -1]])
@pytest.mark.parametrize("relevant", [[-1, 1], [1, -1]])
def test_padding_is_skipped_at_any_position(retrieved, relevant):
    """B4: 1 is found at each position."""
    assert hits([retrieved], [relevant], 3) == [1.0]


def test_padding_keeps_its_position_and_does_not_match():
    """B4: padding on both sides is not a hit, and does not move up rank 3."""
    assert hits([[-1, -1, 1]], [[1, -1]], 2) == [0.0]


def test_repeats_are_one_hit():
    """B4: this holds on either side."""
    assert hits([[1, 1, 1]], [[1, 1]], 3) == [1.0]


def test_repeat_in_retrieved_keeps_its_position():
    """B4: the second 8 still occupies rank 2."""
    assert hits([[8, 8, 1]], [[1]], 2) == [0.0]


def test_other_negative_ids_are_ordinary_documents():
    """B4: -2 can be a hit, and -3 is another document."""
    assert hits([[-2], [-3]], [[-2, -1], [-2, -1]], 1) == [1.0, 0.0]


def test_five_documents_of_which_three_are_relevant():
    """B: retrieved 1-5, relevant 1, 3, 5 (padded), k = 5."""
    assert hits([[1, 2, 3, 4, 5]], [[1, 3, 5, -1, -1]], 5) == [1.0]
