"""The retrieval quality suite: seed, retrieve, score, slice and gate (X5-X9)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from berryeval.core.events import event_logger
from berryeval.core.query import Query
from berryeval.core.run import Run
from berryeval.errors import SystemUnderTestError
from berryeval.evaluation.ceilings import check_reachable
from berryeval.evaluation.evaluate import MeasureLike, evaluate
from berryeval.evaluation.gating import gate
from berryeval.evaluation.guards import ThresholdGuard
from berryeval.evaluation.quality import HITS, QualityReport, QueryResult, quality_report
from berryeval.evaluation.repeats import noise_of
from berryeval.evaluation.result import Evaluation
from berryeval.evaluation.verdict import GateResult, GuardResult
from berryeval.golden import GoldenSet, handbook
from berryeval.golden.measure_names import name_in_suite
from berryeval.measures import Measure, ReciprocalRank
from berryeval.search.collect import Collected, Limits, collect
from berryeval.search.failures import check_any_answered
from berryeval.search.system import System
from berryeval.search.systems.foreign import as_system

__all__ = ["TABLE", "THRESHOLDS", "QualityResult", "run_quality", "thresholds_of"]

THRESHOLDS: Mapping[MeasureLike, float] = {"RR@10": 0.70, "P@5": 0.70, "R@10": 0.75}
"""What a system has to reach on the golden set that ships; RR@10 is the suite's MRR."""

TABLE = "berryeval_quality"
"""The table for the suite's documents, so that the suite never replaces what others indexed."""

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
    """One a query, those that failed too: they found nothing."""
    failures: Mapping[str, SystemUnderTestError]
    """The error of each query that was not answered."""
    gate: GateResult
    ceilings: Mapping[str, float]
    """The best mean that any system can reach, by measure."""
    run: Run
    milliseconds: Mapping[str, float]
    """p50, p95 and p99 of the queries that were answered."""
    n_indexed: int | None
    """Chunks that were indexed; None if the system has documents of its own."""
    index_seconds: float
    n_asked: int = 1
    """How often everything was asked; figures are those of the first time."""
    noise: Mapping[str, float] = field(default_factory=dict)
    """By measure, how much the score of a query varies from one time to the next: a standard
    deviation. Empty if everything was asked once."""
    unknown: tuple[tuple[str, str], ...] = ()
    """Queries with what was returned for them and is no chunk of the golden set: such a hit counts
    as not relevant, and many of them are a sign that ids are others."""
    without_questions: Evaluation | None = None
    """The same measures with the chunks indexed alone; None unless the golden set has questions
    and they were indexed with its chunks."""

    @property
    def thresholds(self) -> dict[str, GuardResult]:
        """What became of each threshold, by measure."""
        return _by_measure(self.gate.guards)


def run_quality(
    system: System,
    golden: GoldenSet | None = None,
    *,
    thresholds: Mapping[MeasureLike, float] = THRESHOLDS,
    limits: Limits | None = None,
    repeat: int = 1,
    questions: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> QualityResult:
    """Run a golden set against a system, and hold the means against thresholds.

    Parameters
    ----------
    system : System
        What is under test. It is given the chunks of the golden set, unless it has documents of
        its own. Where judgments are of spans, the chunks that it returns are credited with them
        first: records and run hold the spans' ids.
    golden : GoldenSet, optional
        The one that ships unless given.
    thresholds : mapping
        Measures and the means that they have to reach; equality passes. Those of the suite fail
        where a golden set has too few relevant chunks for them; see `QualityResult.ceilings`.
    limits : Limits, optional
        Four queries at once and 30 s each unless given. A query that fails scores 0.
    repeat : int
        How often to ask everything, to know how much the system's scores vary by themselves.
    questions : bool
        Whether to index the chunks together with the questions that the golden set has for them.
        Where it has some, the queries are run a second time with the chunks alone, because
        questions raise the figures: a report shows both.
    progress : callable, optional
        Called with the number of answers so far and in the end.

    Raises
    ------
    MismatchError
        If a threshold that was given is above the best possible mean; before anything is asked.
    SystemUnderTestError
        If the system cannot take the documents, or fails for every query.
    """
    known = golden or handbook()
    system = as_system(system)
    guards = thresholds_of(known, thresholds)
    if thresholds is not THRESHOLDS:
        check_reachable(known.judgments, guards, queries=known.queries)
    asked = (*known.at_level(_MEASURES), *(guard.measure for guard in guards))
    measures = tuple(dict.fromkeys(asked))
    plain = None
    if questions and known.questions and system.can_index:
        # First, so that the system is left with the documents that the figures are about.
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
    credited = known.credit(collected.run)
    results = tuple(_result(known, query, credited, collected) for query in known.queries)
    report = quality_report(results, known.queries)
    run = Run.from_lists({result.query_id: list(result.retrieved) for result in results})
    evaluation = evaluate(known.judgments, run, measures, queries=known.queries)
    decided = gate(evaluation, guards)
    unknown = tuple(_unknown(known, credited))
    _log_outcome(report, results, decided, known)
    if unknown:
        facts = {"hits": len(unknown), "query_id": unknown[0][0], "doc_id": unknown[0][1]}
        _log.warning("ids that are no chunks", extra=facts)
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


def _without_questions(
    system: System,
    golden: GoldenSet,
    measures: Iterable[Measure],
    limits: Limits | None,
    progress: Callable[[int, int], None] | None,
) -> Evaluation:
    """Return what a system reaches if the chunks of a golden set are indexed alone."""
    system.index(golden.documents())
    _log.info("quality without questions starts", extra={"queries": len(golden.queries)})
    collected = collect(system, golden.queries, HITS, limits=limits, progress=progress)
    run = golden.credit(collected.run)
    return evaluate(golden.judgments, run, tuple(measures), queries=golden.queries)


def _half(
    progress: Callable[[int, int], None] | None, which: int
) -> Callable[[int, int], None] | None:
    """Return what shows the first or second of two passes as one."""
    if progress is None:
        return None
    return lambda n_done, n_all: progress(which * n_all + n_done, 2 * n_all)


def thresholds_of(
    golden: GoldenSet, thresholds: Mapping[MeasureLike, float]
) -> list[ThresholdGuard]:
    """Return thresholds as guards, at the level of relevance of a golden set.

    MRR without a cutoff is that of the hits that the suite asks for: RR@10.
    """
    return [
        ThresholdGuard(replace(measure, k=HITS) if _is_uncut(measure) else measure, value)
        for name, value in thresholds.items()
        for measure in golden.at_level(name)
    ]


def _is_uncut(measure: Measure) -> bool:
    return isinstance(measure, ReciprocalRank) and measure.k is None


def _settings(system: System, golden: GoldenSet, *, questions: bool) -> dict[str, str]:
    """Return what a system was made of, and which questions it was given."""
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


def _unknown(golden: GoldenSet, run: Run) -> Iterator[tuple[str, str]]:
    """Iterate over hits that are neither chunks of a golden set nor spans."""
    chunks = {chunk.chunk_id for chunk in golden.chunks}
    spans = {(span.query_id, span.span_id) for span, _ in golden.matched_spans}
    for query in golden.queries:
        for doc_id in run.ranking(query.query_id):
            if doc_id not in chunks and (query.query_id, doc_id) not in spans:
                yield query.query_id, doc_id


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
    report: QualityReport,
    results: tuple[QueryResult, ...],
    decided: GateResult,
    golden: GoldenSet,
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
