"""The gate: pass, fail or inconclusive."""

import importlib.util
import math
import sys
from pathlib import Path

import numpy as np
import pytest

from berryeval import ArgumentError, compare, evaluate, gate
from berryeval.errors import InputTypeError
from berryeval.evaluation.gate_rules import GateRules
from berryeval.measures import parse_measure
from berryeval.reports.gate import gate_to_json
from evaluation.gating_cases import OTHER, RELEVANT, compared, decided, ids, judged, only, ranked


def test_a_gate_passes_only_if_all_pass_and_fails_if_any_fails():
    """Whatever the order."""
    comparison = compared([3] * 30, [3, 4] * 15, ["P@5", "P@10"])
    good, bad = {"P@5": 0.1}, {"P@5": 0.9}
    assert gate(comparison, at_least=good, margin={"P@5": 0.05}).verdict == "pass"
    failed = gate(comparison, at_least={**bad, "P@10": 0.9}, margin={"P@5": 0.05})
    assert failed.verdict == "fail"
    assert len(failed.failed) == 2
    assert failed.sentence == "P@5 is 0.7000, below 0.9. 1 more guard fails."
    mixed = gate(compared([3] * 30, [2, 4] * 15), at_least=good, margin={"P@5": 0.05})
    assert mixed.verdict == "inconclusive"
    assert repr(mixed).startswith("<GateResult inconclusive: P@5 has the same mean")


def test_the_same_seed_gives_the_same_verdict():
    """To the last bit; another seed gives other resamples."""
    before, after = [5] * 40, [0] * 3 + [4] * 9 + [5] * 28
    one, two, other = (decided(before, after, seed=seed, n_resamples=500) for seed in (7, 7, 8))
    assert gate_to_json(one) == gate_to_json(two)
    assert only(one).interval != only(other).interval


def test_a_clearly_better_candidate_suggests_a_higher_baseline():
    """Better beyond chance and nowhere worse; otherwise there is no suggestion."""
    better = decided([3] * 30, [4] * 20 + [3] * 10)
    assert better.suggestion == (
        "The candidate is better (P@5 +0.1333): consider raising the baseline to it "
        "(`berryeval baseline update`)."
    )
    assert decided([3] * 30, [4] * 9 + [3] * 21, margin=0.5).suggestion is None
    assert decided([3] * 30, [3] * 30).suggestion is None
    runs = {
        "baseline": {q: ["r0", *OTHER[:4]] for q in ids(30)},
        "candidate": {q: ["n0", "r0", "r1", "n1", "n2"] for q in ids(30)},
    }
    mixed = compare(judged(30), runs, ["P@5", "RR"])
    result = gate(mixed, margin={"P@5": 0.05, "RR": 0.9})
    assert (result.verdict, result.suggestion) == ("pass", None)


@pytest.mark.parametrize(
    ("rules", "policy"),
    [
        ({}, "report"),
        ({"pool_depth": 5}, "inconclusive"),
        ({"pool_depth": 4}, "report"),
        ({"pool_depth": 5, "holes": "report"}, "report"),
        ({"holes": "inconclusive"}, "inconclusive"),
    ],
)
def test_holes_block_where_the_pool_reaches_the_cutoff(rules, policy):
    """Unless the gate says what to do; a measure without a cutoff is never pooled deep enough."""
    found = GateRules(**rules)
    assert found.holes_policy(parse_measure("P@5")) == policy
    assert found.holes_policy(parse_measure("AP")) == (found.holes or "report")


def test_only_an_inconclusive_verdict_has_an_exit_code_to_choose():
    """0 passes and 1 fails; 3 by default."""
    codes = [GateRules().exit_code(verdict) for verdict in ("pass", "fail", "inconclusive")]
    assert codes == [0, 1, 3]
    assert GateRules(inconclusive=0).exit_code("inconclusive") == 0


def test_a_gate_calls_nothing_better_that_the_comparison_does_not():
    """Of one question there is one answer: p is 0.06, and a one-sided test would say better."""
    before, after = [2] * 40, [1] * 7 + [3] * 16 + [2] * 17
    comparison = compared(before, after)
    [difference] = comparison.differences
    assert 0.05 < difference.p_value < 0.1
    assert difference.finding == "unclear"
    result = gate(comparison, margin=0.05)
    assert (result.verdict, result.suggestion) == ("pass", None)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "guards: expected at least one, got none"),
        ({"margin": 0.05, "alpha": 0}, "alpha: expected a number between 0 and 0.5, got 0"),
        ({"margin": 0.05, "alpha": 0.5}, "alpha: expected a number between 0 and 0.5, got 0.5"),
        ({"margin": 0.05, "alpha": math.nan}, "alpha: expected a number between 0 and 0.5"),
        ({"margin": 0.05, "inference": "sett"}, "inference: expected 'population' or 'set'"),
        ({"margin": 0.05, "holes": "ignore"}, "holes: expected 'report' or 'inconclusive'"),
        ({"margin": 0.05, "candidate": "x"}, "candidate: expected 'candidate', got 'x'"),
        ({"margin": {"AP": 0.05}}, "expected a measure that was compared, got AP"),
        ({"at_least": {"AP": 0.05}}, "expected a measure that was evaluated, got AP"),
        ({"margin": 0.05, "noise_sd": {"AP": 1}}, "noise_sd: expected measures that a margin"),
        ({"margin": 0.05, "noise_sd": {"P@5": -1}}, "noise_sd of P@5: expected a finite number"),
        ({"margin": 0.05, "seed": -1}, "seed: expected a whole number from 0"),
        ({"margin": 0.05, "n_resamples": 1}, "n_resamples: expected a whole number from 100 to"),
    ],
)
def test_what_cannot_be_asked_is_an_error(settings, message):
    """Each says what was expected."""
    with pytest.raises(ArgumentError, match=message):
        gate(compared([3] * 12, [2] * 12), **settings)


def test_a_margin_needs_a_comparison():
    """An evaluation alone has thresholds only; anything else has nothing."""
    result = evaluate(judged(3), ranked([3] * 3), "P@5")
    with pytest.raises(ArgumentError, match="expected a comparison with a baseline, got an eval"):
        gate(result, margin=0.05)
    with pytest.raises(InputTypeError, match="result: expected a Comparison or an Evaluation"):
        gate({"P@5": 0.7}, at_least={"P@5": 0.5})


def test_one_of_several_candidates_is_chosen():
    """By its name, which has to be told."""
    runs = {"a": ranked([3] * 12), "b": ranked([3] * 12), "c": ranked([1] * 12)}
    comparison = compare(judged(12), runs, "P@5")
    assert gate(comparison, margin=0.1, candidate="b").verdict == "pass"
    assert gate(comparison, margin=0.1, candidate="c").verdict == "fail"
    with pytest.raises(ArgumentError, match="candidate: expected 'b' or 'c', got None"):
        gate(comparison, margin=0.1)


SCRIPT = Path(__file__).parents[2] / "scripts" / "simulate_gate.py"


@pytest.mark.skipif(not SCRIPT.exists(), reason="the scripts are not in a source distribution")
@pytest.mark.parametrize("seed", range(8))
def test_the_simulation_judges_as_the_gate_does(seed):
    """The rates that the docs tell are those of this gate: P@5 and RR of the same two runs."""
    spec = importlib.util.spec_from_file_location("simulate_gate", SCRIPT)
    simulation = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = simulation
    spec.loader.exec_module(simulation)
    random = np.random.default_rng(seed)
    n = int(random.choice([20, 40, 80]))
    share = random.choice([0.1, 0.5, 0.9])
    before, after = {}, {}
    for q in ids(n):
        documents = random.permutation(RELEVANT[: random.integers(1, 5)] + OTHER).tolist()
        before[q] = documents
        is_changed = random.random() < share
        after[q] = random.permutation(documents).tolist() if is_changed else documents
    comparison = compare(judged(n), {"baseline": before, "candidate": after}, ["P@5", "RR"])
    result = gate(comparison, margin=simulation.MARGIN, n_resamples=2000)
    columns = np.stack([d.values for d in comparison.differences], axis=1)
    [verdicts] = simulation.judge_gates(columns, 2, 2000)
    assert [guard.verdict for guard in result.guards] == verdicts
