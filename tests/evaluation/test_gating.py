"""The gate: pass, fail or inconclusive."""

import math

import pytest

from berryeval import ArgumentError, Query, compare, evaluate, gate
from berryeval.errors import InputTypeError
from berryeval.evaluation.gate_rules import GateRules
from berryeval.evaluation.guards import Margin, MarginGuard
from berryeval.evaluation.trials import find_trials
from berryeval.measures import parse_measure
from evaluation.gating_cases import OTHER, RELEVANT, compared, decided, ids, judged, only, ranked


def test_a_gate_passes_only_if_all_pass_and_fails_if_any_fails():
    """The order of guards does not matter."""
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


def test_a_verdict_is_not_random():
    """The same runs give the same verdict for any seed."""
    before, after = [5] * 40, [0] * 3 + [4] * 9 + [5] * 28
    one, two = (
        gate(compared(before, after, ["P@5", "RR"], seed=seed), margin=0.05) for seed in (7, 8)
    )
    assert [(g.verdict, g.interval, g.p_pass, g.p_fail) for g in one.guards] == [
        (g.verdict, g.interval, g.p_pass, g.p_fail) for g in two.guards
    ]
    assert one.sentence == two.sentence


@pytest.mark.parametrize("setting", ["seed", "n_resamples", "noise_sd"])
def test_settings_of_the_bootstrap_are_rejected(setting):
    """They are unknown, like misspelt ones."""
    with pytest.raises(TypeError, match=f"unexpected keyword argument '{setting}'"):
        gate(compared([3] * 12, [2] * 12), margin=0.05, **{setting: 1})


@pytest.mark.parametrize(("n_queries", "is_small"), [(49, True), (50, False)])
@pytest.mark.parametrize("margin", [0.01, 0.3])
def test_a_verdict_reports_a_small_set(n_queries, is_small, margin):
    """It does so below 50 queries, if something was tested."""
    before, after = [3] * n_queries, [4, 2] * (n_queries // 2) + [3] * (n_queries % 2)
    found = decided(before, after, margin=margin)
    assert found.verdict == ("pass" if margin == 0.3 else "inconclusive")
    expected = " Small set: below 50 queries, verdicts may be wrong more often than alpha."
    assert found.sentence.endswith(expected) == is_small
    untested = decided([3] * n_queries, [4, *[3] * (n_queries - 1)], margin=margin)
    assert "Small" not in untested.sentence


def test_a_verdict_reports_a_small_slice():
    """It does so if the whole set is not small."""
    queries = [Query(q, "t", category="a" if i < 25 else "b") for i, q in enumerate(ids(80))]
    comparison = compared([3] * 80, [4, 2, 3, 3] * 20, queries=queries)
    guard = MarginGuard(parse_measure("P@5"), Margin(0.13), ("category",))
    assert gate(comparison, [guard]).sentence.endswith(
        " Small slice: below 50 queries, verdicts may be wrong more often than alpha."
    )


def test_a_pass_withstands_two_lost_queries():
    """The baseline scores 0.8: two more lost queries leave -1.6 / 202 = -0.00792."""
    before, after = [4] * 200, [5, 3] * 5 + [4] * 190
    found = only(decided(before, after, margin=0.0079))
    assert (found.verdict, found.p_pass) == ("inconclusive", 1.0)
    assert found.interval.low == pytest.approx(-1.6 / 202)
    assert decided(before, after, margin=0.008).verdict == "pass"


def test_without_a_worst_score_the_range_of_scores_can_be_lost():
    """In each slice: holes are 1, 2 or 4, and a query with 2 of them may get 3 more."""
    holes = [1, 2, 4] * 20
    queries = [Query(q, "t", category=f"c{n}") for q, n in zip(ids(60), holes, strict=True)]
    run = {
        q: [*RELEVANT, *(f"u{i}" for i in range(n))] for q, n in zip(ids(60), holes, strict=True)
    }
    comparison = compare(judged(60), {"before": run, "after": run}, "Holes@9", queries=queries)
    guard = MarginGuard(parse_measure("Holes@9"), Margin(1.0), ("category",))
    trials = find_trials(guard, comparison, "after", GateRules())
    assert [trial.loss for trial in trials] == [3.0] * 4


def test_a_clearly_better_candidate_suggests_a_higher_baseline():
    """It must be clearly better and nowhere worse."""
    better = decided([3] * 30, [4] * 20 + [3] * 10)
    assert better.suggestion == (
        "The candidate is better (P@5 +0.1333): consider making it the baseline."
    )
    assert better.suggested_command == "berryeval baseline update"
    assert decided([3] * 30, [3] * 30).suggested_command is None
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
def test_holes_are_inconclusive_if_the_pool_reaches_the_cutoff(rules, policy):
    """The setting takes precedence; a measure without a cutoff is never covered."""
    found = GateRules(**rules)
    assert found.holes_policy(parse_measure("P@5")) == policy
    assert found.holes_policy(parse_measure("AP")) == (found.holes or "report")


def test_only_an_inconclusive_verdict_has_a_configurable_exit_code():
    """0 passes and 1 fails; the default is 3."""
    codes = [GateRules().exit_code(verdict) for verdict in ("pass", "fail", "inconclusive")]
    assert codes == [0, 1, 3]
    assert GateRules(inconclusive=0).exit_code("inconclusive") == 0


def test_gate_and_comparison_agree_on_better():
    """p is 0.06, and a one-sided test would say better."""
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
    ],
)
def test_invalid_arguments_are_errors(settings, message):
    """The message says what was expected."""
    with pytest.raises(ArgumentError, match=message):
        gate(compared([3] * 12, [2] * 12), **settings)


def test_a_margin_needs_a_comparison():
    """An evaluation alone supports only thresholds."""
    result = evaluate(judged(3), ranked([3] * 3), "P@5")
    with pytest.raises(ArgumentError, match="expected a comparison with a baseline, got an eval"):
        gate(result, margin=0.05)
    with pytest.raises(InputTypeError, match="result: expected a Comparison or an Evaluation"):
        gate({"P@5": 0.7}, at_least={"P@5": 0.5})


def test_one_of_several_candidates_must_be_named():
    """The name is required."""
    runs = {"a": ranked([3] * 12), "b": ranked([3] * 12), "c": ranked([1] * 12)}
    comparison = compare(judged(12), runs, "P@5")
    assert gate(comparison, margin=0.1, candidate="b").verdict == "pass"
    assert gate(comparison, margin=0.1, candidate="c").verdict == "fail"
    with pytest.raises(ArgumentError, match="candidate: expected 'b' or 'c', got None"):
        gate(comparison, margin=0.1)
