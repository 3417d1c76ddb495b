"""The drops that a number of queries can detect."""

import math
from dataclasses import replace

import numpy as np
import pytest

from berryeval import compare, gate
from berryeval.evaluation.deciding import MIN_CHANGED, Column
from berryeval.evaluation.detection import Detection, detection_in, margin_of_averaged
from berryeval.evaluation.margins import changed_share_bound, margin_p_values
from berryeval.evaluation.power import propose_guards, sensitivity
from berryeval.evaluation.result import Evaluation
from berryeval.measures import parse_measure
from berryeval.stats import mean_of, power_at, queries_needed, smallest_drop
from evaluation.gating_cases import compared, judged


def test_a_detection_matches_the_statistics():
    """It has the drop that the gate's test rules out, and the fewest sufficient queries."""
    found = Detection(50, 0.1, margin=0.03)
    assert found.smallest_drop == pytest.approx(smallest_drop(0.1, 50, skewness=0.0))
    powers = [power_at(0.1, found.needed - fewer, 0.03, skewness=0.0) for fewer in (0, 1)]
    assert powers[0] >= 0.8 > powers[1]
    assert (found.is_enough, found.sufficiency) == (False, "too few")
    assert found.missing == found.needed - 50
    enough = replace(found, n_queries=found.needed)
    assert (enough.is_enough, enough.sufficiency) == (True, "enough")
    drops = [drop for _, drop in found.curve]
    assert drops == sorted(drops, reverse=True)
    assert found.curve[-1][0] >= 2 * found.needed - 1


def test_without_a_spread_nothing_is_detected():
    """A single query detects nothing, either."""
    found = Detection(50, 0.0, margin=0.02)
    assert (found.smallest_drop, found.needed, found.curve) == (None, None, ())
    assert found.sufficiency == "no spread"
    assert Detection(1, 0.1, margin=0.02).smallest_drop is None
    assert detection_in([Column(np.full(3, 0.1))]).sd == 0.0
    assert detection_in([Column(np.array([1.0]))]).sd == 0.0


def test_queries_with_few_changes_are_not_enough():
    """A gate would not test them; assumed differences have no number of changes."""
    found = Detection(100, 0.1, margin=0.05, n_changed=9)
    assert (found.has_few_changes, found.sufficiency) == (True, "too few changed")
    assert replace(found, n_changed=20).sufficiency == "enough"
    assert replace(found, n_changed=None).sufficiency == "enough"


def test_few_changes_of_many_queries_are_enough():
    """One change in 400 is so small a share that a margin of 0.05 holds."""
    found = Detection(400, 0.1, margin=0.05, n_changed=1, score_range=1.0)
    assert (found.has_few_changes, found.sufficiency) == (True, "enough")
    assert found.needed == 59  # most draws have no change
    assert changed_share_bound(0, 59, 0.05) <= 0.05 < changed_share_bound(0, 58, 0.05)
    assert replace(found, score_range=None).needed > 1000


@pytest.mark.parametrize(("share", "margin"), [(0.23, 0.02), (0.23, 0.05), (0.5, 0.04)])
def test_the_queries_needed_pass_the_gate_as_often_as_stated(share, margin):
    """80% of draws of mostly unchanged queries pass the gate's own test."""
    random = np.random.default_rng(5)
    sd = 0.2 * math.sqrt(share)
    needed = Detection(100, sd, margin=margin, n_changed=round(100 * share), loss=1.0).needed
    passed = 0
    for _ in range(1000):
        values = random.normal(0, 0.2, needed) * (random.random(needed) < share)
        if np.count_nonzero(values) >= MIN_CHANGED:
            passed += margin_p_values(mean_of(values), margin, 1.0).passing <= 0.05
    assert passed / 1000 == pytest.approx(0.8, abs=0.04)  # three standard errors


def test_the_number_needed_is_a_range():
    """Twenty queries show little about how much differences vary."""
    judgments = judged(20)
    good, bad = ["r0", "r1"], ["x", "r0"]
    before = {query: good if i % 2 else bad for i, query in enumerate(judgments)}
    after = {query: bad if i % 2 else good for i, query in enumerate(judgments)}
    [guard] = gate(compare(judgments, {"a": before, "b": after}, "P@2"), margin=0.05).guards
    low, high = guard.queries_needed_range
    assert low < guard.queries_needed < high
    assert f"About {guard.queries_needed} queries ({low} to {high:,}) are needed" in guard.reason


def test_spreads_of_several_pairs_are_pooled():
    """It is the root of the mean variance."""
    pairs = [Column(np.array([0.0, 2.0])), Column(np.array([0.0, 4.0]))]
    assert detection_in(pairs).sd == pytest.approx(math.sqrt(5))


@pytest.mark.parametrize("measure", ["P@2", "GMAP", "Unjudged@2"])
def test_the_queries_needed_by_a_margin_match_the_gate(measure):
    """This includes geometric means, and measures for which lower is better."""
    judgments = judged(24)
    good, bad = ["r0", "r1"], ["x", "r0"]
    before = {query: good if i % 2 else bad for i, query in enumerate(judgments)}
    after = {query: bad if i % 2 else good for i, query in enumerate(judgments)}
    comparison = compare(judgments, {"before": before, "after": after}, measure)
    [guard] = gate(comparison, margin=0.05).guards
    assert guard.queries_needed is not None
    [found] = sensitivity(judgments, before, measure, against=after, margins=[0.05])
    assert found.spreads[0].needed == ((0.05, guard.queries_needed),)


def test_a_geometric_mean_falls_by_a_factor():
    """A drop of 0.1 from 0.4 is a quarter, and no drop reaches 0."""
    measure = parse_measure("GMAP")
    assert margin_of_averaged(measure, 0.1, 0.4) == pytest.approx(-math.log(0.75))
    found = Detection(50, 0.2, margin=0.1, measure=measure, baseline_mean=0.4)
    averaged = smallest_drop(0.2, 50, skewness=0.0)
    assert found.smallest_drop == pytest.approx(0.4 * (1 - math.exp(-averaged)))
    wide = replace(found, sd=0.5)
    assert wide.needed == queries_needed(0.5, -math.log(0.75), skewness=0.0)
    assert found.needed_for(0.5) is None


def test_proposed_guards_fit_the_baseline():
    """The margin is detectable, and the baseline reaches the threshold."""
    evaluation = compared([3] * 40, [2, 4] * 20, ["P@5", "RR"]).evaluations["candidate"]
    margin, floor = propose_guards(evaluation)
    assert 0.02 <= margin.margin.amount <= 0.05
    assert (str(margin.measure), str(floor.measure)) == ("P@5", "RR")
    assert floor.at_least < evaluation["RR"].mean
    alone = Evaluation(evaluation.scores, [parse_measure("P@5")])
    assert [str(guard.measure) for guard in propose_guards(alone)] == ["P@5", "P@5"]
