"""P-values of the BCa bootstrap are its intervals, turned round."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from berryeval.errors import ArgumentError
from berryeval.stats import bca_intervals, bca_p_values, resampled_means
from berryeval.stats.bca import correction_of

B = 999
LEAST, MOST = 1 / (B + 1), B / (B + 1)
SKEWED = np.random.default_rng(12).exponential(size=(40, 1)) - 1


def p_values(differences, null=0.0, n_resamples=B):
    columns = np.asarray(differences, dtype=float).reshape(-1, 1)
    greater, less = bca_p_values(columns, [null], resampled_means(columns, n_resamples))
    return float(greater[0]), float(less[0])


def test_the_correction_by_hand():
    """Of six means two lie below 2 and one equals it: z0 is that of 2.5/6; a is 0 by symmetry."""
    columns = np.array([[1.0], [2.0], [3.0]])
    means = np.array([[1.0], [1.5], [2.0], [2.5], [2.5], [3.0]])
    bias, acceleration = correction_of(columns, means)
    assert bias[0] == pytest.approx(stats.norm.ppf(2.5 / 6))
    assert acceleration[0] == 0.0


def test_the_acceleration_is_a_sixth_of_the_jackknifes_skewness():
    """0, 0, 3: distances from the mean -1, -1, 2; their cubes 6, squares 6: 6 / (6 x 6^1.5)."""
    columns = np.array([[0.0], [0.0], [3.0]])
    acceleration = correction_of(columns, resampled_means(columns, 9)).acceleration
    assert acceleration[0] == pytest.approx(6**-1.5)


def test_the_acceleration_is_scale_free():
    """Tiny differences do not vanish when they are cubed."""
    columns = SKEWED * np.array([1.0, 1e-150])
    acceleration = correction_of(columns, resampled_means(columns, 9)).acceleration
    assert acceleration[1] == pytest.approx(acceleration[0])


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.1])
def test_p_is_the_level_at_which_the_interval_reaches_the_null(alpha):
    """With the null at an end of the 1 - 2 alpha interval, p on that side is alpha."""
    n_resamples = 20_000
    interval = bca_intervals(SKEWED, 1 - 2 * alpha, n_resamples)[0]
    greater, _ = p_values(SKEWED, interval.low, n_resamples)
    _, less = p_values(SKEWED, interval.high, n_resamples)
    assert greater == pytest.approx(alpha, rel=0.03)
    assert less == pytest.approx(alpha, rel=0.03)


def test_p_is_near_that_of_the_t_test_for_normal_differences():
    """Without skewness the two tests say nearly the same."""
    differences = np.random.default_rng(5).normal(0.02, 0.1, size=200)
    greater, less = p_values(differences, 0.005, 20_000)
    t = stats.ttest_1samp(differences, 0.005, alternative="greater").pvalue
    assert greater == pytest.approx(t, abs=0.01)
    assert less == pytest.approx(1 - t, abs=0.01)


def test_false_findings_stay_near_the_level():
    """Of 400 skewed samples whose mean is the null, about 5 % reject on either side."""
    samples = np.random.default_rng(6).exponential(size=(60, 400)) - 1
    greater, less = bca_p_values(samples, [0.0] * 400, resampled_means(samples, 2000))
    assert np.mean(greater <= 0.05) < 0.09
    assert np.mean(less <= 0.05) < 0.09


@given(
    st.lists(st.floats(-1, 1) | st.sampled_from([0.0, -0.2, 1.0]), min_size=1, max_size=20),
    st.floats(-1, 1),
)
def test_p_is_never_0_and_never_nan(differences, null):
    """Whatever the differences, p lies between 1 / (B + 1) and B / (B + 1)."""
    for p in p_values(differences, null, 99):
        assert 1 / 100 <= p <= 99 / 100


@given(st.lists(st.sampled_from([-0.4, -0.2, 0.0, 0.2, 1.0]), min_size=2, max_size=20))
def test_sides_change_places_when_signs_do(differences):
    """What is greater in the differences is less in their mirror image."""
    columns = np.array(differences)[:, None]
    means = resampled_means(columns, 99)
    greater, less = bca_p_values(columns, [0.1], means)
    mirrored = bca_p_values(-columns, [-0.1], -means)
    assert (greater[0], less[0]) == pytest.approx((mirrored[1][0], mirrored[0][0]), rel=1e-12)


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=15), st.floats(-1, 1), st.floats(0, 1))
def test_a_higher_null_is_harder_to_exceed(differences, null, step):
    """p of greater grows with the null, p of less falls."""
    lower, higher = p_values(differences, null, 99), p_values(differences, null + step, 99)
    assert lower[0] <= higher[0]
    assert lower[1] >= higher[1]


@pytest.mark.parametrize("value", [0.1, -0.3, 0.0])
def test_equal_differences_are_on_one_side(value):
    """All differences equal: p is the least on their side, the most on the other."""
    assert p_values([value] * 7, value - 0.05) == (LEAST, MOST)
    assert p_values([value] * 7, value + 0.05) == (MOST, LEAST)


@pytest.mark.parametrize("value", [0.1, -0.3, 0.0])
def test_equal_differences_at_the_null_reject_nothing(value):
    """Seven times 0.1 is the null 0.1, however their sum is rounded."""
    assert p_values([value] * 7, value) == (MOST, MOST)


def test_ties_with_the_null_count_against_rejecting():
    """Half of the means equal the null; both sides count them as contradicting."""
    columns = np.array([[-0.1], [0.1]])
    means = np.array([[-0.1], [0.0], [0.0], [0.1]])
    greater, less = bca_p_values(columns, [0.0], means)
    assert (greater[0], less[0]) == pytest.approx((0.75, 0.75))


def test_one_query_tells_nothing():
    """Whatever its difference, neither side rejects."""
    assert p_values([0.5]) == (MOST, MOST)


def test_beyond_the_pole_nothing_is_rejected():
    """Where 1 + a w <= 0 the answer is the cautious one. No means of resamples get there."""
    columns = np.concatenate([np.zeros((10_000, 1)), np.ones((1, 1))])  # a is nearly 1/6
    means = np.concatenate([np.zeros((500_000, 1)), np.full((1, 1), -1.0)])
    greater, _ = bca_p_values(columns, [-0.5], means)
    assert greater[0] > 0.999


def test_columns_are_independent():
    """Each column has its own null and gets what it gets alone."""
    columns = np.random.default_rng(8).normal(size=(30, 3))
    means = resampled_means(columns, B)
    greater, less = bca_p_values(columns, [0.0, 0.1, -0.2], means)
    for i, null in enumerate([0.0, 0.1, -0.2]):
        alone = bca_p_values(columns[:, [i]], [null], means[:, [i]])
        assert (greater[i], less[i]) == (alone[0][0], alone[1][0])


@pytest.mark.parametrize(
    ("nulls", "means", "message"),
    [
        ([0.0, 0.0], np.zeros((5, 1)), "nulls: expected one finite number a column, 1"),
        ([np.nan], np.zeros((5, 1)), "nulls"),
        ([0.0], np.zeros((5, 2)), "means: expected 1 columns, got 2"),
    ],
)
def test_shapes_have_to_fit(nulls, means, message):
    """One null and one column of means for each column of differences."""
    with pytest.raises(ArgumentError, match=message):
        bca_p_values([[0.1], [0.2]], nulls, means)
