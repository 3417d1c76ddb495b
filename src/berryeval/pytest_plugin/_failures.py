"""Messages of failed assertions: the query, its ranking with grades, and what was expected."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from berryeval.core.id_column import encode_id
from berryeval.core.text import printable
from berryeval.errors import MismatchError
from berryeval.evaluation.ceilings import check_reachable
from berryeval.evaluation.comparison import RankedDocument
from berryeval.evaluation.explain import explain
from berryeval.evaluation.guards import ThresholdGuard, written
from berryeval.evaluation.next_steps import UNSAVED_RUN
from berryeval.evaluation.notes import count_queries, holes_notes, query_notes
from berryeval.evaluation.result import MeasureResult
from berryeval.suite.gate import gate_files

if TYPE_CHECKING:
    from berryeval.core.judgments import Judgments
    from berryeval.core.query import Query
    from berryeval.core.run import Run
    from berryeval.errors import SystemUnderTestError
    from berryeval.evaluation.comparison import Comparison
    from berryeval.evaluation.result import Evaluation
    from berryeval.measures import Measure
    from berryeval.suite.settings import Settings

__all__ = [
    "of_ceiling",
    "of_failed",
    "of_losses",
    "of_query",
    "of_rank",
    "of_regression",
    "of_worst",
    "rank_of",
]

_N_QUERIES = 5
_N_RANKS = 10
_N_CHARACTERS = 60


class JudgedRun(Protocol):
    """The part of `berryeval.pytest_plugin.results.Results` that messages show."""

    judgments: Judgments
    run: Run
    queries: Mapping[str, Query]
    settings: Settings

    def titles(self, doc_ids: Collection[str]) -> Mapping[str, str]:
        """Return the titles of documents, if known."""

    def ranking(self, query_id: str, depth: int = 10) -> list[RankedDocument]:
        """Return the first documents of a query, with their grades."""

    def grades(self, query_id: str) -> dict[str, float]:
        """Return the grade of each judged document of a query."""


def of_failed(failures: Mapping[str, SystemUnderTestError], n_queries: int) -> str:
    """Return which queries the system did not answer, and why."""
    lines = [f"  {printable(query_id)}: {error}" for query_id, error in failures.items()]
    more = [f"  and {len(lines) - _N_QUERIES} more"] if len(lines) > _N_QUERIES else []
    failed = f"{len(failures)} of {count_queries(n_queries)} failed in the system under test:"
    return "\n".join([failed, *lines[:_N_QUERIES], *more])


def of_ceiling(results: JudgedRun, measure: Measure, at_least: float) -> list[str]:
    """Return a sentence if no system could reach a threshold with these judgments."""
    guards = [ThresholdGuard(measure, at_least)]
    try:
        check_reachable(results.judgments, guards, queries=results.queries.values())
    except MismatchError as error:
        return [f"{str(error)[0].upper()}{str(error)[1:]}."]
    return []


def of_worst(results: JudgedRun, evaluation: Evaluation, measure: Measure) -> list[str]:
    """List the queries with the worst scores, and other facts about the mean."""
    found = evaluation[str(measure)]
    sign = 1 if measure.higher_is_better else -1
    worst = sorted(found.by_query.items(), key=lambda item: sign * item[1])[:_N_QUERIES]
    width = _width(query_id for query_id, _ in worst)
    lines = [
        f"  {printable(query_id):<{width}}  {value:.4f}  {_text(results, query_id)}".rstrip()
        for query_id, value in worst
    ]
    runs = {"run": evaluation}
    notes = (*map(str, query_notes(runs)), *holes_notes(runs))
    return ["Worst queries:", *lines, *_of_nothing(results), *notes]


def of_losses(
    results: JudgedRun, comparison: Comparison, system: str, measure: Measure
) -> list[str]:
    """List the queries that lost most against the baseline."""
    lost = [c for c in comparison.changes(system, measure) if c.outcome == "worse"]
    if not lost:
        return ["No query lost."]
    shown = lost[:_N_QUERIES]
    width = _width(change.query_id for change in shown)
    lines = [
        f"  {printable(c.query_id):<{width}}  {c.baseline:.4f} -> {c.candidate:.4f}  "
        f"{_text(results, c.query_id)}".rstrip()
        for c in shown
    ]
    rest = "; those that lost most" if len(lost) > len(shown) else ""
    return [
        f"{count_queries(len(lost))} lost{rest}:",
        *lines,
        *_of_nothing(results),
        *of_moves(results, comparison.runs[comparison.baseline], lost[0].query_id, measure),
    ]


def of_moves(results: JudgedRun, baseline: Run, query_id: str, measure: Measure) -> list[str]:
    """List the documents whose moves changed the score of a query, and how to see all."""
    found = explain(results.judgments, baseline, results.run, query_id, measure)
    moves = found.effective[:_N_QUERIES]
    titles = results.titles({move.doc_id for move in moves})
    lines = [
        f"  {printable(move.doc_id)}{_title(titles.get(move.doc_id))}, {_grade_text(move.grade)}: "
        f"{_rank(move.rank_before)} -> {_rank(move.rank_after)}"
        for move in moves
    ]
    more = list(_of_command(results.settings, query_id, measure))
    head = f"Documents that moved for {_name(results, query_id)}:"
    return [head, *lines, *more] if lines else more


def _of_command(settings: Settings, query_id: str, measure: Measure) -> Iterator[str]:
    """Iterate over the lines that name the command which explains a query, if it has its files."""
    files = gate_files(settings)
    if files is None:
        return
    if files.run is None:
        kept = f'be.write_run(berryeval_results.run, "{UNSAVED_RUN}")'
        yield f"To see more, first save the run in a test: {kept}"
    yield f"To see more: {files.explain_command(query_id, measure)}"


def of_regression(
    results: JudgedRun, baseline: Run, query_id: str, found: MeasureResult, before: float
) -> str:
    """Return a message that a query scores lower than with the baseline, with its moves."""
    value = found.by_query[query_id]
    head = f"{_name(results, query_id)}: {found.measure} fell from {before:.4f} to {value:.4f}."
    return "\n".join([head, *of_moves(results, baseline, query_id, found.measure)])


def _of_nothing(results: JudgedRun) -> list[str]:
    """Return the number of queries for which nothing was found, as a sentence."""
    empty = [
        query_id
        for query_id in results.judgments.query_ids
        if not results.run.rows_of(encode_id(query_id))
    ]
    if not empty:
        return []
    shown = ", ".join(map(printable, empty[:_N_QUERIES]))
    more = ", …" if len(empty) > _N_QUERIES else ""
    judged = count_queries(results.judgments.n_queries)
    return [f"{len(empty)} of {judged} returned nothing: {shown}{more}"]


def _title(title: str | None) -> str:
    return f' "{_shortened(title)}"' if title else ""


def _grade_text(grade: float | None) -> str:
    return "unjudged" if grade is None else f"grade {grade:g}"


def _rank(rank: int | None) -> str:
    return "not found" if rank is None else f"rank {rank}"


def of_query(results: JudgedRun, query_id: str, found: MeasureResult, at_least: float) -> str:
    """Return a message that a query scores too low, with its ranking and what it lacks."""
    value = found.by_query[query_id]
    head = f"{_name(results, query_id)}: {found.measure} is {value:.4f}, below {written(at_least)}."
    depth = min(found.measure.k or _N_RANKS, _N_RANKS)
    return "\n".join(
        [head, *_ranking(results, query_id, depth), *_not_found(results, query_id, depth)]
    )


def of_rank(results: JudgedRun, query_id: str, doc_id: str, at_most: int) -> str:
    """Return a message that a document is ranked lower than expected."""
    rank = rank_of(results, query_id, doc_id)
    n_found = len(results.run.ranking(query_id))
    if rank is not None:
        found = f"found it at rank {rank}"
    elif n_found:
        found = f"did not find it in {n_found} document{'s' * (n_found != 1)}"
    else:
        found = "found no documents"
    head = (
        f"{_name(results, query_id)}: expected {printable(doc_id)} at rank {at_most} or better, "
        f"{found}."
    )
    depth = min(max(at_most, _N_RANKS), 2 * _N_RANKS)
    return "\n".join([head, *_ranking(results, query_id, depth, marked=rank)])


def rank_of(results: JudgedRun, query_id: str, doc_id: str) -> int | None:
    """Return the rank of a document, from 1; None if it was not found."""
    ranking = results.run.ranking(query_id)
    return ranking.index(doc_id) + 1 if doc_id in ranking else None


def _ranking(
    results: JudgedRun, query_id: str, depth: int, marked: int | None = None
) -> Sequence[str]:
    """Lay out the first ranks, and the marked one further below."""
    ranking = results.ranking(query_id, max(depth, marked or 0))
    shown = [*ranking[:depth], *ranking[depth:][-1:]]
    if not shown:
        return ["  (no results)"]
    width = max(_width(document.doc_id for document in shown), len("document"))
    lines = [f"  rank  {'document':<{width}}  grade"]
    for document in shown:
        if document.rank > depth + 1:
            lines.append("   ...")
        mark = ">" if document.rank == marked else " "
        name = printable(document.doc_id)
        lines.append(f"{mark} {document.rank:>4}  {name:<{width}}  {_grade(document)}")
    return lines


def _grade(document: RankedDocument) -> str:
    return "unjudged" if document.grade is None else f"{document.grade:g}"


def _not_found(results: JudgedRun, query_id: str, depth: int) -> Sequence[str]:
    """List the best documents that are not among the first: ranked lower, and not found."""
    first = {document.doc_id for document in results.ranking(query_id, depth)}
    missed = [(d, g) for d, g in results.grades(query_id).items() if g > 0 and d not in first]
    missed.sort(key=lambda item: -item[1])
    ranks = {doc_id: rank_of(results, query_id, doc_id) for doc_id, _ in missed}
    lower = [f"{printable(d)} ({g:g}) at {ranks[d]}" for d, g in missed if ranks[d]]
    absent = [f"{printable(d)} ({g:g})" for d, g in missed if not ranks[d]]
    parts = {f"Relevant but below rank {depth}": lower, "Relevant but not found": absent}
    return [
        f"  {title}: {', '.join(names[:_N_QUERIES])}{', …' * (len(names) > _N_QUERIES)}"
        for title, names in parts.items()
        if names
    ]


def _name(results: JudgedRun, query_id: str) -> str:
    text = _text(results, query_id)
    return f"{printable(query_id)} {text}" if text else printable(query_id)


def _text(results: JudgedRun, query_id: str) -> str:
    query = results.queries.get(query_id)
    if query is None:
        return ""
    return f'"{_shortened(query.text)}"'


def _shortened(text: str) -> str:
    words = " ".join(printable(text).split())
    return words if len(words) <= _N_CHARACTERS else words[: _N_CHARACTERS - 1] + "…"


def _width(names: Iterable[str]) -> int:
    return max(len(printable(name)) for name in names)
