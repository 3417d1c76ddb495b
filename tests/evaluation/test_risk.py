"""Risk against the baseline of a comparison."""

import math

import pytest

from berryeval import Query, compare
from berryeval.stats import geo_risk, robustness_index, t_risk, u_risk

JUDGMENTS = {f"q{i}": {"d": 1} for i in range(4)}


def run_of(*ranks):
    """Return a run that has the relevant document at these ranks; 0 for nowhere."""
    return {
        f"q{i}": [f"x{j}" for j in range(rank - 1)] + ["d"] if rank else ["x"]
        for i, rank in enumerate(ranks)
    }


OLD, NEW = run_of(2, 2, 1, 0), run_of(1, 1, 2, 0)


def test_a_comparison_has_the_risk_of_each_candidate():
    """RR gains 0.5 twice and loses 0.5 once; the loss counts three times."""
    found = compare(JUDGMENTS, {"old": OLD, "new": NEW}, "RR", risk=[0, 2])
    gains = [0.5, 0.5, -0.5, 0.0]
    plain, averse = found.risks
    assert (plain.alpha, averse.alpha) == (0, 2)
    assert (averse.system, str(averse.measure)) == ("new", "RR")
    assert (averse.reward, averse.risk) == (0.25, 0.125)
    assert averse.u_risk == u_risk(gains, 2) == -0.125
    assert averse.t_risk == pytest.approx(t_risk(gains, 2))
    assert averse.robustness_index == robustness_index(gains) == 0.25
    scores = [[0.5, 1.0], [0.5, 1.0], [1.0, 0.5], [0.0, 0.0]]
    assert [averse.baseline_geo_risk, averse.geo_risk] == geo_risk(scores, 2)
    assert plain.u_risk == found.difference("new", "RR").mean


def test_without_a_weight_no_risk_is_computed():
    """Risks are only reported on request."""
    assert compare(JUDGMENTS, {"old": OLD, "new": NEW}, "RR").risks == ()


def test_less_may_be_better():
    """More unjudged documents are a loss; geometric risk requires scores where higher is better."""
    a, b = {"q0": ["d"], "q1": ["x"]}, {"q0": ["x"], "q1": ["x"]}
    judgments = {"q0": {"d": 1}, "q1": {"d": 1}}
    [found] = compare(judgments, {"a": a, "b": b}, "Unjudged@1", risk=[1]).risks
    assert (found.reward, found.risk, found.u_risk) == (0.0, 0.5, -1.0)
    assert found.geo_risk is None
    assert found.baseline_geo_risk is None


def test_equal_runs_have_no_spread():
    """T-risk is not defined."""
    [found] = compare(JUDGMENTS, {"a": OLD, "b": OLD}, "RR", risk=[1]).risks
    assert (found.u_risk, found.t_risk, found.robustness_index) == (0.0, None, 0.0)


def test_weights_of_queries_count():
    """The query that loses has three times the weight of each other one."""
    queries = [Query(f"q{i}", "text", weight=3 if i == 2 else 1) for i in range(4)]
    found = compare(JUDGMENTS, {"old": OLD, "new": NEW}, "RR", queries=queries, risk=[0])
    assert found.risks[0].u_risk == pytest.approx((0.5 + 0.5 - 3 * 0.5) / 6)


def test_a_geometric_mean_risks_differences_of_logarithms():
    """Without a weight of losses, U-risk is then how far the logarithm of GMAP moves."""
    found = compare(JUDGMENTS, {"old": OLD, "new": NEW}, "GMAP", risk=[0, 1])
    plain, averse = found.risks
    gains = [math.log(2), math.log(2), -math.log(2), 0.0]
    assert plain.u_risk == pytest.approx(math.log(2) / 4)
    means = [found.evaluations[name]["GMAP"].mean for name in ("old", "new")]
    assert plain.u_risk == pytest.approx(math.log(means[1] / means[0]))
    assert (averse.reward, averse.risk) == pytest.approx((math.log(2) / 2, math.log(2) / 4))
    assert averse.t_risk == pytest.approx(t_risk(gains, 1))
    assert averse.robustness_index == 0.25
    assert averse.geo_risk is averse.baseline_geo_risk is None
    assert "Risk in GMAP: gains and losses are differences of logarithms" in str(found.notes)


def test_a_percentile_has_no_risk():
    """It is not a mean of what single queries gain; a note states that."""
    times = {name: {f"q{i}": 10.0 + i for i in range(4)} for name in ("old", "new")}
    found = compare(
        JUDGMENTS, {"old": OLD, "new": NEW}, ["ms@p95", "ms", "RR"], timings=times, risk=[1]
    )
    assert [str(one.measure) for one in found.risks] == ["ms", "RR"]
    assert "No risk in ms@p95: a percentile is not a mean" in str(found.notes)


def test_without_risk_there_are_no_notes_on_it():
    """They would explain a table that is not there."""
    assert "Risk" not in str(compare(JUDGMENTS, {"old": OLD, "new": NEW}, "GMAP").notes)
