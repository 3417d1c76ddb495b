import pytest

from arrays import float32, ids
from berryeval import ranking
from berryeval.metrics import f1_at_k


def f1(retrieved, relevant, k, **options):
    """Return the F1 of each query as a list."""
    return f1_at_k(ids(retrieved), ids(relevant), k, **options).tolist()


def harmonic_mean(precision, recall):
    """Return F1 by its definition."""
    return 2 * precision * recall / (precision + recall)


def test_perfect_precision_and_recall_are_perfect():
    """M7: 2 * 1 * 1 / (1 + 1)."""
    assert f1([[2, 1]], [[1, 2]], 2) == [1.0]


def test_finding_no_relevant_document_is_zero():
    """M7: precision and recall are both 0, and the mean is 0, not NaN."""
    assert f1([[8, 9]], [[1]], 2) == [0.0]


def test_partial_precision_and_recall_give_their_harmonic_mean():
    """M7, B2: precision 2/3 and recall 2/4, rounded once to float32."""
    assert f1([[1, 8, 2]], [[1, 2, 3, 4]], 3) == float32(harmonic_mean(2 / 3, 2 / 4))


def test_k_of_one_looks_at_the_first_cell_only():
    """M7: precision 1 and recall 1/2 give 2/3; precision 0 gives 0."""
    assert f1([[1, 2], [8, 1]], [[1, 2], [1, 2]], 1) == float32(2 / 3, 0)


@pytest.mark.parametrize(("k", "expected"), [(2, 0.0), (3, 0.5)])
def test_hit_exactly_at_k_counts(k, expected):
    """M7: at 3, precision 1/3 and recall 1 give 1/2."""
    assert f1([[8, 9, 1, 7]], [[1]], k) == [expected]


def test_each_query_is_scored_by_its_own_row():
    """B2: precision and recall of 1 and 1, 1/2 and 1/3, 0 and 0."""
    relevant = [[1, 2, -1], [2, 8, 9], [7, 8, 9]]
    expected = float32(1, harmonic_mean(1 / 2, 1 / 3), 0)
    assert f1([[1, 2]] * 3, relevant, 2) == expected


@pytest.mark.parametrize("relevant", [[[-1, -1]], [[]]])
def test_no_relevant_document_at_all_is_zero(relevant):
    """B4: an empty relevant row gives 0.0."""
    assert f1([[1, -1]], relevant, 2) == [0.0]


def test_nothing_returned_is_zero():
    """B4: a row of padding gives 0.0 with either denominator."""
    assert f1([[-1, -1]], [[1]], 2) == [0.0]
    assert f1([[-1, -1]], [[1]], 2, denominator="k") == [0.0]


def test_if_everything_is_relevant_only_recall_limits_f1():
    """M7: precision 1 and recall 2/4 give 2/3."""
    assert f1([[4, 3, 2, 1]], [[1, 2, 3, 4]], 2) == float32(2 / 3)


@pytest.mark.parametrize("retrieved", [[-1, 1, 8, 9], [1, -1, 8, 9], [1, 8, 9, -1]])
@pytest.mark.parametrize("relevant", [[-1, 1], [1, -1]])
def test_padding_does_not_count_as_returned(retrieved, relevant):
    """B4: precision 1/3 of the returned and recall 1 give 1/2."""
    assert f1([retrieved], [relevant], 4) == [0.5]


def test_padding_keeps_its_position():
    """B4: 1 is at rank 3, beyond k."""
    assert f1([[-1, 8, 1]], [[1]], 2) == [0.0]


def test_repeat_in_retrieved_earns_once_and_counts_as_returned():
    """B4: precision 1/3 and recall 1/2."""
    assert f1([[1, 1, 8]], [[1, 2]], 3) == float32(harmonic_mean(1 / 3, 1 / 2))


def test_repeat_in_relevant_counts_once():
    """B4: precision 1/2 and recall 1/2."""
    assert f1([[1, 8]], [[1, 1, 2]], 2) == [0.5]


def test_other_negative_ids_are_ordinary_documents():
    """B4: precision 1/2 and recall 1."""
    assert f1([[-2, -3, -1]], [[-2, -1]], 3) == float32(2 / 3)


def test_denominators_differ_on_short_lists():
    """D1: one document at k = 5: precision is 1 by the returned, 1/5 by k."""
    retrieved, relevant = [[1, -1, -1, -1, -1]], [[1]]
    of_one_list = ranking.f1_at_k([1], {1}, k=5)
    assert f1(retrieved, relevant, 5) == [1.0]
    assert of_one_list == pytest.approx(harmonic_mean(1 / 5, 1))
    assert f1(retrieved, relevant, 5, denominator="k") == float32(of_one_list)


def test_five_documents_of_which_three_are_relevant():
    """B: precision 0.6 and recall 1 give 0.75."""
    assert f1([[1, 2, 3, 4, 5]], [[1, 3, 5, -1, -1]], 5) == [0.75]
