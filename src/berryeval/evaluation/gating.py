"""The gate: whether a candidate can ship."""

from __future__ import annotations

import inspect
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from berryeval.errors import ArgumentError, InputTypeError
from berryeval.evaluation import sentences
from berryeval.evaluation.comparison import Comparison
from berryeval.evaluation.evaluate import MeasureLike, read_measures
from berryeval.evaluation.findings import ROUNDING, outcome_of
from berryeval.evaluation.gate_rules import RULES, GateRules, Verdict
from berryeval.evaluation.guards import Guard, LatencyGuard, Margin, MarginGuard, ThresholdGuard
from berryeval.evaluation.holes import Hole, find_holes
from berryeval.evaluation.labelled import of_model
from berryeval.evaluation.margin_verdicts import judge_margins
from berryeval.evaluation.memory import Memory, levels_of
from berryeval.evaluation.next_steps import Losses, find_losses
from berryeval.evaluation.notes import missing_queries, retrieved_by_all
from berryeval.evaluation.percentiles import percentile_of
from berryeval.evaluation.result import Evaluation, MeasureResult
from berryeval.evaluation.slices import Slice, find_slices
from berryeval.evaluation.trials import Trial, find_trials
from berryeval.evaluation.verdict import Common, GateResult, GuardResult, name_of_run
from berryeval.measures import Measure

__all__ = ["combine_guards", "gate"]

_BEST_FIRST = ("pass", "inconclusive", "fail")


def gate(
    result: Comparison | Evaluation | Sequence[Comparison],
    guards: Iterable[Guard] = (),
    *,
    rules: GateRules | None = None,
    margin: float | str | Mapping[MeasureLike, float | str] | None = None,
    at_least: Mapping[MeasureLike, float] | None = None,
    candidate: str | None = None,
    milliseconds: Sequence[float] | None = None,
    memory: Memory | None = None,
    **changes: Any,  # noqa: ANN401 - as GateRules declares them
) -> GateResult:
    """Decide whether a candidate can ship: pass, fail or inconclusive.

    A threshold compares the mean on this set. A margin tests whether the drop from the baseline is
    smaller than the accepted one, and is inconclusive if there are too few queries.

    Parameters
    ----------
    result : Comparison, sequence of Comparison, or Evaluation
        With the baseline, or with several: a margin has to hold against each. Or of the candidate
        alone, if no guard has a margin.
    guards : iterable of Guard
        Requirements on the candidate, in addition to the guards of `rules`.
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
    memory : Memory, optional
        How often the set was used before. If omitted, nothing is counted, and p-values are
        compared with alpha.
    **changes
        Single rules, as `GateRules` declares them: ``alpha``, ``inference``, ``holes``,
        ``pool_depth``, ``smallest_slice`` and so on. They take precedence over `rules`. Grades of
        unjudged documents are considered if the comparison was made with ``bounds=True``, and the
        noise of the systems themselves if it was made with ``repeats``.

    Raises
    ------
    ArgumentError
        If there is nothing to guard, or a guard requires what the result does not have.

    Examples
    --------
    >>> from berryeval.evaluation import evaluate
    >>> result = evaluate({"q1": {"d1": 1}}, {"q1": ["d1", "d2"]}, "RR")
    >>> gate(result, at_least={"RR": 0.7})
    <GateResult pass: RR is 1.0000; 1 guard holds over 1 query.
    RR at least 0.7: pass, 1.0000>
    """
    chosen = _changed(rules or GateRules(), changes)
    asked = (*chosen.guards, *guards, *_short_guards(_compared(result)[0], margin, at_least))
    if not asked:
        raise ArgumentError("guards", "at least one", "none")
    chosen = replace(chosen, guards=asked).resolved()
    first, comparisons = _compared(result)
    system = _candidate(comparisons, candidate)
    _check_scale(chosen, comparisons)
    evaluation = first.evaluations[system] if isinstance(first, Comparison) else first
    case = _Case(evaluation, comparisons, system, chosen, milliseconds, memory)
    found = case.judge()
    runs = _runs(comparisons, system, evaluation)
    common = None
    if any(any(run.scores.is_missing) for run in runs.values()):
        ids = retrieved_by_all(runs.values())
        verdicts = [guard.verdict for guard in case.judge(set(ids)) if not guard.is_watched]
        common = Common(len(ids), _whole(verdicts))
    return combine_guards(
        found,
        chosen,
        evaluation,
        *comparisons,
        system=system,
        common=common,
        suggestion=_suggestion(found, comparisons, system, chosen),
        memory=memory,
    )


def _signature() -> inspect.Signature:
    """Return the signature of `gate` with every rule, for `help` and for editors."""
    plain = inspect.signature(gate)
    *named, _ = plain.parameters.values()
    keyword = inspect.Parameter.KEYWORD_ONLY
    ruled = [inspect.Parameter(r.argument, keyword, default=r.default) for r in RULES]
    return plain.replace(parameters=[*named, *ruled])


gate.__signature__ = _signature()  # type: ignore[attr-defined]


def combine_guards(
    guards: Sequence[GuardResult],
    rules: GateRules,
    evaluation: Evaluation,
    *comparisons: Comparison,
    system: str,
    common: Common | None = None,
    suggestion: str | None = None,
    memory: Memory | None = None,
) -> GateResult:
    """Combine the results of guards, against each baseline, into one verdict."""
    verdict = _whole([guard.verdict for guard in guards if not guard.is_watched])
    runs = _runs(comparisons, system, evaluation)
    deciding = _deciding_holes(comparisons, system, guards)
    n_deciding = len(deciding) if _may_change(guards) else 0
    rested = [guard.rests_on for guard in guards if guard.rests_on is not None]
    named = [(name_of_run(name), run) for name, run in runs.items()]
    sentence = (
        sentences.of_missing(missing_queries(named), common)
        + sentences.of_gate(verdict, guards, n_deciding)
        + of_model(rested)
        + sentences.of_memory(memory, rules, guards)
        + sentences.of_cautions(named)
    )
    return GateResult(
        verdict=verdict,
        sentence=sentence,
        guards=tuple(guards),
        evaluation=evaluation,
        comparison=comparisons[0] if comparisons else None,
        rules=rules,
        losses=_losses(verdict, guards, comparisons, system),
        holes=deciding,
        suggestion=suggestion,
        missing={name: run.counts.missing for name, run in runs.items() if run.counts.missing},
        common=common,
        memory=memory,
    )


def _runs(
    comparisons: Sequence[Comparison], system: str, evaluation: Evaluation
) -> dict[str, Evaluation]:
    """Return the runs that are judged, by their names in messages."""
    if not comparisons:
        return {"the run": evaluation}
    first, *others = [(one.baseline, one.evaluations[one.baseline]) for one in comparisons]
    return dict([first, (system, evaluation), *others])


@dataclass(frozen=True)
class _Case:
    """A candidate, with the guards that judge it."""

    evaluation: Evaluation
    comparisons: Sequence[Comparison]
    system: str
    rules: GateRules
    milliseconds: Sequence[float] | None
    memory: Memory | None

    def judge(self, among: Collection[str] | None = None) -> list[GuardResult]:
        """Judge all guards, over all queries or among some."""
        found: list[GuardResult] = []
        trials: list[Trial] = []
        n_margins = sum(isinstance(guard, MarginGuard) for guard in self.rules.guards)
        levels = levels_of(self.rules, self.memory, n_margins)
        is_one_of_several = len(self.comparisons) > 1
        for guard in self.rules.guards:
            if isinstance(guard, LatencyGuard):
                found.append(_judge_latency(guard, self.milliseconds))
            elif isinstance(guard, ThresholdGuard):
                level = levels.verdict
                found += _judge_thresholds(guard, self.evaluation, self.rules, level, among)
            else:
                own = replace(self.rules, holes=self.rules.holes_policy(guard.measure))
                for compared in _need_baseline(self.comparisons, guard):
                    trials += find_trials(
                        guard,
                        compared,
                        self.system,
                        own,
                        among,
                        levels=levels,
                        is_one_of_several=is_one_of_several,
                    )
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


def _compared(
    result: Comparison | Evaluation | Sequence[Comparison],
) -> tuple[Comparison | Evaluation, Sequence[Comparison]]:
    """Return what was given first, and all comparisons."""
    if isinstance(result, Evaluation):
        return result, ()
    comparisons = [result] if isinstance(result, Comparison) else [*result]
    for one in comparisons:
        if not isinstance(one, Comparison):
            raise InputTypeError("result", "a Comparison or an Evaluation", type(one).__name__)
    if not comparisons:
        raise ArgumentError("result", "at least one comparison", "none")
    names = [one.baseline for one in comparisons]
    if len(set(names)) < len(names):
        raise ArgumentError("result", "baselines of different names", ", ".join(names))
    return comparisons[0], comparisons


def _check_scale(rules: GateRules, comparisons: Sequence[Comparison]) -> None:
    """Reject a scale that the comparison did not use: its bounds would differ."""
    for one in comparisons:
        if rules.max_grade is not None and one.max_grade != rules.max_grade:
            expected = f"the comparison's, {one.max_grade}"
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


def _candidate(comparisons: Sequence[Comparison], name: str | None) -> str:
    if not comparisons:
        return ""
    known = comparisons[0].candidates
    if name is None and len(known) == 1:
        name = known[0]
    for one in comparisons:
        if name not in one.candidates:
            expected = " or ".join(map(repr, one.candidates))
            raise ArgumentError("candidate", expected, repr(name))
    assert name is not None
    return name


def _need_baseline(comparisons: Sequence[Comparison], guard: MarginGuard) -> Sequence[Comparison]:
    if not comparisons:
        raise ArgumentError(str(guard), "a comparison with a baseline", "an evaluation alone")
    return comparisons


def _whole(verdicts: Sequence[Verdict]) -> Verdict:
    """Fail if any fails, pass if all pass."""
    if "fail" in verdicts:
        return "fail"
    return "inconclusive" if "inconclusive" in verdicts else "pass"


def _may_change(guards: Sequence[GuardResult]) -> bool:
    """Return whether grades of unjudged documents could change the verdict of the gate."""
    possible = [[g.verdict, *(g.verdicts_by_holes or ())] for g in guards if not g.is_watched]
    worst = _whole([max(one, key=_BEST_FIRST.index) for one in possible])
    best = _whole([min(one, key=_BEST_FIRST.index) for one in possible])
    return worst != best


def _judge_latency(guard: LatencyGuard, milliseconds: Sequence[float] | None) -> GuardResult:
    if milliseconds is None or len(milliseconds) == 0:
        raise ArgumentError(str(guard), "query times", "no times (`milliseconds`, --timings)")
    if not all(0 <= time < math.inf for time in milliseconds):
        raise ArgumentError("milliseconds", "finite numbers from 0", "other values")
    value = percentile_of(milliseconds, guard.percentile)
    verdict: Verdict = "pass" if value <= guard.at_most_ms else "fail"
    reason = sentences.of_latency(guard, value)
    return GuardResult(guard, None, verdict, reason, len(milliseconds), value, guard.at_most_ms)


def _judge_thresholds(
    guard: ThresholdGuard,
    evaluation: Evaluation,
    rules: GateRules,
    level: float,
    among: Collection[str] | None,
) -> list[GuardResult]:
    parts: list[tuple[Slice | None, Evaluation]] = [(None, evaluation)]
    for label in guard.slices:
        parts += [(Slice(label, value), part) for value, part in evaluation.by(label).items()]
    if among is not None:
        parts = [(part, _taken(whole, among)) for part, whole in parts]
    return [
        _judge_threshold(guard, part, whole, rules, level)
        for part, whole in parts
        if whole.n_queries
    ]


def _taken(evaluation: Evaluation, among: Collection[str]) -> Evaluation:
    """Return the same measures over some of the queries."""
    ids = evaluation.scores.query_ids
    places = [place for place, query_id in enumerate(ids) if query_id in among]
    return Evaluation(
        evaluation.scores.take(places),
        evaluation.measures,
        evaluation.queries,
        labelled=evaluation.labelled_at(places),
    )


def _judge_threshold(
    guard: ThresholdGuard,
    part: Slice | None,
    evaluation: Evaluation,
    rules: GateRules,
    level: float,
) -> GuardResult:
    if str(guard.measure) not in evaluation:
        raise ArgumentError(str(guard), "a measure that was evaluated", str(guard.measure))
    result = evaluation[str(guard.measure)]
    interval = None
    if result.labelled is not None:
        return _judge_estimated_threshold(guard, part, result, rules, level)
    reached = guard.at_least - ROUNDING  # despite rounding in the mean
    verdict: Verdict = "pass" if result.mean >= reached else "fail"
    if guard.is_confident:
        interval = result.interval_at(1 - 2 * level) if level > 0 else None
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


def _judge_estimated_threshold(
    guard: ThresholdGuard,
    part: Slice | None,
    result: MeasureResult,
    rules: GateRules,
    level: float,
) -> GuardResult:
    """Judge a mean that is based on a model: an estimate, so its interval decides.

    It is an interval of the mean on this set, unless the guard asks to be confident of others.
    """
    found = result.estimate("population" if guard.is_confident else "set")
    reached = guard.at_least - ROUNDING
    interval = found.interval_at(1 - 2 * level) if level > 0 else None
    verdict: Verdict = "inconclusive"
    if interval is not None and interval.low >= reached:
        verdict = "pass"
    elif interval is not None and interval.high < reached:
        verdict = "fail"
    return GuardResult(
        guard,
        part,
        verdict,
        sentences.of_threshold(guard, verdict, found.mean, interval),
        found.n_queries,
        found.mean,
        guard.at_least,
        is_watched=part is not None and found.n_queries < rules.smallest_slice,
        interval=interval,
        rests_on=found.rests_on,
    )


def _deciding_holes(
    comparisons: Sequence[Comparison], system: str, guards: Sequence[GuardResult]
) -> tuple[Hole, ...]:
    """Find what guards depend on, of the queries that these guards look at."""
    found: dict[tuple[str, str], Hole] = {}
    for comparison in comparisons:
        own = [one for one in guards if one.baseline in (None, comparison.baseline)]
        for hole in _holes_of(comparison, system, own):
            key = hole.query_id, hole.doc_id
            if key not in found or found[key].effect < hole.effect:
                found[key] = hole
    return tuple(sorted(found.values(), key=lambda hole: -hole.effect))


def _holes_of(comparison: Comparison, system: str, guards: Sequence[GuardResult]) -> Iterator[Hole]:
    wanted: dict[Measure, set[str]] = {}
    for guard in guards:
        if guard.depends_on_holes and not guard.is_watched and isinstance(guard.guard, MarginGuard):
            wanted.setdefault(guard.guard.measure, set()).update(_queries_of(guard, comparison))
    runs = {name: comparison.runs[name] for name in (comparison.baseline, system)}
    for measure, query_ids in wanted.items():
        for hole in find_holes(
            comparison.judgments,
            runs,
            [measure],
            baseline=comparison.baseline,
            max_grade=comparison.max_grade,
            queries=comparison.queries,
        ):
            if hole.effect > 0 and hole.query_id in query_ids:
                yield hole


def _losses(
    verdict: Verdict, guards: Sequence[GuardResult], comparisons: Sequence[Comparison], system: str
) -> Losses | None:
    """Return the queries that lost most against the first baseline, in the guard that decided."""
    if verdict == "pass" or not comparisons:
        return None
    first = comparisons[0]
    for guard in guards:
        is_own = guard.baseline in (None, first.baseline) and not guard.is_watched
        if is_own and guard.verdict == verdict and isinstance(guard.guard, MarginGuard):
            among = None if guard.slice is None else _queries_of(guard, first)
            return find_losses(first, system, guard.guard.measure, among)
    return None


def _queries_of(guard: GuardResult, comparison: Comparison) -> Sequence[str]:
    if guard.slice is None:
        return comparison.query_ids
    parts = find_slices(comparison.queries, guard.slice.label, comparison.query_ids)
    return [comparison.query_ids[position] for position in parts[guard.slice]]


def _suggestion(
    guards: Sequence[GuardResult], comparisons: Sequence[Comparison], system: str, rules: GateRules
) -> str | None:
    """Suggest a higher baseline where the candidate is better, and in no guarded measure worse.

    If queries are lacking for a verdict, suggest the way out for small sets.

    Better is what the comparison with the first baseline calls so. The guard's own test has to
    agree, which is more careful about drops and counts the tries.
    """
    verdicts = [guard.verdict for guard in guards if not guard.is_watched]
    whole = _whole(verdicts)
    if whole == "inconclusive":
        return sentences.of_small_set(guards, rules.inference)
    if not comparisons or whole != "pass" or rules.inference == "set":
        return None
    first = comparisons[0]
    better = []
    for result in guards:
        if not isinstance(result.guard, MarginGuard) or result.slice is not None:
            continue
        if result.baseline not in (None, first.baseline):
            continue
        measure = result.guard.measure
        if outcome_of(result.value, higher_is_better=measure.higher_is_better) == "worse":
            return None
        if result.is_better and first.difference(system, measure).finding == "better":
            better.append((measure, result.value))
    return sentences.of_better(better)
