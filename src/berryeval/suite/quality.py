"""The retrieval quality suite: index, retrieve, score, slice and gate (X5-X9)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from berryeval.core.events import event_logger
from berryeval.core.query import Query
from berryeval.core.run import Run
from berryeval.errors import MismatchError, SystemUnderTestError
from berryeval.evaluation.ceilings import check_reachable
from berryeval.evaluation.evaluate import MeasureLike, evaluate, read_measures
from berryeval.evaluation.gating import gate
from berryeval.evaluation.guards import ThresholdGuard
from berryeval.evaluation.quality import HITS, QualityReport, QueryResult, quality_report
from berryeval.evaluation.repeats import noise_of
from berryeval.evaluation.result import Evaluation
from berryeval.evaluation.verdict import GateResult, GuardResult
from berryeval.golden import GoldenSet, handbook
from berryeval.golden.golden_set import name_in_suite
from berryeval.measures import Measure, ReciprocalRank
from berryeval.search.collect import Collected, Limits, collect
from berryeval.search.failures import check_any_answered
from berryeval.search.judged_units import to_judged_units
from berryeval.search.system import System
from berryeval.search.systems.foreign import as_system
from berryeval.suite.known_ids import find_unknown_hits

__all__ = [
    "TABLE",
    "THRESHOLDS",
    "QualityResult",
    "check_has_documents",
    "run_quality",
    "thresholds_of",
]

THRESHOLDS: Mapping[MeasureLike, float] = {"RR@10": 0.70, "P@5": 0.70, "R@10": 0.75}
"""Means that a system must reach on the bundled golden set; RR@10 is the suite's MRR."""

TABLE = "berryeval_quality"
"""A separate table for the suite's documents, so that it never replaces other indexes."""

_MEASURES = ("RR@10", "P@5", "P@10", "R@10", "nDCG@10")

_log = event_logger(__name__)


@dataclass(frozen=True, eq=False)
class QualityResult:
    """How well a system does on a golden set."""

    golden: GoldenSet
    system: str
    settings: Mapping[str, str]
    """The fingerprint of the system."""
    report: QualityReport
    query_results: tuple[QueryResult, ...]
    """One result per query; failed queries have no hits."""
    failures: Mapping[str, SystemUnderTestError]
    """The errors of the queries that were not answered."""
    gate: GateResult
    ceilings: Mapping[str, float]
    """The best mean that any system can reach, by measure."""
    run: Run
    milliseconds: Mapping[str, float]
    """p50, p95 and p99 of the answered queries."""
    n_indexed: int | None
    """Number of indexed chunks; None if the system has its own documents."""
    index_seconds: float
    n_asked: int = 1
    """Number of times every query was sent; figures are those of the first time."""
    noise: Mapping[str, float] = field(default_factory=dict)
    """By measure, the standard deviation of a query's score between repeats. Empty if every query
    was sent once."""
    unknown: tuple[tuple[str, str], ...] = ()
    """Pairs of a query and a returned id that is not a chunk of the golden set. Such a hit counts
    as not relevant; many of them suggest that the system uses different ids."""
    without_questions: Evaluation | None = None
    """The same measures with only the chunks indexed; None unless the golden set has questions and
    they were indexed with its chunks."""

    @property
    def thresholds(self) -> dict[str, GuardResult]:
        """The result of each threshold, by measure."""
        return _by_measure(self.gate.guards)


def run_quality(
    system: System,
    golden: GoldenSet | None = None,
    *,
    thresholds: Mapping[MeasureLike, float] = THRESHOLDS,
    limits: Limits | None = None,
    repeat: int = 1,
    questions: bool = True,
    judged_only: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> QualityResult:
    """Run a golden set against a system, and compare the means with thresholds.

    Parameters
    ----------
    system : System
        The system under test. It indexes the chunks of the golden set, unless it has its own
        documents. If the set judges spans, the returned chunks are credited with them first, and
        results and run contain the ids of spans.
    golden : GoldenSet, optional
        Default: the bundled one.
    thresholds : mapping
        Measures and the means that they must reach; equality passes. The default thresholds fail
        if a golden set has too few relevant chunks for them; see `QualityResult.ceilings`.
    limits : Limits, optional
        Default: four queries at once, and 30 s each. A query that fails scores 0.
    repeat : int
        Number of times to send every query, to measure how much the system's scores vary.
    questions : bool
        Whether to index the chunks together with the questions of the golden set. If it has any,
        the queries are run a second time with only the chunks, because questions raise the
        figures; reports show both.
    judged_only : bool
        Whether thresholds apply to rankings without unjudged documents. The means of both are
        reported.
    progress : callable, optional
        Called with the number of answers so far and in total.

    Raises
    ------
    MismatchError
        Before any query is sent: if the system indexes documents and the golden set has none, or
        a threshold that was passed is above the best possible mean.
    MismatchError
        If none of the ids that the system returns is one of the golden set.
    SystemUnderTestError
        If the system cannot index the documents, or fails for every query.
    """
    known = golden or handbook()
    system = as_system(system)
    check_has_documents(known, system)
    guards = thresholds_of(known, thresholds, judged_only=judged_only)
    if thresholds is not THRESHOLDS:
        check_reachable(known.judgments, guards, queries=known.queries)
    usual = known.at_level(_MEASURES)
    condensed = tuple(one.condensed() for one in usual) if judged_only else ()
    asked = (*usual, *condensed, *(guard.measure for guard in guards))
    measures = tuple(dict.fromkeys(asked))
    plain = None
    if questions and known.questions and system.can_index:
        # First, so that afterwards the system has the documents behind the main figures.
        plain = _without_questions(system, known, measures, limits, _half(progress, 0))
        progress = _half(progress, 1)
    start = time.perf_counter()
    n_indexed = system.index(known.documents(questions=questions)) if system.can_index else None
    index_seconds = time.perf_counter() - start
    _log.info("quality starts", extra={"queries": len(known.queries), "system": system.name})
    collected = collect(
        system, known.queries, HITS, limits=limits, repeat=repeat, progress=progress
    )
    check_any_answered(system.name, collected.durations, collected.failures)
    credited = to_judged_units(known.credit(collected.run), known.judgments, system.places)
    unknown = find_unknown_hits(known, credited, system.name, system.likely_id)
    results = tuple(_result(known, query, credited, collected) for query in known.queries)
    report = quality_report(results, known.queries)
    run = Run.from_lists({result.query_id: list(result.retrieved) for result in results})
    evaluation = evaluate(known.judgments, run, measures, queries=known.queries)
    decided = gate(evaluation, guards)
    _log_outcome(report, results, decided, known)
    if unknown:
        facts = {"hits": len(unknown), "query_id": unknown[0][0], "doc_id": unknown[0][1]}
        _log.warning("ids that are not chunks", extra=facts)
    return QualityResult(
        golden=known,
        system=system.name,
        settings=_settings(system, known, questions=questions),
        report=report,
        query_results=results,
        failures=collected.failures,
        gate=decided,
        ceilings=known.ceilings(measures),
        run=run,
        milliseconds=_percentiles(collected),
        n_indexed=n_indexed,
        index_seconds=index_seconds,
        n_asked=repeat,
        noise=_noise(known, collected, measures),
        unknown=unknown,
        without_questions=plain,
    )


def check_has_documents(golden: GoldenSet, system: System) -> None:
    """Raise `MismatchError` if a system indexes documents, and the golden set has none."""
    if system.can_index and not golden.chunks:
        what = f"the golden set has no documents for {system.name} to index"
        way_out = "add test-documents/ or documents.jsonl, or test a system with its own documents"
        raise MismatchError(f"{golden.folder}: {what}; {way_out}")


def _without_questions(
    system: System,
    golden: GoldenSet,
    measures: Iterable[Measure],
    limits: Limits | None,
    progress: Callable[[int, int], None] | None,
) -> Evaluation:
    """Return the scores of a system with only the chunks of a golden set indexed."""
    system.index(golden.documents())
    _log.info("quality without questions starts", extra={"queries": len(golden.queries)})
    collected = collect(system, golden.queries, HITS, limits=limits, progress=progress)
    run = golden.credit(collected.run)
    return evaluate(golden.judgments, run, tuple(measures), queries=golden.queries)


def _half(
    progress: Callable[[int, int], None] | None, which: int
) -> Callable[[int, int], None] | None:
    """Return a callback that reports the first or second half of the progress."""
    if progress is None:
        return None
    return lambda n_done, n_all: progress(which * n_all + n_done, 2 * n_all)


def thresholds_of(
    golden: GoldenSet, thresholds: Mapping[MeasureLike, float], *, judged_only: bool = False
) -> list[ThresholdGuard]:
    """Return thresholds as guards, at the relevance level of a golden set.

    MRR without a cutoff becomes RR@10, since the suite requests ten hits.
    """
    return [
        ThresholdGuard(replace(measure, k=HITS) if _is_uncut(measure) else measure, value)
        for name, value in thresholds.items()
        for measure in golden.at_level(read_measures(name, judged_only=judged_only))
    ]


def _is_uncut(measure: Measure) -> bool:
    return isinstance(measure, ReciprocalRank) and measure.k is None


def _settings(system: System, golden: GoldenSet, *, questions: bool) -> dict[str, str]:
    """Return the fingerprint of a system, and the hash of the questions it indexed."""
    facts = system.fingerprint()
    if not system.can_index:
        return facts
    is_given = questions and golden.questions
    return {**facts, "questions": golden.questions_hash[:8] if is_given else "none"}


def _by_measure(guards: Iterable[GuardResult]) -> dict[str, GuardResult]:
    return {
        str(guard.guard.measure): guard
        for guard in guards
        if isinstance(guard.guard, ThresholdGuard)
    }


def _result(golden: GoldenSet, query: Query, run: Run, collected: Collected) -> QueryResult:
    return QueryResult(
        query.query_id,
        query.text,
        tuple(run.ranking(query.query_id)),
        frozenset(golden.relevant_of(query.query_id)),
        collected.durations.get(query.query_id, 0.0),
    )


def _noise(
    golden: GoldenSet, collected: Collected, measures: Iterable[Measure]
) -> dict[str, float]:
    """Return the noise of a system over the queries that it answered every time."""
    failed = {query_id for one in (collected, *collected.repeats) for query_id in one.failures}
    grades = golden.judgments.to_dict()
    answered = {query_id: own for query_id, own in grades.items() if query_id not in failed}
    if not collected.repeats or not answered:
        return {}
    runs = [golden.credit(one.run) for one in (collected, *collected.repeats)]
    found = noise_of(answered, runs, tuple(measures))
    return {str(measure): noise.per_query for measure, noise in found.items()}


def _percentiles(collected: Collected) -> dict[str, float]:
    found = {}
    for percentile in (50, 95, 99):
        seconds = collected.percentile(percentile)
        if seconds is not None:
            found[f"p{percentile}"] = seconds * 1000
    return found


def _log_outcome(
    report: QualityReport, results: tuple[QueryResult, ...], decided: GateResult, golden: GoldenSet
) -> None:
    means = {"P@5": report.precision_at_5, "P@10": report.precision_at_10, "MRR": report.mrr}
    _log.info("measured", extra={name: round(mean, 3) for name, mean in means.items()})
    for result in results:
        if result.first_relevant_rank == 0:
            _log.warning("no relevant result", extra={"query_id": result.query_id})
    for guard in decided.failed:
        if isinstance(guard.guard, ThresholdGuard):
            name = name_in_suite(guard.guard.measure, golden)
            facts = {"measure": name, "value": round(guard.value, 3), "threshold": guard.limit}
            _log.error("threshold not met", extra=facts)
