"""Kernels that only use whether a document is relevant, on worked examples."""

import math

import pytest

from berryeval.kernels.bpref import bpref
from berryeval.kernels.counts import (
    n_nonrelevant_retrieved,
    n_queries,
    n_relevant,
    n_relevant_retrieved,
    n_retrieved,
)
from berryeval.kernels.f_beta import f_beta
from berryeval.kernels.inferred_ap import inferred_average_precision
from berryeval.kernels.interpolated_precision import eleven_point_average, interpolated_precision
from berryeval.kernels.judged_share import judged_share, unjudged_share
from berryeval.kernels.normalised_gain import binary_normalised_gain
from berryeval.kernels.r_precision import r_precision, r_precision_at_multiple
from berryeval.kernels.relative_precision import relative_precision
from berryeval.kernels.relevance import NOT_IN_POOL, UNJUDGED
from berryeval.kernels.set_based import set_average_precision, set_f
from berryeval.kernels.utility import utility
from berryeval.kernels.yaap import yaap

# Five documents returned: relevant, not, outside the pool, relevant, unjudged.
# Four relevant and two non-relevant documents are judged.
GRADES = [2.0, 0.0, NOT_IN_POOL, 1.0, UNJUDGED]
JUDGED = [2.0, 2.0, 1.0, 1.0, 0.0, 0.0]


def test_documents_are_counted_by_kind():
    """Holes are neither relevant nor judged irrelevant."""
    case = (GRADES, JUDGED)
    assert n_queries(*case) == 1
    assert n_retrieved(*case) == 5
    assert (n_relevant(*case), n_relevant(*case, 2)) == (4, 2)
    assert (n_relevant_retrieved(*case), n_relevant_retrieved(*case, 3)) == (2, 1)
    assert (n_nonrelevant_retrieved(*case), n_nonrelevant_retrieved(*case, level=2)) == (1, 2)


def test_r_precision_looks_at_as_many_ranks_as_are_relevant():
    """Two of the first four; with x = 0.5, one of the first two; with 2, two of eight."""
    assert r_precision(GRADES, JUDGED) == 2 / 4
    assert r_precision_at_multiple(GRADES, JUDGED, 0.5) == 1 / 2
    assert r_precision_at_multiple(GRADES, JUDGED, 2.0) == 2 / 8


def test_a_multiple_that_ends_in_a_tenth_is_rounded_down():
    """x R = 1.1 is rank 2, 1.08 is rank 1: the whole part of x R + 0.9."""
    assert r_precision_at_multiple([1.0, 0.0], [1.0], 1.1) == 1 / 2
    assert r_precision_at_multiple([1.0, 0.0], [1.0], 1.08) == 1.0


def test_bpref_counts_irrelevant_documents_above():
    """None is above the first: 1. One of two is above the second: 1/2. Two others are missing."""
    assert bpref(GRADES, JUDGED) == (1 + 1 / 2) / 4


def test_bpref_without_irrelevant_judgments_is_recall():
    """No irrelevant document can be above a relevant one."""
    assert bpref([1.0, NOT_IN_POOL, 1.0], [1.0, 1.0, 1.0]) == 2 / 3


def test_bpref_counts_no_more_non_relevant_documents_than_relevant_ones():
    """Three above the only relevant one count like one."""
    assert bpref([0.0, 0.0, 0.0, 1.0], [1.0, 0.0, 0.0, 0.0]) == 0.0


def test_interpolated_precision_is_the_best_at_higher_recall():
    """Precision is 1/2, then 2/3: at both recalls 2/3 is reached."""
    grades, judged = [0.0, 1.0, 1.0], [1.0, 1.0]
    assert interpolated_precision(grades, judged, 0.0) == 2 / 3
    assert interpolated_precision(grades, judged, 0.5) == 2 / 3
    assert interpolated_precision(grades, judged, 1.0) == 2 / 3
    assert interpolated_precision(grades, [1.0] * 3, 1.0) == 0.0


def test_recall_points_are_rounded_by_version():
    """Recall 0.4 of three is 1.2 documents: two in trec_eval 9.0.8, one in 10.0."""
    grades, judged = [0.0, 1.0], [1.0, 1.0, 1.0]
    assert interpolated_precision(grades, judged, 0.4, rounding="up") == 0.0
    assert interpolated_precision(grades, judged, 0.4, rounding="nearest") == 1 / 2
    assert interpolated_precision([1.0], [1.0] * 5, 0.5, rounding="nearest") == 0.0


def test_eleven_points_are_averaged():
    """One of two relevant documents is at rank 1: precision 1 up to recall 0.5, then 0."""
    assert eleven_point_average([1.0, 0.0], [1.0, 1.0]) == 6 / 11


def test_relative_precision_divides_by_the_best_possible():
    """At k = 3 three could be found; at k = 10 only four exist; of the set of five, four."""
    assert relative_precision(GRADES, JUDGED, 3) == 1 / 3
    assert relative_precision(GRADES, JUDGED, 10) == 2 / 4
    assert relative_precision(GRADES, JUDGED) == 2 / 4
    assert relative_precision([1.0], JUDGED) == 1.0


def test_measures_of_a_set_combine_precision_and_recall():
    """Here, P = 2/5 and R = 2/4."""
    p, r = 2 / 5, 2 / 4
    assert set_average_precision(GRADES, JUDGED) == p * r
    assert set_f(GRADES, JUDGED) == pytest.approx(2 * p * r / (p + r))
    assert set_f(GRADES, JUDGED, 0.25) == pytest.approx(1.25 * p * r / (r + 0.25 * p))


def test_the_weight_of_set_f_is_the_square_of_beta():
    """F with beta = 0.5 is set_F with x = 0.25."""
    assert f_beta(GRADES, JUDGED, beta=0.5) == pytest.approx(set_f(GRADES, JUDGED, 0.25))


def test_f_beta_leans_towards_recall_as_beta_grows():
    """At k = 2: P = 1/2, R = 1/4; beta = 2 gives 5 P R / (4 P + R)."""
    assert f_beta(GRADES, JUDGED, 2, beta=2.0) == pytest.approx(5 / 8 / (2 + 1 / 4))
    assert f_beta(GRADES, JUDGED, 2, beta=0.0) == 1 / 2


def test_utility_adds_up_the_values_of_documents():
    """There are 2 relevant, 3 others retrieved, 2 missed, and 100 - 7 elsewhere."""
    assert utility(GRADES, JUDGED) == 2 - 3
    assert utility(GRADES, JUDGED, (1.0, -1.0, -0.5, 0.01), 100) == pytest.approx(-2 + 0.93)


def test_inferred_average_precision_estimates_from_the_judged():
    """Rank 1 counts 1. Above rank 4, 2 of 3 are in the pool, and 1 of 2 judged is relevant."""
    expected = 1 / 4 + 3 / 4 * (2 / 3) * ((1 + 1e-5) / (2 + 2e-5))
    assert inferred_average_precision(GRADES, JUDGED) == pytest.approx((1 + expected) / 4)


def test_inferred_average_precision_distinguishes_unjudged_documents():
    """A document of the pool may be relevant; one outside of it is not."""
    judged = [1.0, 1.0]
    in_pool = inferred_average_precision([1.0, UNJUDGED, 1.0], judged)
    outside = inferred_average_precision([1.0, NOT_IN_POOL, 1.0], judged)
    assert in_pool == pytest.approx((1 + 1) / 2, abs=1e-4)
    assert outside == pytest.approx((1 + 2 / 3) / 2, abs=1e-4)


def test_yaap_is_the_log_of_odds():
    """Here, S = 1 + 2/4 and R = 4."""
    assert yaap(GRADES, JUDGED) == pytest.approx(math.log(2.5 / 3.5))
    assert yaap([], JUDGED) == pytest.approx(math.log(1 / 5))


def test_binary_gain_is_discounted_by_irrelevant_documents_above():
    """None above the first, two above the second: 1 and 1/log2(4)."""
    assert binary_normalised_gain(GRADES, JUDGED) == (1 + 1 / 2) / 4


def test_judged_documents_are_a_share_of_the_returned_ones():
    """It is three of five, and with k = 10 still of five, while two of ten are unjudged."""
    assert (judged_share(GRADES, JUDGED), judged_share(GRADES, JUDGED, 10)) == (3 / 5, 3 / 5)
    assert (unjudged_share(GRADES, JUDGED), unjudged_share(GRADES, JUDGED, 10)) == (2 / 5, 2 / 10)
    assert (judged_share(GRADES, JUDGED, 2), unjudged_share(GRADES, JUDGED, 2)) == (1.0, 0.0)


@pytest.mark.parametrize("judged", [[], [0.0], [1.0]])
def test_an_empty_ranking_scores_0(judged):
    """There is no NaN, unlike in trec_eval."""
    for kernel in (
        r_precision,
        bpref,
        eleven_point_average,
        relative_precision,
        set_average_precision,
        set_f,
        f_beta,
        inferred_average_precision,
        binary_normalised_gain,
    ):
        assert kernel([], judged) == 0.0
    assert interpolated_precision([], judged, 0.0) == 0.0
    assert judged_share([], judged) == 0.0
    assert unjudged_share([], judged) == unjudged_share([], judged, 5) == 0.0


def test_yaap_without_anything_relevant_is_0():
    """It is defined as 0, not computed."""
    assert yaap([0.0], [0.0]) == 0.0
