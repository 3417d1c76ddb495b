"""Runs gates of the archive on runs of the archive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from berryeval.archive import Archive
from berryeval.archive.records import StoredGate, StoredRun, StoredVerdict
from berryeval.core.judgments import Judgments
from berryeval.core.query import Query
from berryeval.core.run import Run
from berryeval.errors import ArgumentError, MismatchError
from berryeval.evaluation.baseline import NO_ANCHOR
from berryeval.evaluation.ceilings import check_reachable
from berryeval.evaluation.gate_rules import GateRules
from berryeval.evaluation.guards import MarginGuard
from berryeval.evaluation.memory import Decision
from berryeval.evaluation.model_judgments import ModelJudgments, combine
from berryeval.evaluation.sentences import of_holes
from berryeval.evaluation.verdict import GateResult, Verdict
from berryeval.reports.gate import gate_as_dict
from berryeval.reports.markdown import gate_to_markdown
from berryeval.service.jobs import Progress, no_progress
from berryeval.service.prices import CHEAP, PRICE_OF_BOUNDS
from berryeval.service.stored_runs import RunCache, find_run
from berryeval.service.workers.pool import Workers
from berryeval.suite.archived_judges import depth_of_model, model_judgments_in
from berryeval.suite.gate import decide, guarded_measures
from berryeval.suite.settings import Settings

__all__ = [
    "MAX_HOLES",
    "Headline",
    "decide_at_present",
    "decide_on",
    "find_anchor",
    "headline_of",
    "read_gate",
    "report_of",
]

_N_STEPS = 3

_RETIRED = ("seed", "resamples", "noise")
"""Rules of earlier versions that stored gates may contain. Verdicts no longer sample, and noise is
measured from repeats."""

MAX_HOLES = 100
"""Maximum number of unjudged documents per report, most decisive first. A list of verdicts is
loaded at once, and a set of 7,000 queries may have as many holes.
"""


class Headline(NamedTuple):
    """The sentence of a verdict, and its doubt separately."""

    sentence: str
    doubt: str
    """States on how many unjudged documents it depends; empty if on none."""


def headline_of(report: Mapping[str, Any]) -> Headline:
    """Split the sentence of a report; older reports lack some parts."""
    sentence = str(report.get("sentence", ""))
    doubt = of_holes(report.get("n_holes", len(report.get("holes", ()))))
    if not doubt or doubt not in sentence:
        return Headline(sentence, "")
    return Headline(" ".join(sentence.replace(doubt, "").split()), doubt)


def read_gate(settings: Mapping[str, Any]) -> GateRules:
    """Read the rules of a stored gate, which also names its baseline, draw and judge.

    Raises
    ------
    InputError
        For an invalid rule or guard, with its place.
    """
    skipped = ("baseline", "label_draw", "judge", *_RETIRED)
    return GateRules.from_dict({k: value for k, value in settings.items() if k not in skipped})


def decide_on(
    archive: Archive,
    runs: RunCache,
    gate: StoredGate,
    run: StoredRun,
    baseline: StoredRun | None,
    *,
    milliseconds: Mapping[str, float] | None,
    progress: Progress,
    opens_reserve: bool = False,
    workers: Workers | None = None,
) -> StoredVerdict:
    """Decide with the current judgments, and store the verdict.

    Expensive work runs in one of the workers, if there are any, and ends when its result is no
    longer wanted.

    Raises
    ------
    ArgumentError
        If a guard has a margin and there is no baseline, or if the reserve cannot be opened.
    MismatchError
        If the baseline searched another corpus and the gate does not allow that, or if a
        threshold is above the best possible mean.
    """
    inputs, judgments_hash = _inputs(
        archive, runs, gate.settings, run, baseline, milliseconds, progress
    )
    inputs |= {"past": archive.verdicts.decisions(gate.name), "opens_reserve": opens_reserve}
    if workers is None or _price(inputs) <= CHEAP:
        decided = decide_and_report(progress=progress, **inputs)
    else:
        decided = workers.run(decide_and_report, progress, **inputs)
    return archive.verdicts.put(
        gate=gate.name,
        run_id=run.run_id,
        baseline_id=None if baseline is None else baseline.run_id,
        judgments_hash=judgments_hash,
        verdict=decided.verdict,
        report=decided.report,
        decision=decided.decision,
    )


class Decided(NamedTuple):
    """The parts of a verdict that are stored."""

    verdict: Verdict
    report: dict[str, Any]
    decision: Decision | None


def decide_and_report(*, progress: Progress, **inputs: Any) -> Decided:  # noqa: ANN401
    """Decide, and return what to store; a task for a worker, which receives `_inputs`."""
    progress(_N_STEPS - 1, _N_STEPS, "deciding")
    found = _decide(**inputs)
    # The text needs figures that the report lacks, and must not change with later judgments.
    report = {**report_of(found), "markdown": gate_to_markdown(found)}
    return Decided(found.verdict, report, None if found.memory is None else found.memory.decision)


def _price(inputs: Mapping[str, Any]) -> float:
    """Return about how many grades are tried for unjudged documents."""
    rules: GateRules = inputs["rules"]
    n_measures = len(guarded_measures(rules.guards))
    n_references = (inputs["baseline"] is not None) + (inputs["anchor"] is not None)
    return float(n_references * n_measures * inputs["run"].n_queries * PRICE_OF_BOUNDS)


def find_anchor(
    archive: Archive, settings: Mapping[str, Any], baseline: StoredRun | None
) -> tuple[str, StoredRun] | None:
    """Return the anchor of a gate: a release that it also compares with, and its name.

    It is the one that the gate names, otherwise the last release; None if there is none.

    Raises
    ------
    NotFoundError
        If the gate names one that does not exist.
    """
    name = settings.get("anchor")
    if name is None:
        release = archive.baselines.last_release()
        name = NO_ANCHOR if release is None else release.name
    if baseline is None or name == NO_ANCHOR:
        return None
    return name, find_run(archive, name)


def _durations(archive: Archive, run: StoredRun) -> Mapping[str, float]:
    """Return the durations of the queries of a run, which most runs are read without."""
    stored = run if run.facts.durations is not None else archive.runs.get(run.run_id)
    return {} if stored is None else stored.facts.durations or {}


def report_of(decided: GateResult) -> dict[str, Any]:
    """Return the report to store, with its most decisive holes."""
    report = gate_as_dict(decided)
    holes = report["holes"]
    if len(holes) > MAX_HOLES:
        report |= {"n_holes": len(holes), "holes": holes[:MAX_HOLES]}
    return report


def decide_at_present(
    archive: Archive,
    runs: RunCache,
    settings: Mapping[str, Any],
    run: StoredRun,
    baseline: StoredRun | None,
    *,
    is_brief: bool = False,
) -> tuple[GateResult, str]:
    """Decide with the current judgments and the settings of a gate; also return their hash.

    Nothing is stored. `is_brief` is as in `berryeval.suite.gate.decide`. Raises like `decide_on`.
    """
    inputs, judgments_hash = _inputs(archive, runs, settings, run, baseline, None, no_progress)
    return _decide(**inputs, is_brief=is_brief), judgments_hash


def _inputs(
    archive: Archive,
    runs: RunCache,
    settings: Mapping[str, Any],
    run: StoredRun,
    baseline: StoredRun | None,
    milliseconds: Mapping[str, float] | None,
    progress: Progress,
) -> tuple[dict[str, Any], str]:
    """Return the arguments of `_decide`, and the hash of the judgments."""
    rules = read_gate(settings).resolved()
    anchor = None
    if any(isinstance(guard, MarginGuard) for guard in rules.guards):
        _check_baseline(rules, run, baseline)
        anchor = find_anchor(archive, settings, baseline)
        if anchor is not None:
            _check_baseline(rules, run, anchor[1], f"anchor {anchor[0]!r}")
    times = milliseconds or _durations(archive, run)
    progress(0, _N_STEPS, "reading the candidate")
    candidate = runs.load(run.run_id)
    progress(1, _N_STEPS, "reading the baseline")
    reference = None if baseline is None else runs.load(baseline.run_id)
    release = None
    if anchor is not None and baseline is not None and reference is not None:
        is_baseline = anchor[1].run_id == baseline.run_id
        release = anchor[0], reference if is_baseline else runs.load(anchor[1].run_id)
    judgments, judgments_hash = archive.judgments.as_of(None)
    compared = [candidate, reference, release and release[1]]
    judgments = archive.documents.with_lengths(
        judgments, guarded_measures(rules.guards), [one for one in compared if one is not None]
    )
    model = model_of(archive, settings, rules, [one for one in compared if one is not None])
    if model is not None:
        judgments = combine(judgments, *model.load())
    inputs = {
        "rules": rules,
        "judgments": judgments,
        "model": model,
        "run": candidate,
        "queries": dict(archive.queries.all()),  # to be pickled
        "milliseconds": [*times.values()],
        "baseline": reference,
        "anchor": release,
    }
    return inputs, judgments_hash


def model_of(
    archive: Archive, settings: Mapping[str, Any], rules: GateRules, runs: Sequence[Run]
) -> ModelJudgments | None:
    """Return the model judgments of a gate that names a label draw; None if it names none.

    Raises
    ------
    NotFoundError
        If there is no such draw.
    MismatchError
        If no judge is admitted, or it has not graded what the runs return.
    """
    draw = settings.get("label_draw")
    if draw is None:
        return None
    named = {str(number): run for number, run in enumerate(runs)}
    k = depth_of_model(guarded_measures(rules.guards))
    return model_judgments_in(archive, named, draw, k=k, judge=settings.get("judge"))


def _decide(
    *,
    rules: GateRules,
    judgments: Judgments,
    run: Run,
    queries: Mapping[str, Query],
    **options: Any,  # noqa: ANN401 - those of `decide`
) -> GateResult:
    """Decide by rules, and raise if a missed threshold is out of reach."""
    decided = decide(Settings(gate=rules), judgments, run, queries, **options)
    # Only a missed threshold can be out of reach, and ceilings take a while.
    missed = [guard.guard for guard in decided.failed]
    smallest = rules.smallest_slice
    check_reachable(judgments, missed, queries=queries.values(), smallest_slice=smallest)
    return decided


def _check_baseline(
    rules: GateRules, run: StoredRun, baseline: StoredRun | None, name: str = "baseline"
) -> None:
    if baseline is None:
        way_out = "set it in the gate or in the request"
        raise ArgumentError("baseline", "one, since a guard has a margin", f"none; {way_out}")
    corpora = run.facts.corpus_hash, baseline.facts.corpus_hash
    is_other = None not in corpora and corpora[0] != corpora[1]
    if is_other and not rules.allow_other_corpus:
        raise MismatchError(
            f"{name} of corpus {corpora[1]!r}, candidate of {corpora[0]!r}: "
            "run both on the same documents, or set allow_other_corpus in the gate"
        )
