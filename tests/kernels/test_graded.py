"""Kernels that weight documents by their grade, on worked examples."""

import math

import pytest

from berryeval.kernels.cumulated_gain import normalised_cumulated_gain
from berryeval.kernels.expected_reciprocal_rank import expected_reciprocal_rank
from berryeval.kernels.gains import gains, ideal_gains
from berryeval.kernels.ndcg import dcg, ideal_dcg, ndcg
from berryeval.kernels.ndcg_points import ndcg_at_gain_levels, ndcg_at_relevant
from berryeval.kernels.normalised_gain import normalised_gain
from berryeval.kernels.rank_biased_precision import rank_biased_precision, rank_biased_residual
from berryeval.kernels.relevance import NOT_IN_POOL, UNJUDGED

GRADES = [1.0, NOT_IN_POOL, 3.0, 0.0]
JUDGED = [3.0, 2.0, 1.0, 0.0, -1.0]
TABLE = ((1.0, 5.0), (3.0, 0.5))

LOG3 = math.log2(3)


def test_a_gain_is_the_grade_a_power_of_two_or_from_a_table():
    """A grade that the table omits gains itself, and a hole gains nothing."""
    grades = [0.0, 1.0, 2.0, 3.0, NOT_IN_POOL, UNJUDGED]
    assert gains(grades) == [0, 1, 2, 3, 0, 0]
    assert gains(grades, "exp2") == [0, 1, 3, 7, 0, 0]
    assert gains(grades, TABLE) == [0, 5, 2, 0.5, 0, 0]
    assert gains(grades, ((0.0, 1.0), (-1.0, 9.0))) == [1, 1, 2, 3, 0, 0]


def test_grades_below_the_level_gain_nothing():
    """An example is nDCG with a level of 2."""
    for gain, expected in (("linear", [0, 2]), ("exp2", [0, 3]), (TABLE, [0, 2])):
        assert gains([1.0, 2.0], gain, 2.0) == expected


def test_a_huge_grade_gains_a_finite_number():
    """2 to the power of a million exceeds a float."""
    assert math.isfinite(gains([1e6], "exp2")[0])
    assert ndcg([1e6, 1.0], [1e6, 1.0], 2, "exp2") == 1.0


def test_the_ideal_order_is_that_of_the_gains():
    """The table may reverse the grades, and fractions are distinguished."""
    assert ideal_gains(JUDGED, TABLE) == [5, 2, 0.5]
    assert ideal_gains([2.0, 1.0], ((1.0, 0.9), (2.0, 0.1))) == [0.9, 0.1]


def test_dcg_and_its_ideal_take_any_gain():
    """Grades 1, -, 3 are compared with 3, 2, 1."""
    assert dcg(GRADES, JUDGED, None) == 1 + 3 / 2
    assert ideal_dcg(GRADES, JUDGED, None) == 3 + 2 / LOG3 + 1 / 2
    assert dcg(GRADES, JUDGED, 3, "exp2") == 1 + 7 / 2
    assert ideal_dcg(GRADES, JUDGED, 2, "exp2") == 7 + 3 / LOG3
    assert ndcg(GRADES, JUDGED, 2, TABLE) == 5 / (5 + 2 / LOG3)


def test_a_gain_below_0_is_subtracted():
    """A harmful document lowers the value, and is not part of the ideal."""
    assert dcg([1.0, 0.0], [1.0, 0.0], None, ((0.0, -1.0),)) == 1 - 1 / LOG3
    assert ideal_dcg([], [1.0, 0.0], None, ((0.0, -1.0),)) == 1.0


def test_ndcg_with_a_level_leaves_lower_grades_out_of_the_ideal():
    """Only the 3 and the 2 count."""
    assert ndcg(GRADES, JUDGED, None, level=2.0) == (3 / 2) / (3 + 2 / LOG3)


def test_ndcg_is_averaged_at_documents_with_a_gain():
    """At rank 1: 1/3. At rank 3: all of both. For the missing one: the same again."""
    whole = (1 + 3 / 2) / (3 + 2 / LOG3 + 1 / 2)
    assert ndcg_at_relevant(GRADES, JUDGED) == pytest.approx((1 / 3 + whole + whole) / 3)


def test_ndcg_is_averaged_where_the_ideal_gain_falls():
    """It falls after ranks 1, 2 and 3."""
    ideal = [3, 3 + 2 / LOG3, 3 + 2 / LOG3 + 1 / 2]
    expected = (1 / ideal[0] + 1 / ideal[1] + 2.5 / ideal[2]) / 3
    assert ndcg_at_gain_levels(GRADES, JUDGED) == pytest.approx(expected)


def test_the_end_of_a_longer_ranking_is_one_more_point():
    """It counts two ranks after the last gain, but not one rank after it, as in trec_eval."""
    assert ndcg_at_gain_levels([0.0, 1.0], [1.0]) == 0.0
    assert ndcg_at_gain_levels([0.0, 1.0, 0.0], [1.0]) == pytest.approx((0 + 1 / LOG3) / 2)


def test_nothing_relevant_at_the_level_scores_0_at_gain_levels():
    """This is the only measure of gains for which the level matters."""
    assert ndcg_at_gain_levels([1.0], [1.0], level=2.0) == 0.0


def test_normalised_gain_is_discounted_by_missed_gain():
    """Costs 3, 2, 1, 1; gained 1, 1, 4, 4: 1/log2(2 + 2) + 3/log2(2 + 2) of 6."""
    assert normalised_gain(GRADES, JUDGED) == pytest.approx((1 / 2 + 3 / 2) / 6)


def test_rounding_never_takes_the_logarithm_of_less_than_2():
    """In another order, the same huge gains have a slightly larger sum."""
    judged = [3e289, 2e289, 1e289, 0.3, 0.2, 0.1]
    assert 0 < normalised_gain(judged[::-1], judged) <= 1


def test_expected_reciprocal_rank_stops_at_good_documents():
    """Grades 1 and 3 of at most 4: 1/16 satisfied, then 7/16 of the rest at rank 3."""
    assert expected_reciprocal_rank(GRADES, JUDGED) == 1 / 16 + (15 / 16) * (7 / 16) / 3
    assert expected_reciprocal_rank(GRADES, JUDGED, 2) == 1 / 16
    assert expected_reciprocal_rank([1.0], [], max_grade=1.0) == 1 / 2


def test_expected_reciprocal_rank_takes_any_grade():
    """A grade above the highest counts as the highest."""
    assert expected_reciprocal_rank([9.0], []) == expected_reciprocal_rank([4.0], []) == 15 / 16
    assert expected_reciprocal_rank([2000.0], [], max_grade=2000.0) == 1.0


def test_rank_biased_precision_weights_by_patience():
    """p = 0.5: relevant at ranks 1 and 3 have weights 1/2 and 1/8."""
    assert rank_biased_precision(GRADES, JUDGED, p=0.5) == 1 / 2 + 1 / 8
    assert rank_biased_precision(GRADES, JUDGED, 2, p=0.5) == 1 / 2
    assert rank_biased_precision(GRADES, JUDGED, p=0.5, level=2.0) == 1 / 8


def test_graded_rank_biased_precision_divides_by_the_highest_grade():
    """Of at most 3: 1/3 and 1. Of at most 2: 1/2, and no more than 1."""
    of_3 = rank_biased_precision(GRADES, JUDGED, p=0.5, max_grade=3.0)
    assert of_3 == pytest.approx(1 / 6 + 1 / 8)
    assert rank_biased_precision(GRADES, JUDGED, p=0.5, max_grade=2.0) == 1 / 4 + 1 / 8


def test_the_residual_is_the_weight_of_unknown_documents():
    """Rank 2 is a hole: 1/4. After rank 4: 1/16. For an empty ranking it is 1."""
    assert rank_biased_residual(GRADES, JUDGED, p=0.5) == 1 / 4 + 1 / 16
    assert rank_biased_residual(GRADES, JUDGED, 1, p=0.5) == 1 / 2
    assert rank_biased_residual([], []) == 1.0


def test_cumulated_gain_ignores_order():
    """It is 1 + 3 of at most 3 + 2 + 1 at k = 3, and of 3 + 2 at k = 2."""
    assert normalised_cumulated_gain(GRADES, JUDGED, 3) == 4 / 6
    assert normalised_cumulated_gain(GRADES, JUDGED, 2) == 1 / 5
    assert normalised_cumulated_gain(GRADES, JUDGED, 3, "exp2") == 8 / 11


@pytest.mark.parametrize("judged", [[], [0.0], [1.0], [-1.0]])
def test_an_empty_ranking_scores_0(judged):
    """There is no NaN and no error."""
    assert ndcg_at_relevant([], judged) == 0.0
    assert ndcg_at_gain_levels([], judged) == 0.0
    assert normalised_gain([], judged) == 0.0
    assert normalised_cumulated_gain([], judged) == 0.0
    assert ndcg([], judged, None, "exp2") == 0.0
    assert expected_reciprocal_rank([], []) == rank_biased_precision([], []) == 0.0
