"""What a number of queries can detect."""

import math
from dataclasses import replace

import numpy as np
import pytest

from berryeval import compare, gate
from berryeval.evaluation.detection import Detection, margin_of_averaged, pooled_sd
from berryeval.evaluation.power import sensitivity
from berryeval.evaluation.proposal import propose_guards
from berryeval.evaluation.result import Evaluation
from berryeval.measures import parse_measure
from berryeval.stats import power_at, queries_needed, smallest_drop
from evaluation.gating_cases import compared, judged


def test_a_detection_is_that_of_the_statistics():
    """The drop by the noncentral t distribution, and the fewest queries that suffice."""
    found = Detection(50, 0.1, margin=0.03)
    assert found.smallest_drop == pytest.approx(smallest_drop(0.1, 50))
    assert power_at(0.1, found.needed, 0.03) >= 0.8 > power_at(0.1, found.needed - 1, 0.03)
    assert (found.is_enough, found.sufficiency) == (False, "too few")
    assert found.missing == found.needed - 50
    enough = replace(found, n_queries=found.needed)
    assert (enough.is_enough, enough.sufficiency) == (True, "enough")
    drops = [drop for _, drop in found.curve]
    assert drops == sorted(drops, reverse=True)
    assert found.curve[-1][0] >= 2 * found.needed - 1


def test_without_a_spread_nothing_is_detected():
    """Nor by a single query."""
    found = Detection(50, 0.0, margin=0.02)
    assert (found.smallest_drop, found.needed, found.curve) == (None, None, ())
    assert found.sufficiency == "no spread"
    assert Detection(1, 0.1, margin=0.02).smallest_drop is None
    assert pooled_sd([np.full(3, 0.1), np.array([1.0])]) == 0.0


def test_queries_of_which_few_changed_are_not_enough():
    """A gate would not test them; where differences are assumed, nobody knows how many change."""
    found = Detection(400, 0.1, margin=0.05, n_changed=9)
    assert (found.has_few_changes, found.sufficiency) == (True, "too few changed")
    assert replace(found, n_changed=10).sufficiency == "enough"
    assert replace(found, n_changed=None).sufficiency == "enough"


def test_spreads_of_several_pairs_are_pooled():
    """The root of the mean variance."""
    assert pooled_sd([np.array([0.0, 2.0]), np.array([0.0, 4.0])]) == pytest.approx(math.sqrt(5))


@pytest.mark.parametrize("measure", ["P@2", "GMAP", "Unjudged@2"])
def test_a_margin_needs_as_many_queries_as_the_gate_says(measure):
    """Also of a geometric mean, whose logarithms are tested, and where lower is better."""
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
    assert found.smallest_drop == pytest.approx(0.4 * (1 - math.exp(-smallest_drop(0.2, 50))))
    assert found.needed == queries_needed(0.2, -math.log(0.75))
    assert found.needed_for(0.5) is None


def test_proposed_guards_fit_the_baseline():
    """A margin that the queries can detect, and a threshold that the baseline reaches."""
    evaluation = compared([3] * 40, [2, 4] * 20, ["P@5", "RR"]).evaluations["candidate"]
    margin, floor = propose_guards(evaluation)
    assert 0.02 <= margin.margin.amount <= 0.05
    assert (str(margin.measure), str(floor.measure)) == ("P@5", "RR")
    assert floor.at_least < evaluation["RR"].mean
    alone = Evaluation(evaluation.scores, [parse_measure("P@5")])
    assert [str(guard.measure) for guard in propose_guards(alone)] == ["P@5", "P@5"]
