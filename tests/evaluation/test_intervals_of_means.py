"""Means with their uncertainty, and their holes."""

import math
from dataclasses import replace

import pytest
from scipy import stats

from berryeval import ArgumentError, evaluate
from berryeval.stats import mean_of

JUDGMENTS = {f"q{i}": {"d": 1} for i in range(8)}
RUN = {f"q{i}": ["x"] * 0 + [f"x{j}" for j in range(i % 4)] + ["d"] for i in range(8)}


@pytest.mark.parametrize("level", [0.5, 0.9, 0.95])
def test_the_interval_of_a_mean_is_students_and_halls(level):
    """SciPy's lies within it, and it extends further for skewed scores."""
    result = evaluate(JUDGMENTS, RUN, "RR")["RR"]
    found, values = result.interval_at(level), list(result.values)
    student = stats.ttest_1samp(values, 0).confidence_interval(level)
    expected = mean_of(values).interval(level)
    assert found == replace(expected, high=min(expected.high, 1.0))
    assert found.low <= student.low + 1e-12
    assert found.high > student.high + 0.001  # most relevant documents are at rank 2 or below
    assert (found.level, found.method) == (level, "t and hall")
    assert result.interval == result.interval_at(0.95)


def test_an_interval_stays_within_the_range_of_the_measure():
    """Seven hits in eight have no success rate above 1."""
    run = {**RUN, "q0": ["x"]}
    result = evaluate(JUDGMENTS, run, "Success@10")["Success@10"]
    assert mean_of(list(result.values)).interval().high > 1
    assert (result.interval.low < 7 / 8, result.interval.high) == (True, 1.0)


def test_an_interval_of_a_geometric_mean_is_that_of_the_logarithms():
    """It contains the geometric mean, not the arithmetic one."""
    result = evaluate(JUDGMENTS, RUN, "GMAP")["GMAP"]
    expected = mean_of([math.log(value) for value in result.values]).interval()
    found = result.interval
    assert (found.low, found.high) == (math.exp(expected.low), math.exp(expected.high))
    assert found.low < result.mean < found.high


def test_sums_and_single_queries_have_no_interval():
    """The interval is None, never NaN."""
    assert evaluate(JUDGMENTS, RUN, "NumRet")["NumRet"].interval is None
    assert evaluate({"q0": {"d": 1}}, RUN, "RR")["RR"].interval is None


@pytest.mark.parametrize("level", [0, 1, 95, math.nan])
def test_a_level_is_a_share(level):
    """95 is not 0.95."""
    with pytest.raises(ArgumentError, match="level: expected a number between 0 and 1"):
        evaluate(JUDGMENTS, RUN, "RR")["RR"].interval_at(level)


def test_holes_are_counted_down_to_the_cutoff():
    """Four rankings have 0 + 1 + 2 + 2 within 2, and 0 + 1 + 2 + 3 in all."""
    result = evaluate(JUDGMENTS, RUN, ["P@2", "RR"])
    assert (result["P@2"].holes, result["RR"].holes) == (10, 12)
    assert list(result) == ["P@2", "RR"]
