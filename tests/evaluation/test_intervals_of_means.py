"""Means with their uncertainty, and what is behind them."""

import math

import pytest

from berryeval import ArgumentError, evaluate
from berryeval.stats import bca_interval, student_interval

JUDGMENTS = {f"q{i}": {"d": 1} for i in range(8)}
RUN = {f"q{i}": ["x"] * 0 + [f"x{j}" for j in range(i % 4)] + ["d"] for i in range(8)}


def test_a_mean_has_students_interval():
    """At 95 %, or any other level."""
    result = evaluate(JUDGMENTS, RUN, "RR")["RR"]
    assert result.interval == student_interval(list(result.values), 0.95)
    assert result.interval.low < result.mean < result.interval.high
    assert result.interval_at(0.9) == student_interval(list(result.values), 0.9)


def test_an_interval_can_be_bootstrapped():
    """By 10,000 resamples with seed 0."""
    result = evaluate(JUDGMENTS, RUN, "RR")["RR"]
    expected = bca_interval(list(result.values), 0.95, n_resamples=10_000, seed=0)
    assert result.interval_at(method="bca") == expected


def test_an_interval_stays_within_the_range_of_the_measure():
    """Seven hits in eight: no success rate is above 1."""
    run = {**RUN, "q0": ["x"]}
    result = evaluate(JUDGMENTS, run, "Success@10")["Success@10"]
    assert student_interval(list(result.values)).high > 1
    assert (result.interval.low < 7 / 8, result.interval.high) == (True, 1.0)


def test_an_interval_of_a_geometric_mean_is_that_of_the_logarithms():
    """It holds the geometric mean, not the arithmetic one."""
    result = evaluate(JUDGMENTS, RUN, "GMAP")["GMAP"]
    expected = student_interval([math.log(value) for value in result.values], 0.95)
    found = result.interval_at(method="t")
    assert (found.low, found.high) == (math.exp(expected.low), math.exp(expected.high))
    assert found.low < result.mean < found.high


def test_sums_and_single_queries_have_no_interval():
    """None says so, never a NaN."""
    assert evaluate(JUDGMENTS, RUN, "NumRet")["NumRet"].interval is None
    assert evaluate({"q0": {"d": 1}}, RUN, "RR")["RR"].interval is None


def test_an_unknown_method_is_an_error():
    """The message lists those there are."""
    with pytest.raises(ArgumentError, match="expected 't' or 'bca'"):
        evaluate(JUDGMENTS, RUN, "RR")["RR"].interval_at(method="guess")


def test_holes_are_counted_as_deep_as_the_measure_looks():
    """0 + 1 + 2 + 2 of each four rankings within 2, 0 + 1 + 2 + 3 in all."""
    result = evaluate(JUDGMENTS, RUN, ["P@2", "RR"])
    assert (result["P@2"].holes, result["RR"].holes) == (10, 12)
    assert list(result) == ["P@2", "RR"]
