import math

import numpy as np
import pytest

from arrays import float32, ids
from berryeval.metrics import ndcg

SECOND = 1 / math.log2(3)
THIRD = 1 / math.log2(4)
FOURTH = 1 / math.log2(5)
FIFTH = 1 / math.log2(6)


def gains(retrieved, relevant, k, grades=None):
    """Return the nDCG of each query as a list."""
    grades = None if grades is None else np.array(grades, dtype=np.float64)
    return ndcg(ids(retrieved), ids(relevant), k, grades=grades).tolist()


def test_relevant_documents_on_top_are_perfect():
    """M4: the order of equal documents does not matter."""
    assert gains([[2, 1, 8]], [[1, 2]], 3) == [1.0]


def test_finding_no_relevant_document_is_zero():
    """M4: nothing is gained."""
    assert gains([[8, 9]], [[1]], 2) == [0.0]


def test_partial_order_earns_its_discounted_share():
    """M4, B: DCG 1.8869 of an ideal 2.1309 is 0.8855."""
    dcg, ideal = 1 + THIRD + FIFTH, 1 + SECOND + THIRD
    assert gains([[1, 4, 2, 5, 3]], [[1, 2, 3]], 5) == float32(dcg / ideal)
    assert (round(dcg, 4), round(ideal, 4), round(dcg / ideal, 4)) == (1.8869, 2.1309, 0.8855)


def test_k_of_one_is_all_or_nothing():
    """M4: with one cell to look at, the ideal is 1."""
    assert gains([[1, 8], [8, 1]], [[1, 2], [1, 2]], 1) == [1.0, 0.0]


@pytest.mark.parametrize(("k", "expected"), [(2, 0.0), (3, 0.5)])
def test_hit_exactly_at_k_counts(k, expected):
    """M4: rank 3 is discounted by log2(4) = 2."""
    assert gains([[8, 9, 1, 7]], [[1]], k) == [expected]


@pytest.mark.parametrize("n_ranks", [2, 5, 128, 129, 1000])
def test_only_relevant_document_last_is_one_over_its_discount(n_ranks):
    """M4: exactly 1 / log2(rank + 1), at any depth."""
    expected = float32(1 / math.log2(n_ranks + 1))
    assert gains([range(n_ranks)], [[n_ranks - 1]], n_ranks) == expected


def test_each_query_is_scored_by_its_own_row():
    """B2: hits at 1 and 2, at 2, nowhere, and at 1 of two relevant."""
    relevant = [[1, 2], [2, -1], [8, 9], [1, 9]]
    assert gains([[1, 2, 3]] * 4, relevant, 3) == float32(1, SECOND, 0, 1 / (1 + SECOND))


@pytest.mark.parametrize("relevant", [[[-1, -1]], [[]]])
def test_no_relevant_document_at_all_is_zero(relevant):
    """B4: an ideal of 0 gives 0.0."""
    assert gains([[1, -1]], relevant, 2) == [0.0]


@pytest.mark.parametrize("k", [1, 2, 4])
def test_if_everything_is_relevant_it_is_perfect_at_every_k(k):
    """B5: the ideal has min(number relevant, k) documents."""
    assert gains([[4, 3, 2, 1]], [[1, 2, 3, 4]], k) == [1.0]


def test_ideal_includes_relevant_documents_that_were_not_retrieved():
    """B5, D2: one of three relevant is found; k = 2 leaves two in the ideal."""
    assert gains([[1, 9]], [[1, 2, 3]], 2) == float32(1 / (1 + SECOND))


@pytest.mark.parametrize(
    ("retrieved", "dcg"),
    [([-1, 1, 2], SECOND + THIRD), ([1, -1, 2], 1 + THIRD), ([1, 2, -1], 1 + SECOND)],
)
@pytest.mark.parametrize("relevant", [[-1, 1, 2], [1, -1, 2], [1, 2, -1]])
def test_padding_keeps_its_position_and_does_not_match(retrieved, relevant, dcg):
    """B4: padding on both sides gains nothing and is not in the ideal."""
    assert gains([retrieved], [relevant], 3) == float32(dcg / (1 + SECOND))


def test_repeat_in_retrieved_gains_once_and_keeps_its_position():
    """B4: 2 is at rank 3."""
    assert gains([[1, 1, 2]], [[1, 2]], 3) == float32((1 + THIRD) / (1 + SECOND))


def test_repeat_in_relevant_counts_once():
    """B4: the ideal has one document, not three."""
    assert gains([[1, 8]], [[1, 1, 1]], 2) == [1.0]


def test_other_negative_ids_are_ordinary_documents():
    """B4: -2 is relevant, at rank 2."""
    assert gains([[-3, -2]], [[-2, -1]], 2) == float32(SECOND)


def test_five_documents_of_which_three_are_relevant():
    """B: retrieved 1-5, relevant 1, 3, 5 (padded), k = 5: 0.8855."""
    expected = (1 + THIRD + FIFTH) / (1 + SECOND + THIRD)
    assert gains([[1, 2, 3, 4, 5]], [[1, 3, 5, -1, -1]], 5) == float32(expected)


def test_long_sum_is_computed_in_float64():
    """B2: all but the first of 2,000 cells are relevant; float32 intermediate sums would show."""
    discounts = [1 / math.log2(rank + 1) for rank in range(1, 2001)]
    expected = sum(discounts[1:]) / sum(discounts[:-1])
    assert gains([range(2000)], [range(1, 2000)], 2000) == float32(expected)


def test_grades_are_gains():
    """B5, L: c a d b e with a3 b2 c1 d0 e1: 0.7975."""
    dcg = 1 + 3 * SECOND + 0 * THIRD + 2 * FOURTH + 1 * FIFTH
    ideal = 3 + 2 * SECOND + 1 * THIRD + 1 * FOURTH + 0 * FIFTH
    values = gains([[3, 1, 4, 2, 5]], [[1, 2, 3, 4, 5]], 5, grades=[[3, 2, 1, 0, 1]])
    assert values == float32(dcg / ideal)
    assert round(dcg / ideal, 4) == 0.7975


def test_ideal_of_grades_has_the_best_k_at_any_position():
    """B5: with k = 1 the ideal is the 5, which was not retrieved."""
    assert gains([[1, 2]], [[1, 9]], 1, grades=[[2.5, 5]]) == [0.5]


def test_grades_of_zero_or_less_gain_nothing():
    """B5: this holds in the ranking and in the ideal."""
    assert gains([[1, 2]], [[1, 2]], 2, grades=[[-4, 1]]) == float32(SECOND)
    assert gains([[1, 2]], [[1, 2]], 2, grades=[[-4, 0]]) == [0.0]


def test_grades_of_padding_are_ignored():
    """B5: padding gains nothing, whatever its grade."""
    assert gains([[-1, 1]], [[-1, 1]], 2, grades=[[9, 1]]) == float32(SECOND)


def test_first_grade_of_a_repeat_in_relevant_counts():
    """B4, B5: 1 gains 1, not 3, and is in the ideal once."""
    expected = (1 + 2 * SECOND) / (2 + 1 * SECOND)
    assert gains([[1, 2]], [[1, 1, 2]], 2, grades=[[1, 3, 2]]) == float32(expected)


def test_grades_of_one_equal_the_binary_form():
    """B5: the bytes are identical."""
    retrieved, relevant = [[1, 4, 2, 5, 3]], [[1, 2, 3, -1]]
    assert gains(retrieved, relevant, 5, grades=[[1] * 4]) == gains(retrieved, relevant, 5)
