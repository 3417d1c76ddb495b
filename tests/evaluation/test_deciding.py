"""The policy of comparisons: intervals, p-values and words that never disagree."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from berryeval.evaluation.deciding import estimate_family
from berryeval.evaluation.findings import WORDS, finding_of
from berryeval.stats import Interval

scores = st.floats(-1, 1).map(lambda value: round(value, 6))
columns = st.lists(scores, min_size=2, max_size=30).map(np.array)
levels = st.sampled_from([0.8, 0.9, 0.95, 0.99])


def test_one_difference_has_students_interval_and_p_value():
    """SciPy's."""
    values = np.array([0.1, 0.3, -0.2, 0.4, 0.25])
    [found] = estimate_family([values])
    expected = stats.ttest_1samp(values, 0)
    assert found.p_value == pytest.approx(expected.pvalue)
    interval = expected.confidence_interval(0.95)
    assert (found.interval.low, found.interval.high) == pytest.approx(tuple(interval))
    assert (found.interval.level, found.interval.method, found.reason) == (0.95, "t", None)


@given(st.lists(columns, min_size=1, max_size=6), levels)
def test_word_interval_and_p_value_never_disagree(family, level):
    """A difference is better or worse where its interval excludes 0: where p is at most alpha."""
    for values, found in zip(family, estimate_family(family, level), strict=True):
        word = finding_of(found.interval)
        if found.interval is None:
            assert (word, found.p_value) == ("unclear", None)
            assert found.reason
            continue
        assert (word == "unclear") == found.interval.contains(0.0)
        if abs(found.p_value - (1 - level)) > 1e-9:
            assert (word != "unclear") == (found.p_value <= 1 - level)
        if word != "unclear":
            assert word == ("better" if values.mean() > 0 else "worse")


@given(st.lists(columns, min_size=2, max_size=6))
def test_a_member_of_a_family_is_never_more_certain_than_alone(family):
    """Its interval is wider, its p-value larger."""
    for values, found in zip(family, estimate_family(family), strict=True):
        [alone] = estimate_family([values])
        if found.interval is not None:
            assert found.interval.low <= alone.interval.low
            assert found.interval.high >= alone.interval.high
            assert found.p_value >= alone.p_value


def test_simultaneous_intervals_hold_together():
    """Of 1,000 families of five independent normal columns about 95 % contain all five means."""
    draw = np.random.default_rng(7)
    held = 0
    for _ in range(1000):
        family = list(draw.normal(0.0, 1.0, (5, 20)))
        held += all(found.interval.contains(0.0) for found in estimate_family(family))
    assert 0.93 <= held / 1000 <= 0.975


def test_columns_without_a_result_count_as_members():
    """Which of them have spread depends on the data; the family must not."""
    values = np.array([0.1, 0.3, -0.2, 0.4])
    with_zeros = estimate_family([values, np.zeros(4), np.array([0.5])])
    assert with_zeros[0].interval == estimate_family([values] * 3)[0].interval
    assert [found.interval for found in with_zeros[1:]] == [None, None]
    assert with_zeros[1].reason == "all differences are 0"
    assert with_zeros[2].reason == "fewer than 2 queries"


def test_the_same_gain_everywhere_is_judged_by_its_sign():
    """Six queries agree by chance in 1 of 32 cases, five in 1 of 16."""
    [enough] = estimate_family([np.full(6, 0.25)])
    assert (enough.p_value, enough.interval.low, enough.interval.high) == (1 / 32, 0.25, 0.25)
    assert finding_of(enough.interval) == "better"
    [few] = estimate_family([np.full(5, 0.25)])
    assert (few.interval, few.reason) == (None, "all differences are 0.25")


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
def test_the_word_is_where_the_interval_lies(low, high, higher, lower):
    """An end at 0 contains it; where less is better the words are exchanged."""
    interval = Interval(low, high, 0.95, "t")
    assert finding_of(interval) == higher
    assert finding_of(interval, higher_is_better=False) == lower
    assert finding_of(None) == "unclear"


def test_each_finding_has_one_word():
    """The words of every page, report and chart."""
    assert [*WORDS.values()] == ["better", "worse", "not clearly different"]
