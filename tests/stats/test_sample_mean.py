"""Means of queries, groups, weights and strata: by hand, and by other methods."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from berryeval.errors import ArgumentError
from berryeval.stats import SampleMean, difference_of_means, mean_of, paired_t
from berryeval.stats.hall import hall_inverse, hall_transform
from stats.skewed_values import SKEWED, WEIGHTS

differences = st.lists(
    st.floats(-1, 1) | st.sampled_from([-0.5, 0.0, 0.25]), min_size=3, max_size=40
)


@given(differences)
def test_plain_values_give_students_numbers(values):
    """Mean, error and p-value equal those of the paired t-test to the bit."""
    expected = paired_t(values)
    assume(expected.p_value is not None)
    sample = mean_of(values)
    assert sample.mean / sample.standard_error == expected.statistic
    assert sample.p_value(skewness=0.0) == expected.p_value
    assert sample.degrees_of_freedom == sample.n - 1 == len(values) - 1
    assert sample.effective_n == len(values)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.99])
def test_without_skewness_the_interval_is_students(level):
    """Its ends equal scipy.stats.t.interval."""
    found = mean_of(SKEWED).interval(level, skewness=0.0)
    expected = stats.t.interval(level, len(SKEWED) - 1, np.mean(SKEWED), stats.sem(SKEWED))
    assert (found.low, found.high) == pytest.approx(expected, rel=1e-12)
    assert (found.level, found.method) == (level, "t")


def test_skewness_and_its_error_match_their_formulas():
    """SciPy's bias-corrected skewness; for n = 20 the error is sqrt(6 20 19 / (18 21 23))."""
    assert mean_of(SKEWED).skewness == pytest.approx(stats.skew(SKEWED, bias=False))
    assert mean_of(SKEWED[:20]).skewness_error == pytest.approx(math.sqrt(2280 / 8694))


def test_skewness_is_scale_free():
    """Cubes of tiny differences do not underflow, nor those of large ones overflow."""
    for scale in (1e-150, 1e120):
        assert mean_of(SKEWED * scale).skewness == pytest.approx(mean_of(SKEWED).skewness)


@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
def test_the_difference_of_means_is_welchs_test(alternative):
    """It is SciPy's test of samples with unequal variances, and its interval."""
    one, other = SKEWED[:12], SKEWED[12:] / 3
    gain = difference_of_means(mean_of(one), mean_of(other))
    expected = stats.ttest_ind(one, other, equal_var=False, alternative=alternative)
    test = {"greater": gain.p_above, "less": gain.p_below, "two-sided": gain.p_value}[alternative]
    assert test(skewness=0.0) == pytest.approx(expected.pvalue)
    assert gain.degrees_of_freedom == pytest.approx(expected.df)
    if alternative == "two-sided":
        found, interval = gain.interval(0.9, skewness=0.0), expected.confidence_interval(0.9)
        assert (found.low, found.high) == pytest.approx((interval.low, interval.high))


def test_a_difference_of_means_is_antisymmetric():
    """Swapping the samples negates the mean and the skewness."""
    one, other = mean_of(SKEWED), mean_of(WEIGHTS)
    there, back = difference_of_means(one, other), difference_of_means(other, one)
    assert there == -back
    assert there.skewness < 0


def test_p_values_are_the_larger_of_student_and_hall():
    """This holds on both sides, by the published transform and SciPy's distribution."""
    sample = mean_of(SKEWED)
    t = (sample.mean + 0.1) / sample.standard_error
    corrected = hall_transform(t, sample.skewness, 40)
    by_t, by_hall = stats.t.sf(t, 39), stats.t.sf(corrected, 39)
    assert sample.skewness < 0
    assert by_hall > by_t
    assert sample.p_above(-0.1, skewness=0.0) == pytest.approx(by_t)
    assert sample.p_above(-0.1) == pytest.approx(by_hall)
    assert sample.p_below(-0.1) == pytest.approx(1 - by_t)
    assert sample.p_value(-0.1) == pytest.approx(2 * by_hall)


def test_bounds_are_the_closed_inverse():
    """They are mean - se max(c, c'), and for the other side mean - se min(-c, c'(-c))."""
    sample = mean_of(SKEWED)
    c = stats.t.ppf(0.95, 39)
    for skewness in (-2.0, 0.0, 1.5):
        most = max(c, hall_inverse(c, skewness, 40))
        least = min(-c, hall_inverse(-c, skewness, 40))
        assert sample.lower_bound(0.05, skewness=skewness) == pytest.approx(
            sample.mean - sample.standard_error * most, rel=1e-12
        )
        assert sample.upper_bound(0.05, skewness=skewness) == pytest.approx(
            sample.mean - sample.standard_error * least, rel=1e-12
        )


@given(differences, st.floats(-1, 1), st.floats(0.0005, 0.4), st.floats(-4, 4) | st.none())
def test_bounds_and_p_values_never_disagree(values, null, alpha, skewness):
    """A null is rejected if and only if it is beyond the bound, to the next float."""
    sample = mean_of(values)
    assume(sample.standard_error > 0)
    low = sample.lower_bound(alpha, skewness=skewness)
    high = sample.upper_bound(alpha, skewness=skewness)
    for tested in (null, low, math.nextafter(low, -math.inf)):
        assert (sample.p_above(tested, skewness=skewness) <= alpha) == (tested < low)
    for tested in (null, high, math.nextafter(high, math.inf)):
        assert (sample.p_below(tested, skewness=skewness) <= alpha) == (tested > high)


@given(differences, st.floats(-1, 1), st.floats(0.5, 0.999))
def test_intervals_and_p_values_never_disagree(values, null, level):
    """A null is rejected if and only if the interval does not contain it."""
    sample = mean_of(values)
    assert (sample.p_value(null) <= 1 - level) == (not sample.interval(level).contains(null))


@given(differences)
def test_the_interval_contains_both(values):
    """Student's and Hall's intervals lie within it."""
    sample = mean_of(values)
    assume(sample.standard_error > 0)
    both, student = sample.interval(), sample.interval(skewness=0.0)
    assert both.low <= student.low < sample.mean < student.high <= both.high
    assert both.method == "t and hall"


@given(differences, st.floats(-1, 1))
def test_mirrored_values_swap_the_sides(values, null):
    """Bits are equal."""
    sample, mirrored = mean_of(values), mean_of([-value for value in values])
    assert mirrored == -sample
    assert mirrored.p_below(-null) == sample.p_above(null)
    assert mirrored.upper_bound() == -sample.lower_bound()


def test_the_cautious_skewness_is_at_most_minus_one():
    """It is one standard error below the observed skewness, and at most -1."""
    left, right = mean_of(SKEWED), mean_of(-SKEWED)
    assert left.cautious_skewness == left.skewness - left.skewness_error < -1
    assert right.cautious_skewness == -1


@pytest.mark.parametrize("value", [0.0, -0.02, 0.1, 1e300])
def test_equal_values_are_certain(value):
    """Neither side is rejected at the value itself, and both are beyond it."""
    sample = mean_of([value] * 12)
    assert (sample.mean, sample.standard_error, sample.skewness) == (value, 0.0, 0.0)
    assert (sample.lower_bound(), sample.upper_bound()) == (value, value)
    assert sample.p_above(value) == sample.p_below(value) == 1.0
    assert sample.p_above(value - abs(value) / 2 - 1) == 0.0
    assert sample.p_below(value + abs(value) / 2 + 1) == 0.0


def test_values_equal_up_to_rounding_are_equal():
    """0.4 - 0.2 and 0.6 - 0.4 do not show that a drop exceeds 0.2."""
    sample = mean_of([0.4 - 0.6, 0.2 - 0.4, 0.6 - 0.8] * 4)
    assert sample.standard_error == 0.0
    assert sample.p_above(-0.2) == sample.p_below(-0.2) == 1.0


def test_groups_with_equal_means_have_no_error():
    """Differences within groups do not affect the mean of others."""
    sample = mean_of([0.1, 0.3, 0.3, 0.1, 0.25, 0.15], groups=["a", "a", "b", "b", "c", "c"])
    assert (sample.standard_error, sample.skewness) == (0.0, 0.0)


@pytest.mark.parametrize(
    "arguments",
    [
        {"values": []},
        {"values": [0.5]},
        {"values": [0.5, 0.6], "groups": ["a", "a"]},
        {"values": [0.5, 0.6], "weights": [1, 0]},
        {"values": [1.0], "strata": ["a"]},
        {"values": [], "strata": []},
        {"values": [1.0, 2.0, 3.0], "strata": ["a", "a", "b"], "weights": [1, 0, 0]},
    ],
)
def test_one_unit_has_no_spread(arguments):
    """The result is None, not NaN."""
    assert mean_of(**arguments) is None


def test_two_values_have_no_skewness():
    """Only Student's t remains; the limit of the skewness still applies."""
    sample = mean_of([0.1, 0.4])
    assert (sample.skewness, sample.skewness_error, sample.cautious_skewness) == (0.0, 0.0, -1.0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"weights": [1, 2]}, "weights: expected one weight per query, 3, got 2"),
        ({"weights": [1, -2, 1]}, "weights: expected numbers of at least 0"),
        ({"groups": ["a"]}, "groups: expected one label per query, 3, got 1"),
        ({"strata": ["a"]}, "strata: expected one label per query, 3, got 1"),
        (
            {"strata": ["a", "a", "b"], "groups": ["x", "y", "y"]},
            "groups: expected each group within one stratum, got group 'y' in 'a' and in 'b'",
        ),
        (
            {"strata": [None, "a", "a"], "groups": ["x", "x", "y"]},
            "got group 'x' in 'a' and outside of all strata",
        ),
    ],
)
def test_invalid_arguments_are_reported(arguments, message):
    """The message has what was expected and found."""
    with pytest.raises(ArgumentError, match=message):
        mean_of([0.1, 0.2, 0.3], **arguments)


@pytest.mark.parametrize("alpha", [0, 1, 5, math.nan])
def test_alpha_is_a_share(alpha):
    """5 is not 0.05."""
    with pytest.raises(ArgumentError, match="alpha: expected a number between 0 and 1"):
        SampleMean(0.0, 1.0, 9.0, 10, 0.0, 0.6, 10.0).lower_bound(alpha)


def test_an_alpha_near_0_has_no_bound():
    """It is far below every score, or minus infinity: not all versions of scipy know it."""
    assert mean_of(SKEWED[:10]).lower_bound(1e-300) < -1e30


@given(differences, st.floats(0, 0.5))
def test_equivalence_is_two_one_sided_tests(values, margin):
    """Both ends must be ruled out, each at its least favourable skewness."""
    sample, mirrored = mean_of(values), mean_of([-value for value in values])
    below = sample.p_above(-margin, skewness=sample.cautious_skewness)
    above = mirrored.p_above(-margin, skewness=mirrored.cautious_skewness)
    assert sample.p_within(margin) == mirrored.p_within(margin) == max(below, above)


def test_equivalence_by_student_alone_is_less_strict():
    """The test at the upper margin assumes a long tail above."""
    sample = mean_of([0.01, -0.02, 0.0, 0.02, -0.01, 0.0, 0.01, -0.01, 0.02, 0.0])
    student = max(sample.p_above(-0.02, skewness=0.0), sample.p_below(0.02, skewness=0.0))
    assert sample.p_below(0.02, skewness=1.0) <= sample.p_within(0.02)
    assert student < sample.p_within(0.02) < 0.05


def test_a_margin_is_not_below_0():
    """Nothing lies within a negative margin."""
    with pytest.raises(ArgumentError, match="margin: expected a finite number, at least 0"):
        mean_of(SKEWED).p_within(-0.1)


def test_two_lost_queries_by_hand():
    """98 differences of mean 0 and two losses of 1 have the mean -0.02."""
    sample = mean_of([0.01, -0.01] * 49)
    assert sample.mean_after_losses(1.0) == pytest.approx(-0.02)
    assert sample.p_above(-0.0199, loss=1.0) == 1.0
    assert sample.p_above(-0.0201, loss=1.0) == sample.p_above(-0.0201) < 1e-9
    assert sample.lower_bound(loss=1.0) == pytest.approx(-0.02)


@given(differences, st.floats(-1, 1), st.floats(0.0005, 0.4), st.floats(0, 1))
def test_bounds_and_p_values_agree_about_losses(values, null, alpha, loss):
    """The bound is the lower of the test's and the mean after losses, and p-values follow."""
    sample = mean_of(values)
    low = sample.lower_bound(alpha, loss=loss)
    assert (sample.p_above(null, loss=loss) <= alpha) == (null < low)
    if loss > 0:
        assert low <= sample.mean_after_losses(loss)
        assert low == min(sample.lower_bound(alpha), sample.mean_after_losses(loss))


def test_losses_count_on_both_sides_of_equivalence():
    """A few queries may also gain everything."""
    sample = mean_of([0.001, -0.001] * 40)
    assert sample.p_within(0.03) < 0.05
    assert sample.p_within(0.03, loss=0.5) < 0.05
    assert sample.p_within(0.01, loss=0.5) == (-sample).p_within(0.01, loss=0.5) == 1.0


@pytest.mark.parametrize("groups", [None, ["a", "b", "b"]])
def test_one_unit_with_nearly_all_the_weight_has_no_error(groups):
    """The mean of one unit does not generalise; with slightly less weight there is an error."""
    for heaviest in (1e30, 2100.0):
        assert mean_of([0.1, 0.5, 0.4], weights=[heaviest, 1, 1], groups=groups) is None
    sample = mean_of([0.1, 0.5, 0.4], weights=[1900, 1, 1], groups=groups)
    assert sample.standard_error > 0
    assert 1 <= sample.degrees_of_freedom < 1.001
