"""The gate: whether a candidate may ship."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import get_args

import numpy as np

from berryeval.errors import ArgumentError, InputTypeError
from berryeval.evaluation import sentences
from berryeval.evaluation.comparison import ROUNDING, Comparison
from berryeval.evaluation.evaluate import MeasureLike, read_measures
from berryeval.evaluation.guards import Guard, LatencyGuard, Margin, MarginGuard, ThresholdGuard
from berryeval.evaluation.holes import Hole, find_holes
from berryeval.evaluation.result import Evaluation
from berryeval.evaluation.slices import Slice, find_slices
from berryeval.evaluation.trials import (
    HolesPolicy,
    Rules,
    Trial,
    find_trials,
    is_clearly_better,
    judge_margins,
)
from berryeval.evaluation.verdict import GateResult, GuardResult, Inference, Verdict
from berryeval.measures import Measure
from berryeval.stats import check_resamples

__all__ = ["gate"]

_BEST_FIRST = ("pass", "inconclusive", "fail")


def gate(
    result: Comparison | Evaluation,
    guards: Iterable[Guard] = (),
    *,
    margin: float | str | Mapping[MeasureLike, float | str] | None = None,
    at_least: Mapping[MeasureLike, float] | None = None,
    candidate: str | None = None,
    milliseconds: Sequence[float] | None = None,
    alpha: float = 0.05,
    seed: int = 0,
    n_resamples: int = 10_000,
    inference: Inference = "population",
    holes: HolesPolicy | None = None,
    pool_depth: int | None = None,
    smallest_slice: int = 20,
    noise_sd: Mapping[MeasureLike, float] | None = None,
) -> GateResult:
    """Decide whether a candidate may ship: pass, fail or inconclusive.

    A threshold compares the mean on this set. A margin asks whether the drop against the
    baseline is smaller than what is accepted, and answers only where the queries can tell.

    Parameters
    ----------
    result : Comparison or Evaluation
        With the baseline; or of the candidate alone, if no guard has a margin.
    guards : iterable of Guard
        What is asked of the candidate.
    margin : float, str or mapping
        Short for margin guards: for each measure, or one for all measures compared. A number,
        or a share of the baseline's mean such as ``"2%"``.
    at_least : mapping
        Short for threshold guards.
    candidate : str, optional
        Which run, if the comparison has several candidates.
    milliseconds : sequence of float, optional
        How long each query took, for a `LatencyGuard`.
    alpha : float
        How often a verdict of pass, or of fail, may be wrong.
    seed, n_resamples : int
        For the bootstrap.
    inference : {"population", "set"}
        ``"set"``: these queries are all that matters, and the point difference decides.
    holes : {"report", "inconclusive"}, optional
        What becomes of a verdict that grades of unjudged documents could turn. They are known
        if the comparison was made with ``bounds=True``. Blocks where `pool_depth` reaches the
        measure's cutoff, and is told otherwise, unless given.
    pool_depth : int, optional
        How many ranks of every system were judged when the set was made.
    smallest_slice : int
        Slices of fewer queries are watched: told, but not gated.
    noise_sd : mapping, optional
        For measures, how much the difference of one query varies by itself from run to run of
        the same systems (a standard deviation); its square is added to the variance of the
        differences. What the comparison found by its `repeats` unless given.

    Raises
    ------
    ArgumentError
        If there is nothing to guard, a guard asks for what the result does not have, or there are
        fewer than `berryeval.stats.FEWEST_RESAMPLES` resamples.

    Examples
    --------
    >>> from berryeval.evaluation import evaluate
    >>> result = evaluate({"q1": {"d1": 1}}, {"q1": ["d1", "d2"]}, "RR")
    >>> gate(result, at_least={"RR": 0.7})
    <GateResult pass: 1 guard holds over 1 query.>
    """
    asked = [*guards, *_short_guards(result, margin, at_least)]
    if not asked:
        raise ArgumentError("guards", "at least one", "none")
    _check_rules(alpha, inference, holes)
    check_resamples(n_resamples)
    system = _candidate(result, candidate)
    noise = {**_measured_noise(result, system), **_noise(noise_sd or {}, asked)}
    rules = Rules(alpha, seed, n_resamples, inference, holes or "report", smallest_slice, noise)
    evaluation = result.evaluations[system] if isinstance(result, Comparison) else result
    found: list[GuardResult] = []
    trials: list[Trial] = []
    for guard in asked:
        if isinstance(guard, LatencyGuard):
            found.append(_judge_latency(guard, milliseconds))
        elif isinstance(guard, ThresholdGuard):
            found += _judge_thresholds(guard, evaluation, rules)
        else:
            policy = holes or _default_policy(guard.measure, pool_depth)
            own = replace(rules, holes=policy)
            trials += find_trials(guard, _comparison(result, guard), system, own)
    found += judge_margins(trials)
    found.sort(key=lambda guard: asked.index(guard.guard))
    verdict = _whole([g.verdict for g in found if not g.is_watched])
    comparison = result if isinstance(result, Comparison) else None
    deciding = _deciding_holes(comparison, system, found)
    return GateResult(
        verdict=verdict,
        sentence=sentences.of_gate(verdict, found, len(deciding) if _may_turn(found) else 0),
        guards=tuple(found),
        evaluation=evaluation,
        comparison=comparison,
        alpha=alpha,
        seed=seed,
        inference=inference,
        holes=deciding,
        suggestion=_suggestion(verdict, trials, rules),
    )


def _check_rules(alpha: float, inference: str, holes: str | None) -> None:
    if not 0 < alpha < 0.5:  # noqa: PLR2004
        raise ArgumentError("alpha", "a number between 0 and 0.5", repr(alpha))
    for name, value, choices in (
        ("inference", inference, get_args(Inference)),
        ("holes", holes, (*get_args(HolesPolicy), None)),
    ):
        if value not in choices:
            raise ArgumentError(name, " or ".join(map(repr, choices)), repr(value))


def _measured_noise(result: Comparison | Evaluation, system: str) -> dict[Measure, float]:
    if isinstance(result, Evaluation):
        return {}
    return {
        difference.measure: difference.noise_sd
        for difference in result.differences
        if difference.system == system and difference.noise_sd is not None
    }


def _noise(noise_sd: Mapping[MeasureLike, float], guards: Sequence[Guard]) -> dict[Measure, float]:
    guarded = [guard.measure for guard in guards if isinstance(guard, MarginGuard)]
    found = {}
    for name, sd in noise_sd.items():
        (measure,) = read_measures(name)
        if measure not in guarded:
            raise ArgumentError("noise_sd", "measures that a margin guards", str(measure))
        if not 0 <= sd < math.inf:
            raise ArgumentError(f"noise_sd of {measure}", "a finite number from 0", repr(sd))
        found[measure] = sd
    return found


def _short_guards(
    result: Comparison | Evaluation,
    margin: float | str | Mapping[MeasureLike, float | str] | None,
    at_least: Mapping[MeasureLike, float] | None,
) -> list[Guard]:
    found: list[Guard] = [
        ThresholdGuard(measure, value)
        for name, value in (at_least or {}).items()
        for measure in read_measures(name)
    ]
    if margin is None:
        return found
    if not isinstance(margin, Mapping):
        margin = dict.fromkeys(result.measures, margin)
    return found + [
        MarginGuard(measure, Margin.parse(value))
        for name, value in margin.items()
        for measure in read_measures(name)
    ]


def _candidate(result: Comparison | Evaluation, name: str | None) -> str:
    if isinstance(result, Evaluation):
        return ""
    if not isinstance(result, Comparison):
        raise InputTypeError("result", "a Comparison or an Evaluation", type(result).__name__)
    if name is None and len(result.candidates) == 1:
        return result.candidates[0]
    if name not in result.candidates:
        expected = " or ".join(map(repr, result.candidates))
        raise ArgumentError("candidate", expected, repr(name))
    return name


def _comparison(result: Comparison | Evaluation, guard: MarginGuard) -> Comparison:
    if isinstance(result, Evaluation):
        raise ArgumentError(str(guard), "a comparison with a baseline", "an evaluation alone")
    return result


def _default_policy(measure: Measure, pool_depth: int | None) -> HolesPolicy:
    is_pooled = pool_depth is not None and measure.k is not None and pool_depth >= measure.k
    return "inconclusive" if is_pooled else "report"


def _whole(verdicts: Sequence[Verdict]) -> Verdict:
    """Fail if any fails, pass if all pass."""
    if "fail" in verdicts:
        return "fail"
    return "inconclusive" if "inconclusive" in verdicts else "pass"


def _may_turn(guards: Sequence[GuardResult]) -> bool:
    """Tell whether grades of unjudged documents could turn the verdict of the whole gate."""
    possible = [[g.verdict, *(g.verdicts_by_holes or ())] for g in guards if not g.is_watched]
    worst = _whole([max(one, key=_BEST_FIRST.index) for one in possible])
    best = _whole([min(one, key=_BEST_FIRST.index) for one in possible])
    return worst != best


def _judge_latency(guard: LatencyGuard, milliseconds: Sequence[float] | None) -> GuardResult:
    if milliseconds is None or len(milliseconds) == 0:
        raise ArgumentError(
            str(guard), "how long queries took", "no times (`milliseconds`, --timings)"
        )
    times = np.asarray(milliseconds, dtype=np.float64)
    if not (np.isfinite(times) & (times >= 0)).all():
        raise ArgumentError("milliseconds", "finite numbers from 0", "others among them")
    value = float(np.percentile(times, guard.percentile, method="higher"))
    verdict: Verdict = "pass" if value <= guard.at_most_ms else "fail"
    reason = sentences.of_latency(guard, value)
    return GuardResult(guard, None, verdict, reason, len(milliseconds), value, guard.at_most_ms)


def _judge_thresholds(
    guard: ThresholdGuard, evaluation: Evaluation, rules: Rules
) -> list[GuardResult]:
    parts: list[tuple[Slice | None, Evaluation]] = [(None, evaluation)]
    for label in guard.slices:
        parts += [(Slice(label, value), part) for value, part in evaluation.by(label).items()]
    return [_judge_threshold(guard, part, whole, rules) for part, whole in parts]


def _judge_threshold(
    guard: ThresholdGuard, part: Slice | None, evaluation: Evaluation, rules: Rules
) -> GuardResult:
    if str(guard.measure) not in evaluation:
        raise ArgumentError(str(guard), "a measure that was evaluated", str(guard.measure))
    result = evaluation[str(guard.measure)]
    interval = None
    reached = guard.at_least - ROUNDING  # by seven times 0.1, too
    verdict: Verdict = "pass" if result.mean >= reached else "fail"
    if guard.is_confident:
        level = 1 - 2 * rules.alpha
        interval = result.interval_at(level, n_resamples=rules.n_resamples, seed=rules.seed)
        if verdict == "pass" and (interval is None or interval.low < reached):
            verdict = "inconclusive"
    return GuardResult(
        guard,
        part,
        verdict,
        sentences.of_threshold(guard, verdict, result.mean, interval),
        evaluation.n_queries,
        result.mean,
        guard.at_least,
        is_watched=part is not None and evaluation.n_queries < rules.smallest_slice,
        interval=interval,
    )


def _deciding_holes(
    comparison: Comparison | None, system: str, guards: Sequence[GuardResult]
) -> tuple[Hole, ...]:
    """Find what guards depend on, of the queries that these guards look at."""
    if comparison is None:
        return ()
    wanted: dict[Measure, set[str]] = {}
    for guard in guards:
        if guard.depends_on_holes and not guard.is_watched and isinstance(guard.guard, MarginGuard):
            wanted.setdefault(guard.guard.measure, set()).update(_queries_of(guard, comparison))
    if not wanted:
        return ()
    runs = {name: comparison.runs[name] for name in (comparison.baseline, system)}
    found: dict[tuple[str, str], Hole] = {}
    for measure, query_ids in wanted.items():
        for hole in find_holes(
            comparison.judgments,
            runs,
            [measure],
            baseline=comparison.baseline,
            max_grade=comparison.max_grade,
        ):
            key = hole.query_id, hole.doc_id
            is_known = key in found and found[key].effect >= hole.effect
            if hole.effect > 0 and hole.query_id in query_ids and not is_known:
                found[key] = hole
    return tuple(sorted(found.values(), key=lambda hole: -hole.effect))


def _queries_of(guard: GuardResult, comparison: Comparison) -> Sequence[str]:
    if guard.slice is None:
        return comparison.query_ids
    parts = find_slices(comparison.queries, guard.slice.label, comparison.query_ids)
    return [comparison.query_ids[position] for position in parts[guard.slice]]


def _suggestion(verdict: Verdict, trials: Sequence[Trial], rules: Rules) -> str | None:
    """Suggest a higher baseline where the candidate is clearly better, and nowhere worse."""
    if verdict != "pass" or rules.inference == "set":
        return None
    whole = [trial for trial in trials if trial.slice is None]
    if any(trial.mean < 0 for trial in whole):
        return None
    better = [trial for trial in whole if is_clearly_better(trial)]
    return sentences.of_better(
        [(trial.guard.measure, trial.in_units(trial.mean)) for trial in better]
    )
