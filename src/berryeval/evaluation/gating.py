"""The gate: whether a candidate may ship."""

from __future__ import annotations

import inspect
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from berryeval.errors import ArgumentError, InputTypeError
from berryeval.evaluation import sentences
from berryeval.evaluation.comparison import Comparison
from berryeval.evaluation.evaluate import MeasureLike, read_measures
from berryeval.evaluation.findings import ROUNDING, finding_of, outcome_of
from berryeval.evaluation.gate_rules import RULES, GateRules, Verdict
from berryeval.evaluation.guards import Guard, LatencyGuard, Margin, MarginGuard, ThresholdGuard
from berryeval.evaluation.holes import Hole, find_holes
from berryeval.evaluation.notes import common_queries, missing_queries
from berryeval.evaluation.result import Evaluation
from berryeval.evaluation.slices import Slice, find_slices
from berryeval.evaluation.trials import Trial, find_trials, judge_margins
from berryeval.evaluation.verdict import Common, GateResult, GuardResult
from berryeval.measures import Measure

__all__ = ["gate", "latency_at", "summed_up"]

_NAMES = {"baseline": "the baseline", "candidate": "the candidate"}
"""What sentences call runs that have no name of their own."""

_BEST_FIRST = ("pass", "inconclusive", "fail")


def gate(
    result: Comparison | Evaluation,
    guards: Iterable[Guard] = (),
    *,
    rules: GateRules | None = None,
    margin: float | str | Mapping[MeasureLike, float | str] | None = None,
    at_least: Mapping[MeasureLike, float] | None = None,
    candidate: str | None = None,
    milliseconds: Sequence[float] | None = None,
    **changes: Any,  # noqa: ANN401 - as GateRules declares them
) -> GateResult:
    """Decide whether a candidate may ship: pass, fail or inconclusive.

    A threshold compares the mean on this set. A margin asks whether the drop from the baseline is
    smaller than what is accepted, and answers only where there are enough queries.

    Parameters
    ----------
    result : Comparison or Evaluation
        With the baseline; or of the candidate alone, if no guard has a margin.
    guards : iterable of Guard
        What is asked of the candidate, besides the guards of `rules`.
    rules : GateRules, optional
        How to decide. Defaults apply if omitted.
    margin : float, str or mapping
        Short for margin guards: for each measure, or one for all measures compared. A number,
        or a share of the baseline's mean such as ``"2%"``.
    at_least : mapping
        Short for threshold guards.
    candidate : str, optional
        Which run, if the comparison has several candidates.
    milliseconds : sequence of float, optional
        How long each query took, for a `LatencyGuard`.
    **changes
        Single rules, as `GateRules` declares them: ``alpha``, ``inference``, ``holes``,
        ``pool_depth``, ``smallest_slice`` and so on. They take precedence over `rules`. Grades of
        unjudged documents are considered if the comparison was made with ``bounds=True``, and the
        noise of the systems themselves if it was made with ``repeats``.

    Raises
    ------
    ArgumentError
        If there is nothing to guard, or a guard asks for what the result does not have.

    Examples
    --------
    >>> from berryeval.evaluation import evaluate
    >>> result = evaluate({"q1": {"d1": 1}}, {"q1": ["d1", "d2"]}, "RR")
    >>> gate(result, at_least={"RR": 0.7})
    <GateResult pass: 1 guard holds over 1 query.>
    """
    chosen = _changed(rules or GateRules(), changes)
    asked = (*chosen.guards, *guards, *_short_guards(result, margin, at_least))
    if not asked:
        raise ArgumentError("guards", "at least one", "none")
    chosen = replace(chosen, guards=asked)
    system = _candidate(result, candidate)
    _check_scale(chosen, result)
    case = _Case(result, system, chosen, milliseconds)
    found = case.judge()
    runs = case.runs
    common = None
    if any(any(run.scores.is_missing) for run in runs.values()):
        ids = common_queries(runs.values())
        verdicts = [guard.verdict for guard in case.judge(set(ids)) if not guard.is_watched]
        common = Common(len(ids), _whole(verdicts))
    return summed_up(
        found,
        chosen,
        case.evaluation,
        case.comparison,
        system=system,
        common=common,
        suggestion=_suggestion(found, case.comparison, system, chosen),
    )


def _signature() -> inspect.Signature:
    """Return the signature of `gate` with every rule, for `help` and for editors."""
    plain = inspect.signature(gate)
    *named, _ = plain.parameters.values()
    keyword = inspect.Parameter.KEYWORD_ONLY
    ruled = [inspect.Parameter(r.argument, keyword, default=r.default) for r in RULES]
    return plain.replace(parameters=[*named, *ruled])


gate.__signature__ = _signature()  # type: ignore[attr-defined]


def summed_up(
    guards: Sequence[GuardResult],
    rules: GateRules,
    evaluation: Evaluation,
    comparison: Comparison | None,
    *,
    system: str,
    common: Common | None = None,
    suggestion: str | None = None,
) -> GateResult:
    """Make one verdict of what guards found."""
    verdict = _whole([guard.verdict for guard in guards if not guard.is_watched])
    runs = _runs(comparison, system, evaluation)
    deciding = _deciding_holes(comparison, system, guards)
    n_deciding = len(deciding) if _may_turn(guards) else 0
    named = [(_NAMES.get(name, name), run) for name, run in runs.items()]
    lacking = sentences.of_missing(missing_queries(named), common)
    said = lacking + sentences.of_gate(verdict, guards, n_deciding) + sentences.of_cautions(named)
    return GateResult(
        verdict=verdict,
        sentence=said,
        guards=tuple(guards),
        evaluation=evaluation,
        comparison=comparison,
        rules=rules,
        holes=deciding,
        suggestion=suggestion,
        missing={name: run.counts.missing for name, run in runs.items() if run.counts.missing},
        common=common,
    )


def _runs(
    comparison: Comparison | None, system: str, evaluation: Evaluation
) -> dict[str, Evaluation]:
    """Return what is judged, by the names of messages."""
    if comparison is None:
        return {"the run": evaluation}
    return {name: comparison.evaluations[name] for name in (comparison.baseline, system)}


@dataclass(frozen=True)
class _Case:
    """A candidate, and what it is judged by."""

    result: Comparison | Evaluation
    system: str
    rules: GateRules
    milliseconds: Sequence[float] | None

    @property
    def comparison(self) -> Comparison | None:
        return self.result if isinstance(self.result, Comparison) else None

    @property
    def evaluation(self) -> Evaluation:
        found = self.result
        return found.evaluations[self.system] if isinstance(found, Comparison) else found

    @property
    def runs(self) -> dict[str, Evaluation]:
        return _runs(self.comparison, self.system, self.evaluation)

    def judge(self, among: Collection[str] | None = None) -> list[GuardResult]:
        """Judge all guards, over all queries or among some."""
        found: list[GuardResult] = []
        trials: list[Trial] = []
        for guard in self.rules.guards:
            if isinstance(guard, LatencyGuard):
                found.append(_judge_latency(guard, self.milliseconds))
            elif isinstance(guard, ThresholdGuard):
                found += _judge_thresholds(guard, self.evaluation, self.rules, among)
            else:
                own = replace(self.rules, holes=self.rules.holes_policy(guard.measure))
                compared = _comparison(self.result, guard)
                trials += find_trials(guard, compared, self.system, own, among)
        found += judge_margins(trials)
        found.sort(key=lambda one: self.rules.guards.index(one.guard))
        return found


def _changed(rules: GateRules, changes: Mapping[str, Any]) -> GateRules:
    """Return rules with some changed, by the names of arguments."""
    names = {rule.argument: rule.name for rule in RULES}
    unknown = changes.keys() - names.keys()
    if unknown:
        raise TypeError(f"gate() got an unexpected keyword argument {min(unknown)!r}")
    given = {names[name]: value for name, value in changes.items() if value is not None}
    return replace(rules, **given)


def _check_scale(rules: GateRules, result: Comparison | Evaluation) -> None:
    """Refuse a scale that the comparison was not made with: its bounds would be others."""
    if rules.max_grade is None or not isinstance(result, Comparison):
        return
    if result.max_grade != rules.max_grade:
        expected = f"the comparison's, {result.max_grade}"
        raise ArgumentError("max_grade", expected, f"{rules.max_grade:g}")


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


def _whole(verdicts: Sequence[Verdict]) -> Verdict:
    """Fail if any fails, pass if all pass."""
    if "fail" in verdicts:
        return "fail"
    return "inconclusive" if "inconclusive" in verdicts else "pass"


def _may_turn(guards: Sequence[GuardResult]) -> bool:
    """Return whether grades of unjudged documents could change the verdict of the gate."""
    possible = [[g.verdict, *(g.verdicts_by_holes or ())] for g in guards if not g.is_watched]
    worst = _whole([max(one, key=_BEST_FIRST.index) for one in possible])
    best = _whole([min(one, key=_BEST_FIRST.index) for one in possible])
    return worst != best


def latency_at(milliseconds: Sequence[float], percentile: float) -> float:
    """Return a percentile of the time that queries took; between two times, the higher one.

    Examples
    --------
    >>> latency_at([10.0, 20.0, 30.0], 95)
    30.0
    """
    return float(np.percentile(np.asarray(milliseconds, np.float64), percentile, method="higher"))


def _judge_latency(guard: LatencyGuard, milliseconds: Sequence[float] | None) -> GuardResult:
    if milliseconds is None or len(milliseconds) == 0:
        raise ArgumentError(
            str(guard), "how long queries took", "no times (`milliseconds`, --timings)"
        )
    if not all(0 <= time < math.inf for time in milliseconds):
        raise ArgumentError("milliseconds", "finite numbers from 0", "others among them")
    value = latency_at(milliseconds, guard.percentile)
    verdict: Verdict = "pass" if value <= guard.at_most_ms else "fail"
    reason = sentences.of_latency(guard, value)
    return GuardResult(guard, None, verdict, reason, len(milliseconds), value, guard.at_most_ms)


def _judge_thresholds(
    guard: ThresholdGuard,
    evaluation: Evaluation,
    rules: GateRules,
    among: Collection[str] | None,
) -> list[GuardResult]:
    parts: list[tuple[Slice | None, Evaluation]] = [(None, evaluation)]
    for label in guard.slices:
        parts += [(Slice(label, value), part) for value, part in evaluation.by(label).items()]
    if among is not None:
        parts = [(part, _taken(whole, among)) for part, whole in parts]
    return [_judge_threshold(guard, part, whole, rules) for part, whole in parts if whole.n_queries]


def _taken(evaluation: Evaluation, among: Collection[str]) -> Evaluation:
    """Return the same measures over some of the queries."""
    ids = evaluation.scores.query_ids
    places = [place for place, query_id in enumerate(ids) if query_id in among]
    return Evaluation(evaluation.scores.take(places), evaluation.measures, evaluation.queries)


def _judge_threshold(
    guard: ThresholdGuard, part: Slice | None, evaluation: Evaluation, rules: GateRules
) -> GuardResult:
    if str(guard.measure) not in evaluation:
        raise ArgumentError(str(guard), "a measure that was evaluated", str(guard.measure))
    result = evaluation[str(guard.measure)]
    interval = None
    reached = guard.at_least - ROUNDING  # by seven times 0.1, too
    verdict: Verdict = "pass" if result.mean >= reached else "fail"
    if guard.is_confident:
        level = 1 - 2 * rules.alpha
        interval = result.interval_at(level)
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
        effective_queries=evaluation.effective_queries,
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
            queries=comparison.queries,
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


def _suggestion(
    guards: Sequence[GuardResult], comparison: Comparison | None, system: str, rules: GateRules
) -> str | None:
    """Suggest a higher baseline where the candidate is better, and in no guarded measure worse.

    Better is what the comparison calls so. The guard's own interval has to agree, which is more
    careful about drops.
    """
    verdicts = [guard.verdict for guard in guards if not guard.is_watched]
    if comparison is None or _whole(verdicts) != "pass" or rules.inference == "set":
        return None
    better = []
    for result in guards:
        if not isinstance(result.guard, MarginGuard) or result.slice is not None:
            continue
        measure = result.guard.measure
        higher_is_better = measure.higher_is_better
        if outcome_of(result.value, higher_is_better=higher_is_better) == "worse":
            return None
        found = comparison.difference(system, measure).finding
        own = finding_of(result.interval, higher_is_better=higher_is_better)
        if found == own == "better" and result.p_pass is not None:
            better.append((measure, result.value))
    return sentences.of_better(better)
