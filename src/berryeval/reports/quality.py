"""Quality: the scores of a system on a golden set, by slice and by query."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from berryeval.core.notes import caution_notes
from berryeval.evaluation.figures import DASH, finite, score
from berryeval.evaluation.notes import weights_note
from berryeval.evaluation.quality import HITS
from berryeval.golden.golden_set import name_in_suite
from berryeval.reports.layout import Table, csv_text, json_text
from berryeval.reports.wording import capitalised, count

if TYPE_CHECKING:
    from berryeval.evaluation.quality import CategoryMetrics, QueryResult
    from berryeval.suite.quality import QualityResult

__all__ = [
    "FORMATS",
    "quality_as_dict",
    "quality_notes",
    "quality_sentence",
    "quality_tables",
    "quality_to_csv",
    "quality_to_json",
    "queries_table",
]

FORMATS = ("table", "csv", "json", "markdown", "junit", "html")
JSON_VERSION = 1
TEXT_WIDTH = 50


def quality_sentence(result: QualityResult) -> str:
    """Return the result of a system in one sentence."""
    failures = ""
    if result.failures:
        failed = count(len(result.failures), "query", "queries")
        failures = f" {failed} failed, and {'scores' if len(result.failures) == 1 else 'score'} 0."
    return f"{capitalised(result.gate.sentence)}{failures}"


def quality_tables(result: QualityResult) -> list[Table]:
    """Lay out thresholds and means, both kinds of slices, and the queries that found nothing."""
    tables = [_means(result)]
    for label, slices in (
        ("category", result.report.by_category),
        ("difficulty", result.report.by_difficulty),
    ):
        if slices:
            tables.append(_slices(label, slices))
    if result.report.nothing_relevant:
        tables.append(_nothing_found(result))
    return tables


def _means(result: QualityResult) -> Table:
    plain = result.without_questions
    rows = []
    for name, measured in result.gate.evaluation.items():
        guard = result.thresholds.get(name)
        rows.append(
            (
                name_in_suite(measured.measure, result.golden),
                score(measured.mean),
                *(() if plain is None else (score(plain[name].mean),)),
                score(result.ceilings.get(name)),
                DASH if guard is None else score(guard.limit),
                DASH if guard is None else guard.verdict,
            )
        )
    title = f"{result.gate.verdict.upper()}: {result.system} on {result.golden.name}"
    means = ("mean",) if plain is None else ("with questions", "without")
    header = ("measure", *means, "best possible", "at least", "verdict")
    return Table(title, header, tuple(rows), tuple(quality_notes(result)))


def _hits(result: QualityResult) -> str:
    """Return how many hits the answered queries have."""
    numbers = [
        len(one.retrieved) for one in result.query_results if one.query_id not in result.failures
    ]
    n_fewer = len([number for number in numbers if number < HITS])
    n_none = numbers.count(0)
    if not n_fewer:
        return f"{HITS} hits each"
    none = f", none for {n_none}" if n_none else ""
    return f"up to {HITS} hits each: fewer for {count(n_fewer, 'query', 'queries')}{none}"


def quality_notes(result: QualityResult) -> list[str]:
    """Return notes on the figures: queries, failures, holes, times, settings, hash."""
    report, golden = result.report, result.golden
    queries = count(report.total_queries, "query", "queries")
    nothing = count(report.nothing_relevant, "query", "queries")
    notes = [f"{queries}, {_hits(result)}. Queries without a relevant hit: {nothing}."]
    if report.effective_queries is not None:
        notes.append(weights_note(report.total_queries, report.effective_queries))
    if result.without_questions is not None:
        notes.append(
            f"The chunks are indexed with {count(golden.n_questions, 'question')} that they "
            "answer, and without them for comparison; thresholds apply to the means with questions."
        )
    if golden.relevant_from != 1:
        notes.append(f"Relevant from grade {golden.relevant_from:g} on; nDCG counts every grade.")
    if result.failures:
        first_id, error = next(iter(result.failures.items()))
        failed = count(len(result.failures), "query", "queries")
        notes.append(f"Failed, and scored 0: {failed}, such as {first_id} ({error}).")
    if result.unknown:
        query_id, doc_id = result.unknown[0]
        unknown = (
            f"{count(len(result.unknown), 'hit')} with ids that are not chunks of the golden set, "
            f"such as {doc_id!r} for {query_id}; they count as not relevant"
        )
        notes += map(str, caution_notes([unknown]))
    n_holes = result.gate.evaluation["nDCG@10"].holes
    if n_holes:
        notes.append(f"Unjudged chunks in the first 10: {n_holes:,}; they count as not relevant.")
    if result.milliseconds:
        times = (f"{name} {value:.1f} ms" for name, value in result.milliseconds.items())
        notes.append(f"Time per query: {', '.join(times)}.")
    if result.noise:
        deviations = ", ".join(f"{name} {sd:.4f}" for name, sd in result.noise.items())
        notes.append(
            f"Every query was sent {result.n_asked} times. Standard deviation of a query's score: "
            f"{deviations}."
        )
    notes.append(_documents_note(result))
    settings = (
        value if key == "system" else f"{key} {value}" for key, value in result.settings.items()
    )
    notes.append(f"System: {', '.join(settings)}.")
    notes.append(f"Golden set: {golden.name} {golden.version}, hash {golden.content_hash[:16]}.")
    return notes


def _documents_note(result: QualityResult) -> str:
    if result.n_indexed is None:
        return "The system has its own documents; nothing was indexed."
    return f"Indexed {count(result.n_indexed, 'chunk')} in {result.index_seconds:.1f} s."


def _slices(label: str, slices: Mapping[str, CategoryMetrics]) -> Table:
    rows = tuple(
        (value, str(part.count), score(part.precision_at_5), score(part.recall_at_10),
         score(part.mrr))
        for value, part in slices.items()
    )  # fmt: skip
    return Table(f"By {label}", (label, "queries", "P@5", "R@10", "MRR"), rows)


def _nothing_found(result: QualityResult) -> Table:
    rows = tuple(
        (
            one.query_id,
            _short(one.query),
            str(result.failures.get(one.query_id, "nothing relevant")),
        )
        for one in result.query_results
        if one.first_relevant_rank == 0
    )
    return Table("Nothing relevant in 10 hits", ("query", "text", "why"), rows, n_keys=3)


def queries_table(result: QualityResult) -> Table:
    """Lay out every query: rank of the first relevant chunk, relevant in the hits, time."""
    labels = {query.query_id: query for query in result.golden.queries}
    rows = tuple(
        (
            one.query_id,
            one.query,
            labels[one.query_id].category or DASH,
            labels[one.query_id].difficulty or DASH,
            str(one.first_relevant_rank or DASH),
            f"{_n_found(one)} of {len(one.relevant)}",
            DASH if one.query_id in result.failures else f"{one.seconds * 1000:.1f}",
        )
        for one in result.query_results
    )
    header = ("query", "text", "category", "difficulty", "first at", "found", "ms")
    notes = (
        "first at: the rank of the first relevant chunk in 10 hits; found: relevant chunks in "
        "10 hits, of all that are relevant.",
    )
    return Table("Queries", header, rows, notes, n_keys=4)


def _n_found(one: QueryResult) -> int:
    return len(one.relevant.intersection(one.retrieved))


def _short(text: str) -> str:
    return text if len(text) <= TEXT_WIDTH else text[: TEXT_WIDTH - 1] + "…"


def quality_to_json(result: QualityResult) -> str:
    """Return the result as JSON."""
    return json_text(quality_as_dict(result))


def quality_as_dict(result: QualityResult) -> dict[str, Any]:
    """Return the JSON object, as ``docs/reference/json.md`` describes it."""
    golden = result.golden
    return {
        "version": JSON_VERSION,
        "kind": "quality",
        "verdict": result.gate.verdict,
        "sentence": quality_sentence(result),
        "golden": {
            "name": golden.name,
            "version": golden.version,
            "hash": golden.content_hash,
            "chunks": len(golden.chunks),
        },
        "system": {"name": result.system, "settings": dict(result.settings)},
        "thresholds": [
            {
                "measure": measure,
                "value": finite(guard.value),
                "at_least": guard.limit,
                "verdict": guard.verdict,
            }
            for measure, guard in result.thresholds.items()
        ],
        "report": asdict(result.report),
        "means": {name: finite(mean) for name, mean in result.gate.evaluation.to_dict().items()},
        "without_questions": None
        if result.without_questions is None
        else {name: finite(mean) for name, mean in result.without_questions.to_dict().items()},
        "ceilings": {name: finite(best) for name, best in result.ceilings.items()},
        "asked": result.n_asked,
        "noise": {name: finite(sd) for name, sd in result.noise.items()},
        "milliseconds": dict(result.milliseconds),
        "indexed": result.n_indexed,
        "index_seconds": result.index_seconds,
        "failed": [
            {"query_id": query_id, "error": str(error)}
            for query_id, error in result.failures.items()
        ],
        "unknown": [
            {"query_id": query_id, "doc_id": doc_id} for query_id, doc_id in result.unknown
        ],
        "queries": [
            {
                "query_id": one.query_id,
                "query": one.query,
                "retrieved": list(one.retrieved),
                "relevant": list(golden.relevant_of(one.query_id)),
                "first_relevant_rank": one.first_relevant_rank,
                "ms": one.seconds * 1000,
            }
            for one in result.query_results
        ],
    }


def quality_to_csv(result: QualityResult) -> str:
    """Return every query as CSV, one line per query."""
    header = ("query_id", "query", "category", "difficulty", "first_relevant_rank", "found",
              "relevant", "ms", "failed")  # fmt: skip
    labels = {query.query_id: query for query in result.golden.queries}
    return csv_text(
        header,
        [
            [
                one.query_id,
                one.query,
                labels[one.query_id].category,
                labels[one.query_id].difficulty,
                one.first_relevant_rank,
                _n_found(one),
                len(one.relevant),
                one.seconds * 1000,
                str(one.query_id in result.failures).lower(),
            ]
            for one in result.query_results
        ],
    )
