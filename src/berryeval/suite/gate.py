"""Runs a gate from settings: reads inputs, compares, decides, and logs the outcome (X9)."""

from __future__ import annotations

import logging
import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from berryeval.core.events import event_logger
from berryeval.core.id_column import encode_id
from berryeval.core.judgments import Judgments
from berryeval.core.query import Query
from berryeval.core.run import Run
from berryeval.errors import ArgumentError
from berryeval.evaluation import Evaluation, evaluate, sentences
from berryeval.evaluation.baseline import Baseline, is_baseline
from berryeval.evaluation.ceilings import check_reachable
from berryeval.evaluation.comparing import compare
from berryeval.evaluation.gating import gate
from berryeval.evaluation.guards import Guard, LatencyGuard, MarginGuard, ThresholdGuard
from berryeval.evaluation.memory import Decision, Memory, hash_of_rankings, recall
from berryeval.evaluation.model_judgments import (
    ModelJudgments,
    check_options,
    combine,
    evaluate_with_model,
)
from berryeval.evaluation.next_steps import GateFiles
from berryeval.evaluation.reserve import Seal, open_reserve
from berryeval.evaluation.slices import load_queries
from berryeval.evaluation.sources import load_judgments
from berryeval.evaluation.verdict import GateResult
from berryeval.formats import write_run
from berryeval.formats.timings import read_timings
from berryeval.golden.golden_set import mean_name
from berryeval.measures import Measure, Precision, ReciprocalRank, depth_of
from berryeval.suite import history
from berryeval.suite.candidates import find_candidate
from berryeval.suite.references import (
    CANDIDATE,
    Reference,
    named_file,
    read_references,
    references_of,
)
from berryeval.suite.settings import Settings, resolved_path

__all__ = [
    "CANDIDATE",
    "check_guards",
    "decide",
    "gate_files",
    "guarded_measures",
    "model_of",
    "read_timings",
    "run_gate",
]

_log = event_logger(__name__)

_BASELINE = "baseline.json"

_LOGGED: tuple[Measure, ...] = (Precision(5), Precision(10), ReciprocalRank())


def run_gate(
    settings: Settings, *, opens_reserve: bool = False, save_run: str | None = None
) -> GateResult:
    """Decide by the settings, and append to the history if they name one.

    `save_run` is a file to write the candidate's run to, such as the answers of a system.

    Raises `ArgumentError` if judgments, a run or system, or a required baseline are not named;
    `SystemUnderTestError` if the system fails for more queries than allowed; `MismatchError` if the
    baseline has other queries, another corpus, or other scores, and, before anything is run, if a
    threshold is above the best possible mean.
    """
    settings = replace(settings, gate=settings.gate.resolved())
    guards = settings.gate.guards
    check_guards(guards)
    judgments = load_judgments(
        named_file(settings.judgments, "judgments"), "error", settings.judges, settings.lengths
    )
    queries = load_queries(settings.queries)
    model = model_of(settings)
    if model is not None:
        judgments = combine(judgments, *model.load())
    smallest = settings.gate.smallest_slice
    check_reachable(judgments, guards, queries=queries.values(), smallest_slice=smallest)
    candidate = find_candidate(settings, judgments, queries)
    run, timings = candidate.run, candidate.milliseconds
    if save_run is not None:
        write_run(run, save_run)
    if settings.timings is not None:
        timings = read_timings(settings.timings)
        run = run.with_timings(timings)
    _log.info("gate starts", extra={"queries": judgments.n_queries, "guards": len(guards)})
    decided = decide(
        settings,
        judgments,
        run,
        queries,
        milliseconds=[*timings.values()],
        repeats=candidate.repeats,
        past=None if settings.history is None else history.decisions(settings.history),
        opens_reserve=opens_reserve,
        model=model,
    )
    decided = replace(_with_command(decided, settings), files=gate_files(settings))
    seen = judgments
    if settings.gate.reserve is not None:
        seen = judgments.of_queries(set(decided.evaluation.scores.query_ids))
    kept = decided.evaluation
    if model is not None:  # logs and histories have no correction, so they show people's labels
        _, draw = model.load()
        seen = judgments = judgments.of_queries(draw.labelled)
        kept = _labelled_only(kept, draw.labelled)
    _log_outcome(seen, run, timings, decided)
    if settings.history is not None:
        name = Path(candidate.name).name
        history.append(
            settings.history,
            name,
            kept,
            judgments,
            decided.verdict,
            decision=None if decided.memory is None else decided.memory.decision,
        )
    return decided


def _with_command(decided: GateResult, settings: Settings) -> GateResult:
    """Return the result with a command that works where the baseline is a run, not a file of it."""
    path = settings.baseline
    if decided.suggested_command is None or path is None or is_baseline(path):
        return decided
    values = [
        ("--judgments", settings.judgments),
        ("--run", settings.run),
        ("--baseline", resolved_path(_BASELINE, Path(settings.folder or ""))),
        *(("-m", str(measure)) for measure in guarded_measures(settings.gate.guards)),
    ]
    flags = (f" {flag} {shlex.quote(value)}" for flag, value in values if value is not None)
    return replace(
        decided,
        suggestion=f"{decided.suggestion} {Path(path).name} is a run: save the candidate as a "
        f'baseline file, and name that in berryeval.toml (baseline = "{_BASELINE}").',
        command=f"berryeval baseline save{''.join(flags)}",
    )


def decide(
    settings: Settings,
    judgments: Judgments,
    run: Run,
    queries: Mapping[str, Query],
    *,
    milliseconds: Sequence[float] = (),
    baseline: Run | Baseline | None = None,
    anchor: tuple[str, Run] | None = None,
    repeats: Sequence[Run] = (),
    is_brief: bool = False,
    past: Iterable[Decision] | None = None,
    opens_reserve: bool = False,
    model: ModelJudgments | None = None,
) -> GateResult:
    """Decide about a run, by the guards and rules of the settings.

    The baselines and their anchor come from the settings, unless a baseline is given; then the
    anchor is the given one, if any. `repeats` are further runs of the same candidate. Nothing is
    logged or appended. If it is brief, only figures that the verdict requires are computed:
    unjudged documents are considered only where they could block it. Looks and tries are counted
    among past decisions, oldest first, if these are given. Reserved queries are omitted; opening
    the reserve adds their result. With a model, `judgments` are people's and the model's combined;
    looks are then counted at the queries that people labelled.

    Raises `ArgumentError` if the reserve cannot be opened, or was sealed on other terms, and for a
    reserve or repeats together with a model.
    """
    rules = settings.gate.resolved()
    seal, known = Seal.of(rules), None if past is None else [*past]
    reserved: set[str] = set()
    if model is not None:
        model = ModelJudgments(*model.load())
        check_options(reserve=rules.reserve, repeats=[*repeats, *settings.baseline_repeats])
    if seal is not None:
        seal.check(known or ())
        reserved = seal.reserved(judgments.query_ids, queries)
    elif opens_reserve:
        raise ArgumentError("open_reserve", "a reserve", "none; declare one (reserve = 0.3)")
    measures = guarded_measures(rules.guards) or (ReciprocalRank(),)
    is_quick = is_brief and not any(
        isinstance(guard, MarginGuard) and rules.holes_policy(guard.measure) == "inconclusive"
        for guard in rules.guards
    )
    if not any(isinstance(guard, MarginGuard) for guard in rules.guards):
        if opens_reserve:
            raise ArgumentError("open_reserve", "a guard with a margin", "none")
        seen = _without(judgments, reserved)
        if model is None:
            result = evaluate(seen, run, measures, queries=queries.values())
        else:
            result = evaluate_with_model(seen, *model.load(), run, measures, queries=queries)
        looked = _looked_at(model, result.scores.query_ids)
        memory = _recall(known, run, None, looked, measures, seal)
        return gate(result, rules=rules, milliseconds=milliseconds, memory=memory)
    if baseline is None:
        references = read_references(settings, judgments, measures, queries)
    else:
        references = references_of(baseline, anchor, settings, judgments, measures, queries)
    again = {"baseline": settings.baseline_repeats if baseline is None else ()}
    comparisons = [
        compare(
            _without(one.judgments, reserved),
            {one.name: one.run, CANDIDATE: run},
            measures,
            queries=queries.values(),
            bounds=not is_quick and model is None,
            max_grade=rules.max_grade,
            model=model,
            repeats=None
            if model is not None
            else {CANDIDATE: repeats, one.name: again.get(one.name, ())},
        )
        for one in references
    ]
    looked = _looked_at(model, comparisons[0].query_ids)
    memory = _recall(known, run, references[0].run, looked, measures, seal)
    decided = gate(comparisons, rules=rules, milliseconds=milliseconds, memory=memory)
    if not opens_reserve:
        return decided
    assert seal is not None
    return _opened(decided, references, run, queries, reserved, seal, known)


def _labelled_only(evaluation: Evaluation, labelled: Collection[str]) -> Evaluation:
    """Return the scores of the queries that people labelled."""
    ids = evaluation.scores.query_ids
    places = [place for place, query_id in enumerate(ids) if query_id in labelled]
    return Evaluation(evaluation.scores.take(places), evaluation.measures, evaluation.queries)


def gate_files(settings: Settings) -> GateFiles | None:
    """Return the files that commands take; None if they do not determine the comparison."""
    is_partial = settings.model_judgments is not None or settings.label_draw is not None
    if is_partial or settings.judgments is None or settings.baseline is None:
        return None
    return GateFiles(
        settings.judgments,
        settings.baseline,
        settings.run,
        settings.queries,
        settings.documents,
        settings.judges,
        settings.lengths,
    )


def model_of(settings: Settings) -> ModelJudgments | None:
    """Return the model judgments that the settings name."""
    if settings.model_judgments is None and settings.label_draw is None:
        return None
    return ModelJudgments(
        named_file(settings.model_judgments, "model_judgments"),
        named_file(settings.label_draw, "label_draw"),
    )


def _looked_at(model: ModelJudgments | None, query_ids: Iterable[str]) -> Iterable[str]:
    """Return the queries whose number makes a look: with a model, those that people labelled."""
    if model is None:
        return query_ids
    _, draw = model.load()
    return [query_id for query_id in query_ids if query_id in draw.labelled]


def _without(judgments: Judgments, reserved: set[str]) -> Judgments:
    """Return the judgments of the queries that are not reserved."""
    if not reserved:
        return judgments
    seen = set(judgments.query_ids) - reserved
    if not seen:
        got = f"all {judgments.n_queries} reserved"
        raise ArgumentError("reserve", "queries that are not reserved", got)
    return judgments.of_queries(seen)


def _recall(
    past: Iterable[Decision] | None,
    run: Run,
    baseline: Run | None,
    query_ids: Iterable[str],
    measures: Sequence[Measure],
    seal: Seal | None,
) -> Memory | None:
    if past is None:
        return None
    kept = None if seal is None else str(seal)
    return recall(past, run, baseline, [*query_ids], depth_of(measures), seal=kept)


def _opened(
    decided: GateResult,
    references: Sequence[Reference],
    run: Run,
    queries: Mapping[str, Query],
    reserved: set[str],
    seal: Seal,
    past: Sequence[Decision] | None,
) -> GateResult:
    """Add the comparison of candidate and anchor on the reserved queries."""
    anchor = next((one for one in references if one.release is not None), None)
    if anchor is None or anchor.release is None:
        way_out = "mark one with `berryeval baseline release`"
        raise ArgumentError("open_reserve", "a release to compare with", f"none; {way_out}")
    if past is None or decided.memory is None:
        way_out = "name a history file to count the openings (history = ...)"
        raise ArgumentError("open_reserve", "a history", f"none; {way_out}")
    guarded = [one.measure for one in decided.rules.guards if isinstance(one, MarginGuard)]
    measure = next((one for one in guarded if not one.uses_timings), guarded[0])
    depth = depth_of([measure])
    opened = hash_of_rankings((run, anchor.run), sorted(reserved), depth)
    runs = {anchor.release: anchor.run, CANDIDATE: run}
    opening = open_reserve(
        compare(anchor.judgments, runs, [measure], queries=queries.values()),
        CANDIDATE,
        measure,
        reserved,
        alpha=decided.rules.alpha,
        number=seal.next_opening(past, opened),
        openings=seal.openings,
    )
    assert decided.memory.decision is not None
    decision = replace(decided.memory.decision, opened=opened, opening=opening.number)
    return replace(
        decided,
        opening=opening,
        sentence=decided.sentence + sentences.of_opening(opening),
        memory=replace(decided.memory, decision=decision),
    )


def check_guards(guards: Collection[Guard]) -> None:
    """Raise `ArgumentError` if there is no guard, with the ways to get one."""
    if not guards:
        way_out = (
            "add [[gate.guard]] to berryeval.toml, which `berryeval init` writes, or give "
            "--at-least or --margin, such as --margin nDCG@10=0.05"
        )
        raise ArgumentError("gate.guard", "at least one", f"none; {way_out}")


def guarded_measures(guards: Sequence[Guard]) -> tuple[Measure, ...]:
    """Return the measures of guards, each once."""
    named = (guard.measure for guard in guards if not isinstance(guard, LatencyGuard))
    return tuple(dict.fromkeys(named))


def _log_outcome(
    judgments: Judgments, run: Run, timings: Mapping[str, float], decided: GateResult
) -> None:
    if _log.isEnabledFor(logging.WARNING):
        queries = decided.evaluation.queries.values()
        known = evaluate(judgments, run, _LOGGED, queries=queries)
        for query_id in known.scores.query_ids:
            n_documents = len(run.rows_of(encode_id(query_id)))
            facts: dict[str, object] = {"query_id": query_id, "documents": n_documents}
            if query_id in timings:
                facts["ms"] = round(timings[query_id], 3)
            _log.debug("query", extra=facts)
        means = {mean_name(measure): round(known[str(measure)].mean, 3) for measure in _LOGGED}
        _log.info("measured", extra=means)
        for query_id, value in known[str(_LOGGED[-1])].by_query.items():
            if value == 0:
                _log.warning("no relevant result", extra={"query_id": query_id})
    for guard in decided.failed:
        if isinstance(guard.guard, ThresholdGuard):
            _log.error(
                "threshold not met",
                extra={
                    "measure": mean_name(guard.guard.measure),
                    "value": round(guard.value, 3),
                    "threshold": guard.limit,
                },
            )
    _log.info("gate ends", extra={"verdict": decided.verdict})
