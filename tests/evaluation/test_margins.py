"""Margin guards in numbers."""

import math

import numpy as np
import pytest
from scipy import stats

from berryeval.evaluation.margins import (
    changed_share_bound,
    correct_failing,
    judge_margin,
    margin_intervals,
    margin_p_values,
    widened,
)


def p_values(values, margin, **settings):
    found = margin_p_values(np.array(values)[:, None], np.array([margin]), 2000, **settings)
    return found.passing[0], found.failing[0]


def test_a_p_value_is_at_least_that_of_students_test():
    """SciPy's one-sided t-test of the mean against minus the margin."""
    values = np.random.default_rng(3).normal(-0.03, 0.1, 40)
    passing, failing = p_values(values, 0.05)
    greater = stats.ttest_1samp(values, -0.05, alternative="greater").pvalue
    less = stats.ttest_1samp(values, -0.05, alternative="less").pvalue
    assert passing >= greater - 1e-12
    assert failing >= less - 1e-12
    assert passing == pytest.approx(greater, abs=0.03)


@pytest.mark.parametrize(
    ("value", "verdict"), [(-0.2, "fail"), (-0.1, "inconclusive"), (-0.05, "pass"), (0.1, "pass")]
)
@pytest.mark.parametrize("n_queries", [10, 30, 31])
def test_equal_differences_have_a_verdict(value, verdict, n_queries):
    """Without any spread: beyond the margin of 0.1, at it, within it."""
    passing, failing = p_values([value] * n_queries, 0.1)
    assert 0 <= passing <= 1
    assert 0 <= failing <= 1
    found = judge_margin(passing, failing, n_queries, n_queries, 0.1, 1.0, 0.05)
    assert found == verdict


@pytest.mark.parametrize("drop", [0.6 - 0.8, 0.4 - 0.6, 0.8 - 1.0])
def test_rounding_never_decides(drop):
    """Each of them is 0.2 but for the last digit: at the margin, nothing is shown."""
    passing, failing = p_values([drop] * 20, 0.2)
    assert judge_margin(passing, failing, 20, 20, 0.2, 1.0, 0.05) == "inconclusive"


@pytest.mark.parametrize("n_changed", [0, 1, 5, 9, 50])
@pytest.mark.parametrize("n_queries", [50, 500])
def test_the_share_that_changes_is_bounded_as_by_clopper_and_pearson(n_changed, n_queries):
    """SciPy's exact interval of a binomial share, its upper end at 1 - 2 alpha."""
    expected = stats.binomtest(n_changed, n_queries).proportion_ci(0.90, "exact").high
    assert changed_share_bound(n_changed, n_queries, 0.05) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("n_changed", "n_queries", "score_range", "verdict"),
    [
        (0, 58, 1.0, "inconclusive"),
        (0, 59, 1.0, "pass"),
        (9, 9, 1.0, "inconclusive"),
        (9, 320, 1.0, "pass"),
        (9, 320, 2.0, "inconclusive"),
        (0, 10**6, math.inf, "inconclusive"),
        (1, 1, math.inf, "inconclusive"),
    ],
)
def test_few_changes_pass_only_if_all_of_them_may_be_lost(
    n_changed, n_queries, score_range, verdict
):
    """1 - 0.05 ** (1/59) is below 0.05; a measure without a highest value never passes so."""
    found = judge_margin(None, None, n_changed, n_queries, 0.05, score_range, 0.05)
    assert found == verdict


def test_holm_counts_guards_that_are_not_tested():
    """Which ones are depends on the data; a family that shrinks would not keep its level."""
    assert correct_failing([0.01, None, 0.02]) == pytest.approx([0.03, None, 0.04])
    assert correct_failing([None]) == [None]


def test_noise_widens():
    """Variances add up; the mean stays."""
    values = np.random.default_rng(1).normal(0.1, 0.2, 50)
    wide = widened(values, 0.3)
    assert wide.mean() == pytest.approx(values.mean())
    assert wide.var(ddof=1) == pytest.approx(values.var(ddof=1) + 0.09)
    assert widened(values, 0.0) is values


@pytest.mark.parametrize("n_queries", [2, 11, 12])
def test_noise_spreads_what_has_no_spread(n_queries):
    """Equal differences of a noisy system are a matter of luck."""
    wide = widened(np.full(n_queries, 0.1), 0.3)
    assert wide.mean() == pytest.approx(0.1)
    assert wide.std(ddof=1) == pytest.approx(0.3)


def test_noise_leaves_one_query_as_it_is():
    """One number has no variance, and must not become NaN."""
    assert widened(np.array([0.1]), 0.3).tolist() == [0.1]


def test_intervals_hold_both_methods():
    """From the lower of the two lower ends to the higher of the higher ones; none of one query."""
    values = np.random.default_rng(2).exponential(0.1, (30, 1))
    [found] = margin_intervals(values, 0.05, 2000)
    student = stats.ttest_1samp(values[:, 0], 0).confidence_interval(0.90)
    assert found.low <= student.low
    assert found.high >= student.high
    assert found.level == pytest.approx(0.90)
    assert margin_intervals(values[:1], 0.05, 100) == [None]
