"""Verdicts of margin guards: all trials of a gate are judged together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from berryeval.evaluation import sentences
from berryeval.evaluation.detection import loss_of_few
from berryeval.evaluation.findings import ROUNDING
from berryeval.evaluation.margins import MarginPValues, correct_failing, judge_margin
from berryeval.evaluation.trials import Trial
from berryeval.evaluation.verdict import GuardResult, Verdict
from berryeval.stats import Interval

__all__ = ["judge_margins"]


def judge_margins(trials: Sequence[Trial]) -> list[GuardResult]:
    """Judge the margin guards of one gate: what fails is corrected over all of them."""
    p_values = _p_values([variant for trial in trials for variant in (trial, *trial.by_holes)])
    p_fails = _corrected(trials, p_values)
    return [
        _judge(trial, p_fail, trials, p_values)
        for trial, p_fail in zip(trials, p_fails, strict=True)
    ]


def _p_values(trials: Sequence[Trial]) -> dict[Trial, MarginPValues]:
    """Test what can be tested."""
    return {trial: trial.p_values for trial in trials if trial.is_testable}


def _judge(
    trial: Trial,
    p_fail: float | None,
    trials: Sequence[Trial],
    p_values: Mapping[Trial, MarginPValues],
) -> GuardResult:
    verdict = _verdict(trial, p_values.get(trial), p_fail)
    by_holes = [
        _verdict(variant, p_values.get(variant), _p_fail_as(variant, trial, trials, p_values))
        for variant in trial.by_holes
    ]
    is_blocked = trial.rules.holes == "inconclusive" and bool(set(by_holes) - {verdict})
    if is_blocked:
        verdict = "inconclusive"
    needed, needed_range = (None, None) if is_blocked else _needed(trial, verdict)
    result = GuardResult(
        trial.guard,
        trial.slice,
        verdict,
        "",
        trial.n_queries,
        trial.in_units(trial.mean),
        trial.in_units(-trial.margin),
        is_watched=trial.is_watched,
        interval=_interval(trial),
        p_pass=p_values[trial].passing if trial in p_values else None,
        p_fail=p_fail,
        n_changed=trial.column.n_changed,
        n_groups=None if trial.sampling.groups is None else trial.column.n_units,
        effective_queries=trial.sampling.effective_queries,
        worth_changed=trial.column.worth_changed if trial.column.is_weighted else None,
        is_unchanged=trial.is_unchanged,
        queries_needed=needed,
        queries_needed_range=needed_range,
        verdicts_by_holes=(by_holes[0], by_holes[1]) if by_holes else None,
        is_blocked_by_holes=is_blocked,
        noise_sd=trial.noise_sd,
        means=trial.means,
        baseline=trial.baseline,
        is_better=trial.is_better,
        rests_on=None if trial.labelled is None else trial.labelled.rests_on(trial.column.powered),
    )
    reason = sentences.of_margin(result, trial.rules.inference, trial.untested)
    return replace(result, reason=reason)


def _corrected(
    trials: Sequence[Trial], p_values: Mapping[Trial, MarginPValues]
) -> list[float | None]:
    """Return the p-values of failing, by Holm over the guards that count.

    A guard that is watched only is not corrected, and corrects no other.
    """
    failing = [p_values[trial].failing if trial in p_values else None for trial in trials]
    counted = [i for i, trial in enumerate(trials) if not trial.is_watched]
    for i, p in zip(counted, correct_failing([failing[i] for i in counted]), strict=True):
        failing[i] = p
    return failing


def _p_fail_as(
    variant: Trial, trial: Trial, trials: Sequence[Trial], p_values: Mapping[Trial, MarginPValues]
) -> float | None:
    """Return the p-value of failing if one trial is replaced and all others stay the same."""
    if variant not in p_values:
        return None
    p = p_values[variant].failing
    if p > trial.levels.verdict:  # nor would it fail if it were corrected
        return p
    family = [variant if other is trial else other for other in trials]
    return _corrected(family, p_values)[family.index(variant)]


def _verdict(trial: Trial, p: MarginPValues | None, p_fail: float | None) -> Verdict:
    if trial.is_unchanged:
        return "pass"
    if trial.rules.inference == "set" and trial.labelled is None:
        worst = -abs(trial.mean) if trial.guard.is_equivalence else trial.mean
        return "pass" if worst >= -trial.margin - ROUNDING else "fail"
    if trial.column.has_few_groups or trial.untested is not None:
        return "inconclusive"
    return judge_margin(
        None if p is None else p.passing,
        p_fail,
        trial.column.n_changed,
        trial.column.n_units,
        trial.margin,
        loss_of_few(trial.column, trial.guard.measure),
        trial.levels.verdict,
    )


def _interval(trial: Trial) -> Interval | None:
    """Return the interval that goes with the tests; None where nothing is tested.

    Nor is there one if no alpha is left: it would not end anywhere.
    """
    if not trial.is_testable or trial.levels.verdict == 0.0:
        return None
    found = trial.interval_at(trial.levels.verdict)
    low, high = sorted(trial.in_units(end) for end in (found.low, found.high))
    return replace(found, low=low, high=high)


def _needed(trial: Trial, verdict: Verdict) -> tuple[int | None, tuple[int, int | None] | None]:
    """Return about how many queries a verdict requires, and the range of that number."""
    if verdict != "inconclusive" or trial.rules.inference == "set":
        return None, None
    if trial.labelled is not None and not trial.column.is_testable:
        return None, None
    return trial.needed
