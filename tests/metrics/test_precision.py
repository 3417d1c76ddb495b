import pytest

from arrays import float32, ids
from berryeval import ranking
from berryeval.metrics import precision_at_k


def precision(retrieved, relevant, k, **options):
    """Return the precision of each query as a list."""
    return precision_at_k(ids(retrieved), ids(relevant), k, **options).tolist()


def test_first_k_all_relevant_is_perfect():
    """M2: both of the first two are relevant."""
    assert precision([[2, 1, 8]], [[1, 2]], 2) == [1.0]


def test_finding_no_relevant_document_is_zero():
    """M2: neither 8 nor 9 is relevant."""
    assert precision([[8, 9]], [[1, 2]], 2) == [0.0]


def test_two_relevant_of_three_is_two_thirds():
    """M2, B2: 2/3 in float64, rounded once to float32."""
    assert precision([[1, 8, 2]], [[1, 2]], 3) == float32(2 / 3)


def test_k_of_one_is_all_or_nothing():
    """M2: a single cell is relevant or it is not."""
    assert precision([[1, 8], [8, 1]], [[1], [1]], 1) == [1.0, 0.0]


@pytest.mark.parametrize(("k", "expected"), [(3, 0.0), (4, 0.25)])
def test_hit_exactly_at_k_counts(k, expected):
    """M2: rank 4 is within the first 4 and not within the first 3."""
    assert precision([[7, 8, 9, 1, 6]], [[1]], k) == [expected]


def test_each_query_is_scored_by_its_own_row():
    """B2: the relevant documents of other queries do not matter."""
    retrieved = [[1, 2, 3], [1, 2, 3], [1, 2, 3], [9, 8, 7]]
    relevant = [[1, 2, 3], [2, 8, 9], [7, 8, 9], [9, 7, 1]]
    assert precision(retrieved, relevant, 3) == float32(1, 1 / 3, 0, 2 / 3)


@pytest.mark.parametrize("relevant", [[[-1, -1]], [[]]])
def test_no_relevant_document_at_all_is_zero(relevant):
    """B4: an empty relevant row gives 0.0."""
    assert precision([[1, -1]], relevant, 2) == [0.0]


def test_nothing_returned_is_zero():
    """M2, B4: a row of padding gives 0.0 with either denominator."""
    assert precision([[-1, -1]], [[1]], 2) == [0.0]
    assert precision([[-1, -1]], [[1]], 2, denominator="k") == [0.0]


@pytest.mark.parametrize("k", [1, 2, 4])
def test_if_everything_is_relevant_precision_is_one_at_every_k(k):
    """M2: each of the first k is relevant."""
    assert precision([[4, 3, 2, 1]], [[1, 2, 3, 4]], k) == [1.0]


@pytest.mark.parametrize("retrieved", [[-1, 1, 8, 9], [1, -1, 8, 9], [1, 8, 9, -1]])
@pytest.mark.parametrize("relevant", [[-1, 1], [1, -1]])
def test_padding_does_not_count_as_returned(retrieved, relevant):
    """B4: one of three documents; padding on both sides does not match."""
    assert precision([retrieved], [relevant], 4) == float32(1 / 3)


def test_padding_keeps_its_position():
    """B4: the first 2 cells contain one document, which is not relevant."""
    assert precision([[-1, 8, 1]], [[1]], 2) == [0.0]


def test_repeat_in_retrieved_earns_once_and_counts_as_returned():
    """B4: one of three cells with a document earns."""
    assert precision([[1, 1, 8, -1]], [[1]], 4) == float32(1 / 3)


def test_repeat_in_relevant_changes_nothing():
    """B4: 1 is relevant, once."""
    assert precision([[1, 8]], [[1, 1, 1]], 2) == [0.5]


def test_other_negative_ids_are_ordinary_documents():
    """B4: -2 and -3 were returned, and -2 is relevant."""
    assert precision([[-2, -3, -1]], [[-2, -1]], 3) == [0.5]


def test_denominators_differ_on_short_lists():
    """D1: two documents at k = 5, both relevant: 1 by the returned, 2/5 by k."""
    retrieved, relevant = [[1, 2, -1, -1, -1]], [[1, 2]]
    of_one_list = ranking.precision_at_k([1, 2], {1, 2}, k=5)
    assert (precision(retrieved, relevant, 5), of_one_list) == ([1.0], 0.4)
    assert precision(retrieved, relevant, 5, denominator="k") == float32(of_one_list)


@pytest.mark.parametrize("k", [1, 2, 3])
def test_denominators_agree_if_k_documents_were_returned(k):
    """D1: they differ only on short lists."""
    retrieved, relevant = [[1, 8, 2, -1]], [[1, 2]]
    by_returned = precision(retrieved, relevant, k, denominator="returned")
    assert precision(retrieved, relevant, k, denominator="k") == by_returned


def test_five_documents_of_which_three_are_relevant():
    """B: retrieved 1-5, relevant 1, 3, 5 (padded), k = 5: 0.6."""
    assert precision([[1, 2, 3, 4, 5]], [[1, 3, 5, -1, -1]], 5) == float32(0.6)


@pytest.mark.parametrize(("k", "expected"), [(1, 1.0), (3, 2 / 3), (5, 0.4)])
def test_lesson_example(k, expected):
    """M2, L: 1, 0.6667 and 0.4."""
    assert precision([[1, 3, 2, 7, 5]], [[1, 2, 4]], k) == float32(expected)


def test_ten_results_at_five_and_ten():
    """X: 1 in 5 is 0.2, 3 in 5 is 0.6, all is 1; 2 in 10 is 0.2."""
    relevant = [[3, -1, -1, -1, -1], [1, 3, 5, -1, -1], [1, 2, 3, 4, 5], [1, 10, -1, -1, -1]]
    retrieved = [list(range(1, 11))] * 4
    assert precision(retrieved, relevant, 5) == float32(0.2, 0.6, 1, 0.2)
    assert precision(retrieved, relevant, 10) == float32(0.1, 0.3, 0.5, 0.2)
