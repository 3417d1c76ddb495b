"""Thresholds and latencies: figures of this set compared with limits."""

import math

import numpy as np
import pytest

from berryeval import ArgumentError, evaluate, gate
from berryeval.evaluation.guards import LatencyGuard, ThresholdGuard
from berryeval.measures import parse_measure
from evaluation.gating_cases import judged, only, ranked


def test_a_threshold_is_reached_by_equality():
    """The mean is not rounded: 0.7 reaches 0.7, and 0.69996 does not."""
    result = evaluate(judged(10), ranked([3, 4] * 5), "P@5")
    assert gate(result, at_least={"P@5": 0.7}).verdict == "pass"
    almost = gate(result, at_least={"P@5": 0.700004})
    assert almost.verdict == "fail"
    assert almost.sentence == "P@5 is 0.7000, below 0.700004."
    above = gate(result, at_least={"P@5": 0.699996})
    assert only(above).reason == "is 0.7000, which reaches 0.699996."
    below = gate(evaluate(judged(3), ranked([3, 4, 3]), "P@5"), at_least={"P@5": 0.66668})
    assert below.sentence == "P@5 is 0.66667, below 0.66668."


@pytest.mark.parametrize("n_queries", range(1, 40))
@pytest.mark.parametrize("hits", [1, 2, 3, 4])
def test_rounding_errors_do_not_miss_a_threshold(n_queries, hits):
    """Queries that all score 0.6 have a mean of 0.6."""
    result = evaluate(judged(n_queries), ranked([hits] * n_queries), "P@5")
    assert gate(result, at_least={"P@5": hits / 5}).verdict == "pass"


def test_a_confident_threshold_uses_the_lower_end():
    """Only the mean reaches it: inconclusive; the interval, too: pass; neither: fail."""
    result = evaluate(judged(40), ranked([3, 4] * 20), "P@5")
    p5 = parse_measure("P@5")

    def verdict(at_least, result=result):
        return gate(result, [ThresholdGuard(p5, at_least, is_confident=True)])

    assert [verdict(limit).verdict for limit in (0.66, 0.7, 0.71)] == [
        "pass",
        "inconclusive",
        "fail",
    ]
    assert "but may be as low as 0.6" in verdict(0.7).sentence
    assert "0.7 %" not in verdict(0.66).sentence
    one = evaluate(judged(1), ranked([4]), "P@5")
    assert verdict(0.7, one).verdict == "inconclusive"
    assert (
        "is 0.8000, but with too few queries to be confident of 0.7." in verdict(0.7, one).sentence
    )


def test_latency_is_compared_with_its_limit():
    """It is the 95th of 100 times, or the next above, and equality passes."""
    result = evaluate(judged(1), ranked([5]), "P@5")
    times = [*range(1, 101)]
    guard = LatencyGuard(95, 96)
    assert gate(result, [guard], milliseconds=times).verdict == "pass"
    failed = gate(result, [LatencyGuard(95, 95.96)], milliseconds=np.array(times))
    assert failed.verdict == "fail"
    assert failed.sentence == "latency is 96.0 ms at p95, above 95.96 ms."
    assert only(failed).n_queries == 100


@pytest.mark.parametrize("times", [None, [], np.array([])])
def test_latency_needs_times(times):
    """Without any there is an error, not a pass."""
    result = evaluate(judged(1), ranked([5]), "P@5")
    with pytest.raises(ArgumentError, match="expected query times, got no times"):
        gate(result, [LatencyGuard(95, 100)], milliseconds=times)


@pytest.mark.parametrize("times", [[1.0, math.nan], [-1.0], [math.inf]])
def test_times_are_finite(times):
    """A query that never returned has no duration."""
    result = evaluate(judged(1), ranked([5]), "P@5")
    with pytest.raises(ArgumentError, match="milliseconds: expected finite numbers from 0"):
        gate(result, [LatencyGuard(95, 100)], milliseconds=times)
