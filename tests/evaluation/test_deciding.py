"""The policy of comparisons: intervals, p-values and words never disagree."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

from berryeval.evaluation.deciding import MIN_CHANGED, Column, estimate_family, widened
from berryeval.evaluation.findings import WORDS, finding_of
from berryeval.stats import Interval, mean_of, simultaneous_intervals
from depth import examples

FEW = "fewer than 10 queries changed"
SYMMETRIC = np.array([0.1, 0.3, -0.1, 0.4, 0.2, 0.0, 0.5, -0.2, 0.2, 0.6, 0.1, 0.3])
SKEWED = np.array([0.1, 0.05, 0.0, 0.1, 0.2, 0.05, 0.1, -0.9, 0.1, 0.15, 0.2, 0.1, 0.1])

scores = st.floats(-1, 1).map(lambda value: round(value, 6))
columns = st.lists(scores, min_size=8, max_size=25).map(np.array)
levels = st.sampled_from([0.8, 0.9, 0.95])


def family_of(*columns, **settings):
    return estimate_family([Column(np.asarray(column)) for column in columns], **settings)


def ends(found):
    return found.interval.low, found.interval.high


def test_without_skewness_one_difference_has_students_interval_and_p_value():
    """They equal SciPy's."""
    [found] = family_of(SYMMETRIC)
    expected = stats.ttest_1samp(SYMMETRIC, 0)
    assert stats.skew(SYMMETRIC) == pytest.approx(0, abs=1e-12)
    assert found.p_value == pytest.approx(expected.pvalue)
    assert ends(found) == pytest.approx(tuple(expected.confidence_interval(0.95)))
    assert (found.interval.level, found.interval.method, found.reason) == (0.95, "t and hall", None)


def test_with_skewness_the_interval_extends_as_far_as_halls():
    """At its ends, Hall's transform of T is a quantile of Student's t."""
    n, g = len(SKEWED), stats.skew(SKEWED, bias=False)
    quantile = stats.t.ppf(0.975, n - 1)

    def transformed(mean):
        t = stats.ttest_1samp(SKEWED, mean).statistic
        a = g / math.sqrt(n)
        return t + a * t**2 / 3 + a**2 * t**3 / 27 + a / 6

    hall = [
        optimize.brentq(lambda mean, end=end: transformed(mean) - end, -5, 5, xtol=1e-14)
        for end in (quantile, -quantile)
    ]
    student = stats.ttest_1samp(SKEWED, 0).confidence_interval(0.95)
    [found] = family_of(SKEWED)
    assert ends(found) == pytest.approx((min(hall[0], student.low), max(hall[1], student.high)))
    assert hall[0] < student.low - 0.05  # the tail is below
    t = stats.ttest_1samp(SKEWED, 0).statistic
    both = [stats.t.sf(one, n - 1) for one in (t, transformed(0))]
    below = [stats.t.cdf(one, n - 1) for one in (t, transformed(0))]
    assert found.p_value == pytest.approx(min(1, 2 * min(max(both), max(below))))


@given(columns, levels)
def test_a_family_of_one_is_a_single_mean(values, level):
    """Nothing is drawn or corrected."""
    [found] = family_of(values, level=level)
    if np.count_nonzero(values) < MIN_CHANGED:
        assert (found.interval, found.p_value, found.reason) == (None, None, FEW)
    else:
        sample = mean_of(values)
        assert (found.interval, found.p_value) == (sample.interval(level), sample.p_value())


@examples(60)
@given(st.lists(columns, min_size=1, max_size=5), levels, st.sampled_from([0.0, 0.05]))
def test_word_interval_and_p_value_never_disagree(family, level, noise_sd):
    """A difference is better or worse if its interval excludes 0, and then p is at most alpha."""
    members = [Column(values, noise_sd=noise_sd) for values in family]
    found = estimate_family(members, level, n_flips=499)
    for values, one in zip(family, found, strict=True):
        word = finding_of(one.interval)
        if np.count_nonzero(values) < MIN_CHANGED:
            assert (word, one.interval, one.p_value, one.reason) == ("untested", None, None, FEW)
            continue
        assert one.reason is None
        assert (word == "unclear") == one.interval.contains(0.0) == (one.p_value > 1 - level)
        if word != "unclear":
            assert word == ("better" if values.mean() > 0 else "worse")


def test_a_column_with_few_changes_is_not_tested():
    """It has no interval and no p-value, and does not affect others."""
    other = np.resize([0.4, -0.2, 0.1], 12)
    few = np.array([0.5] * 9 + [0.0] * 3)
    alone, found = family_of(SYMMETRIC), family_of(few, SYMMETRIC, np.zeros(12))
    assert found[1] == alone[0]
    assert [(one.interval, one.p_value, one.reason) for one in found[::2]] == [
        (None, None, FEW)
    ] * 2
    two = family_of(SYMMETRIC, other)
    assert family_of(SYMMETRIC, few, other)[::2] == two
    assert family_of() == []


def test_ten_changed_queries_are_enough():
    """Nine are not, however many are unchanged."""
    nine, ten = (np.array([0.3, 0.1, 0.2] * 3 + [last] + [0.0] * 20) for last in (0.0, 0.2))
    assert [found.reason for found in family_of(nine, ten)] == [FEW, None]


def test_members_of_a_family_have_simultaneous_intervals():
    """Whole rows of queries x columns are flipped by the same seed."""
    other = np.resize([0.4, -0.2, 0.1, 0.3], 12)
    found = family_of(SYMMETRIC, other, level=0.9, n_flips=800, seed=3)
    expected = simultaneous_intervals(np.column_stack([SYMMETRIC, other]), 0.9, n_flips=800, seed=3)
    assert [(one.interval, one.p_value) for one in found] == [
        (one.interval, one.p_value) for one in expected
    ]


def test_a_slice_uses_only_its_own_queries():
    """A query has one sign in all slices that contain it."""
    values = np.random.default_rng(2).normal(0.05, 0.2, 40)
    rows = np.flatnonzero(np.arange(40) % 3)
    found = estimate_family([Column(values), Column(values[rows], rows=rows.tolist())], n_flips=800)
    present = np.ones((40, 2), dtype=bool)
    present[::3, 1] = False
    expected = simultaneous_intervals(
        np.column_stack([values, values]), present=present, n_flips=800
    )
    assert [one.interval for one in found] == [one.interval for one in expected]


def test_identical_measures_cost_nothing():
    """Unlike with Bonferroni's correction, a repeated column is one question."""
    values = np.random.default_rng(8).normal(0.05, 0.2, (30, 2))
    [alone] = family_of(values[:, 0])
    twice, _ = family_of(values[:, 0], values[:, 0])
    both, _ = family_of(values[:, 0], values[:, 1])
    widths = [np.diff(ends(found)).item() for found in (alone, twice, both)]
    assert widths[1] == pytest.approx(widths[0], rel=0.04)
    assert widths[2] > 1.08 * widths[0]


def test_an_equal_gain_everywhere_is_certain():
    """Ten or more queries have no spread."""
    [found] = family_of(np.full(10, 0.25))
    assert (found.p_value, *ends(found)) == (0.0, 0.25, 0.25)
    assert finding_of(found.interval) == "better"
    [few] = family_of(np.full(9, 0.25))
    assert (few.interval, few.reason) == (None, FEW)


def test_shared_noise_adds_to_the_variance_of_the_mean():
    """Mean and skewness stay the same, and nothing changes without noise."""
    wide = widened(SKEWED, 0.3)
    quiet, noisy = mean_of(SKEWED), mean_of(wide)
    assert noisy.mean == pytest.approx(quiet.mean)
    assert noisy.standard_error**2 == pytest.approx(quiet.standard_error**2 + 0.09)
    assert noisy.skewness == pytest.approx(quiet.skewness)
    assert widened(SKEWED, 0.0) is SKEWED


@pytest.mark.parametrize("n_queries", [2, 11, 12])
def test_noise_adds_spread_to_equal_differences(n_queries):
    """Equal differences of a noisy system may be chance."""
    found = mean_of(widened(np.full(n_queries, 0.1), 0.3))
    assert found.mean == pytest.approx(0.1)
    assert found.standard_error == pytest.approx(0.3)


def test_noise_does_not_affect_a_single_query():
    """One number has no variance, and must not become NaN."""
    assert widened(np.array([0.1]), 0.3).tolist() == [0.1]


def test_noise_does_not_count_as_a_change():
    """Unchanged queries of a noisy system stay unchanged."""
    [found] = estimate_family([Column(np.array([0.2] * 9 + [0.0] * 9), noise_sd=0.1)])
    assert found.reason == FEW


@pytest.mark.parametrize("n_members", [1, 2])
def test_noise_makes_intervals_wider(n_members):
    """This holds alone and in a family."""
    values = np.random.default_rng(5).normal(0.1, 0.1, 20)
    quiet, noisy = (
        estimate_family([Column(values, noise_sd=sd)] * n_members)[0] for sd in (0.0, 0.1)
    )
    assert noisy.interval.low < quiet.interval.low
    assert noisy.interval.high > quiet.interval.high
    assert (finding_of(quiet.interval), finding_of(noisy.interval)) == ("better", "unclear")


@pytest.mark.parametrize(
    ("low", "high", "higher", "lower"),
    [
        (0.01, 0.2, "better", "worse"),
        (-0.2, -0.01, "worse", "better"),
        (-0.1, 0.1, "unclear", "unclear"),
        (0.0, 0.1, "unclear", "unclear"),
        (-0.1, 0.0, "unclear", "unclear"),
    ],
)
def test_the_word_depends_on_the_position_of_the_interval(low, high, higher, lower):
    """An end at 0 contains it, and words swap if lower is better."""
    interval = Interval(low, high, 0.95, "t")
    assert finding_of(interval) == higher
    assert finding_of(interval, higher_is_better=False) == lower


def test_without_an_interval_nothing_was_tested():
    """There is no better or worse, in either direction of the measure."""
    assert finding_of(None) == finding_of(None, higher_is_better=False) == "untested"


def test_each_finding_has_one_word():
    """Every page, report and chart uses it."""
    assert WORDS == {
        "better": "better",
        "worse": "worse",
        "unclear": "not clearly different",
        "untested": "too few changes to decide",
    }
