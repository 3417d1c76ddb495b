"""Margin guards in numbers, compared with SciPy and explicit formulas."""

import math

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from scipy import stats

from berryeval.evaluation.margins import (
    AGREEING,
    changed_share_bound,
    correct_failing,
    equivalence_p_values,
    judge_margin,
    margin_interval,
    margin_p_values,
)
from berryeval.stats import mean_of, powered_mean

SHAPES = {
    "normal": np.random.default_rng(3).normal(-0.03, 0.1, 40),
    "long tail below": -np.random.default_rng(4).exponential(0.08, 25),
    "long tail above": np.random.default_rng(5).exponential(0.05, 60) - 0.06,
    "mostly ties": np.array([0.0] * 20 + [-0.2] * 8 + [0.2] * 4),
}
shapes = pytest.mark.parametrize("values", SHAPES.values(), ids=SHAPES)


def hall(t, skewness, n):
    """Return Hall's transform of T, term by term as in Hall (1992)."""
    root = math.sqrt(n)
    return t + skewness * t**2 / (3 * root) + skewness**2 * t**3 / (27 * n) + skewness / (6 * root)


def by_formula(values, margin):
    """Return both p-values from SciPy's t-test, skewness and distribution."""
    n = len(values)
    t = stats.ttest_1samp(values, -margin).statistic
    observed = stats.skew(values, bias=False)
    error = math.sqrt(6 * n * (n - 1) / ((n - 2) * (n + 1) * (n + 3)))
    cautious = min(observed - error, -1.0)
    passing = max(stats.t.sf(t, n - 1), stats.t.sf(hall(t, cautious, n), n - 1))
    failing = max(stats.t.cdf(t, n - 1), stats.t.cdf(hall(t, observed, n), n - 1))
    return passing, failing


@shapes
@pytest.mark.parametrize("margin", [0.01, 0.05, 0.1])
def test_p_values_are_the_larger_of_student_and_hall(values, margin):
    """A pass assumes more skewness than observed, at least -1; a fail the observed one."""
    found = margin_p_values(mean_of(values), margin, loss=0.0)
    assert (found.passing, found.failing) == pytest.approx(by_formula(values, margin), rel=1e-9)


@pytest.mark.parametrize("margin", [0.02, 0.1])
def test_without_skewness_a_fail_is_students_t_test(margin):
    """It equals SciPy's; a pass requires more, since a long tail may have been missed."""
    values = np.array([-0.3, -0.2, -0.1, -0.1, 0.0, 0.0, 0.1, 0.1, 0.2, 0.3])
    found = margin_p_values(mean_of(values), margin, loss=0.0)
    less, greater = (
        stats.ttest_1samp(values, -margin, alternative=side).pvalue for side in ("less", "greater")
    )
    assert found.failing == pytest.approx(less, rel=1e-9)
    assert found.passing > greater


def test_a_pass_withstands_two_lost_queries():
    """98 differences of mean 0 and two of -1 have the mean -0.02, and no margin below passes."""
    sample = mean_of([0.01, -0.01] * 49)
    assert margin_p_values(sample, 0.02, loss=1.0).passing == 1.0
    assert margin_p_values(sample, 0.0201, loss=1.0).passing < 0.001
    assert margin_p_values(sample, 0.011, loss=0.5).passing < 0.001
    assert margin_interval(sample, 0.05, loss=1.0).low == -0.02


def test_assumed_losses_do_not_affect_failing():
    """They can prevent a pass, but never cause a fail."""
    values = SHAPES["long tail below"]
    some, none = (margin_p_values(mean_of(values), 0.05, loss) for loss in (1.0, 0.0))
    assert some.failing == none.failing
    assert some.passing == 1.0 > none.passing
    some, none = (margin_interval(mean_of(values), 0.05, loss) for loss in (1.0, 0.0))
    assert (some.high, some.low < none.low) == (none.high, True)


@shapes
def test_an_interval_extends_as_far_as_student_and_hall(values):
    """SciPy's at 1 - 2 alpha lies within it, and level and method are stated."""
    found = margin_interval(mean_of(values), 0.05, loss=0.0)
    student = stats.ttest_1samp(values, 0).confidence_interval(0.90)
    assert found.low < student.low
    assert found.high >= student.high - 1e-12
    assert (found.level, found.method) == (0.90, "t and hall")


differences = st.lists(
    st.floats(-1, 1).map(lambda value: round(value, 3)), min_size=3, max_size=25
).map(np.array)


@given(differences, st.floats(0.001, 0.6), st.sampled_from([0.01, 0.05, 0.2]), st.floats(0, 1))
@example(np.array([-0.2] * 12), 0.1, 0.05, 1.0)
@example(np.array([0.01, -0.01] * 49), 0.02, 0.05, 1.0)
def test_interval_and_p_values_never_disagree(values, margin, alpha, loss):
    """Above minus the margin it passes, below it fails, and never both."""
    assume(abs(values.mean() + margin) > 1e-9)  # values that differ by rounding are equal
    sample = mean_of(values)
    p, interval = margin_p_values(sample, margin, loss), margin_interval(sample, alpha, loss)
    assert (p.passing <= alpha) == (interval.low > -margin)
    assert (p.failing <= alpha) == (interval.high < -margin)
    assert max(p.passing, p.failing) > alpha


@pytest.mark.parametrize(
    ("value", "verdict"), [(-0.2, "fail"), (-0.1, "inconclusive"), (-0.05, "pass"), (0.1, "pass")]
)
@pytest.mark.parametrize("n_queries", [10, 30, 31])
def test_equal_differences_have_a_verdict(value, verdict, n_queries):
    """They are beyond the margin of 0.1, at it, or within it."""
    found = margin_p_values(mean_of([value] * n_queries), 0.1, loss=0.0)
    judged = judge_margin(found.passing, found.failing, n_queries, n_queries, 0.1, 1.0, 0.05)
    assert judged == verdict


@pytest.mark.parametrize("drop", [0.6 - 0.8, 0.4 - 0.6, 0.8 - 1.0])
def test_rounding_never_decides(drop):
    """Each is 0.2 up to the last digit: at the margin, nothing is shown."""
    found = margin_p_values(mean_of([drop] * 20), 0.2, loss=0.0)
    assert judge_margin(found.passing, found.failing, 20, 20, 0.2, 1.0, 0.05) == "inconclusive"


@pytest.mark.parametrize("n_changed", [0, 1, 5, 9, 50])
@pytest.mark.parametrize("n_queries", [50, 500])
def test_the_share_of_changes_has_a_clopper_pearson_bound(n_changed, n_queries):
    """It is the upper end of SciPy's exact binomial interval at 1 - 2 alpha."""
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
def test_few_changes_pass_only_if_all_of_them_could_be_lost(
    n_changed, n_queries, score_range, verdict
):
    """1 - 0.05 ** (1/59) is below 0.05; without a maximum nothing passes in this way."""
    found = judge_margin(None, None, n_changed, n_queries, 0.05, score_range, 0.05)
    assert found == verdict


def test_holm_counts_guards_that_are_not_tested():
    """Which guards are tested depends on the data, so a smaller family would not keep alpha."""
    assert correct_failing([0.01, None, 0.02]) == pytest.approx([0.03, None, 0.04])
    assert correct_failing([None]) == [None]


def residuals_with_a_tail():
    """Return scores of a model that harms the candidate on a few queries, none of them labelled."""
    random = np.random.default_rng(7)
    people = random.normal(-0.02, 0.1, 50)
    model = np.concatenate([people + random.normal(0, 0.01, 50), np.full(950, -0.06)])
    return powered_mean(np.concatenate([people, np.full(950, np.nan)]), model).sample


def test_a_model_does_not_fail_what_peoples_labels_would_not():
    """The corrected mean is below the margin; the labels alone have to show it, too."""
    sample = residuals_with_a_tail()
    assert sample.mean < -0.05 < sample.people.mean
    assert sample.p_below(-0.05) < 0.05
    assert margin_p_values(sample, 0.05, 1.0).failing == 1.0
    assert equivalence_p_values(sample, 0.05, 1.0).failing == 1.0
    assert equivalence_p_values(-sample, 0.05, 1.0).failing == 1.0
    interval = margin_interval(sample, 0.05, 1.0)
    assert interval.high == sample.people.upper_bound(AGREEING) > sample.upper_bound(0.05)


def test_a_mean_of_labels_beyond_the_margin_does_not_suffice():
    """Half of all samples have such a mean; the labels have to show it with a confidence of 80%."""
    sample = residuals_with_a_tail()
    margin = -sample.people.mean - 0.001
    assert sample.people.mean < -margin < sample.people.upper_bound(AGREEING)
    assert margin_p_values(sample, margin, 1.0).failing == 1.0


def test_beyond_peoples_bound_the_p_value_is_that_of_both():
    """If people's labels agree, the test is that of every other verdict."""
    sample = residuals_with_a_tail()
    margin = -sample.people.upper_bound(AGREEING) - 0.001
    assert margin_p_values(sample, margin, 1.0).failing == sample.p_below(-margin)
