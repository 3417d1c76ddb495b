"""Intervals of means, held against SciPy and against what they promise."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from berryeval.errors import ArgumentError
from berryeval.stats import Interval, bca_interval, bca_intervals, student_interval

SKEWED = np.random.default_rng(11).exponential(size=60)
scores = st.lists(st.floats(0, 1) | st.sampled_from([0.0, 0.2, 1.0]), min_size=2, max_size=30)


def test_student_interval_by_hand():
    """0, 1, 2: the mean is 1, the standard error 1/sqrt(3), and t(0.975, 2) is 4.302653."""
    interval = student_interval([0.0, 1.0, 2.0])
    assert interval.low == pytest.approx(1 - 4.302653 / math.sqrt(3), abs=1e-6)
    assert interval.high == pytest.approx(1 + 4.302653 / math.sqrt(3), abs=1e-6)
    assert (interval.level, interval.method) == (0.95, "t")


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95, 0.99])
def test_student_interval_is_scipys(level):
    """The same ends as scipy.stats.t.interval."""
    expected = stats.t.interval(level, 59, SKEWED.mean(), stats.sem(SKEWED))
    interval = student_interval(SKEWED, level)
    assert (interval.low, interval.high) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize("values", [SKEWED, -SKEWED, np.round(SKEWED, 1), np.sqrt(SKEWED)])
def test_bca_interval_is_scipys_but_for_chance(values, level):
    """scipy.stats.bootstrap with other draws ends within the error of drawing."""
    expected = stats.bootstrap(
        (values,), np.mean, n_resamples=40_000, confidence_level=level,
        method="BCa", random_state=np.random.default_rng(1),
    ).confidence_interval  # fmt: skip
    interval = bca_interval(values, level, n_resamples=40_000)
    error = values.std() / math.sqrt(len(values))
    assert interval.low == pytest.approx(expected.low, abs=0.05 * error)
    assert interval.high == pytest.approx(expected.high, abs=0.05 * error)


def test_bca_interval_leans_to_the_long_tail():
    """With a long tail upwards it reaches further up than down, unlike Student's."""
    interval = bca_interval(SKEWED)
    assert interval.high - SKEWED.mean() > 1.1 * (SKEWED.mean() - interval.low)
    assert interval.method == "bca"


def test_bca_interval_covers_as_often_as_it_says():
    """Of 300 samples from a skewed distribution about 95 % of the intervals hold its mean."""
    samples = np.random.default_rng(2).exponential(size=(50, 300))
    held = sum(interval.contains(1.0) for interval in bca_intervals(samples, 0.95, 2000))
    assert 0.90 <= held / 300 <= 0.98


def test_columns_share_a_draw_and_give_what_each_gives_alone():
    """Intervals of many columns are those of one column, to the bit."""
    values = np.random.default_rng(3).random((25, 6))
    together = bca_intervals(values, 0.9, 500, 4)
    alone = [bca_interval(column, 0.9, n_resamples=500, seed=4) for column in values.T]
    assert together == alone


@pytest.mark.parametrize("interval", [student_interval, bca_interval])
def test_fewer_than_two_values_have_no_interval(interval):
    """None, not NaN."""
    assert interval([]) is None
    assert interval([0.5]) is None


def test_no_query_has_no_intervals():
    """One None a column."""
    assert bca_intervals(np.zeros((0, 3)), 0.95, 10, 0) == [None, None, None]


@pytest.mark.parametrize("interval", [student_interval, bca_interval])
@pytest.mark.parametrize("value", [0.0, 0.1, -0.3, 1e300])
def test_equal_values_have_an_interval_of_no_width(interval, value):
    """Low and high are that value, to the bit."""
    found = interval([value] * 7)
    assert (found.low, found.high) == (value, value)


@given(scores, st.floats(0.01, 0.99))
def test_intervals_are_ordered_finite_and_within_the_values(values, level):
    """Whatever the scores, no NaN; the bootstrap cannot leave their range."""
    student = student_interval(values, level)
    bca = bca_interval(values, level, n_resamples=200)
    assert student.low <= student.high
    assert min(values) - 1e-12 <= bca.low <= bca.high <= max(values) + 1e-12


@given(scores)
def test_a_higher_level_gives_a_wider_interval(values):
    """99 % holds 90 %."""
    wide, narrow = (bca_interval(values, level, n_resamples=200) for level in (0.99, 0.9))
    assert wide.low <= narrow.low
    assert narrow.high <= wide.high


def test_an_interval_beyond_the_pole_goes_to_the_outermost_mean(monkeypatch):
    """Where the correction is not defined the widest answer is given."""
    correction = (np.array([0.0]), np.array([-1.0]))
    monkeypatch.setattr("berryeval.stats.intervals.correction_of", lambda *_: correction)
    monkeypatch.setattr(
        "berryeval.stats.intervals.resampled_means", lambda *_: np.array([[1.0], [2.0], [3.0]])
    )
    assert bca_interval([1.0, 2.0, 3.0]).low == 1.0


def test_an_interval_contains_its_ends():
    """Both ends belong to it."""
    interval = Interval(0.1, 0.3, 0.95, "t")
    assert [interval.contains(x) for x in (0.0, 0.1, 0.2, 0.3, 0.4)] == [
        False,
        True,
        True,
        True,
        False,
    ]


@pytest.mark.parametrize("level", [0, 1, -0.5, 95, math.nan])
@pytest.mark.parametrize("interval", [student_interval, bca_interval])
def test_a_level_is_a_share(interval, level):
    """95 is not 0.95."""
    with pytest.raises(ArgumentError, match="level: expected a number between 0 and 1"):
        interval([0.1, 0.2], level)
