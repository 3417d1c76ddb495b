"""The page of a quality result: the verdict, thresholds, slices, and every query."""

from __future__ import annotations

from typing import TYPE_CHECKING

from berryeval.core.id_column import encode_id
from berryeval.evaluation.figures import score
from berryeval.reports.html.document import document
from berryeval.reports.html.guards import badge, guards_part
from berryeval.reports.html.markup import escaped, figure_text, notes_to_html, table_to_html
from berryeval.reports.layout import Table
from berryeval.reports.quality import quality_notes, quality_sentence, quality_tables, queries_table
from berryeval.reports.wording import count

if TYPE_CHECKING:
    from berryeval.evaluation.quality import QueryResult
    from berryeval.suite.quality import QualityResult

__all__ = ["quality_to_html"]

_MAX_QUERIES = 500


def quality_to_html(result: QualityResult) -> str:
    """Return a page of one file."""
    _, *others = quality_tables(result)
    tables = [*others, queries_table(result)]
    parts = "".join(
        f'<section class="part"><h2>{escaped(table.title)}</h2>{table_to_html(table)}</section>'
        for table in tables
    )
    parts += f'<section class="part"><h2>Rankings</h2>{_rankings(result)}</section>'
    guards = f'<section class="part" id="guards"><h2>Thresholds</h2>{guards_part(result.gate)}'
    body = (
        _hero(result)
        + _numbers(result)
        + f"{guards}{notes_to_html(quality_notes(result))}</section>{parts}"
    )
    return document(f"{result.system} on {result.golden.name} · BerryEval", body)


def _hero(result: QualityResult) -> str:
    queries = count(result.report.total_queries, "query", "queries")
    about = f"{result.system} on {result.golden.name} {result.golden.version} · {queries}"
    return (
        f'<div class="hero"><p class="eyebrow">{escaped(about)}</p>'
        f"{badge(result.gate.verdict)}<h1>{escaped(figure_text(quality_sentence(result)))}</h1></div>"
    )


def _numbers(result: QualityResult) -> str:
    report = result.report
    tiles = [
        ("MRR", "RR@10", report.mrr),
        ("P@5", "P@5", report.precision_at_5),
        ("R@10", "R@10", report.recall_at_10),
        ("P@10", "P@10", report.precision_at_10),
    ]
    cells = "".join(
        f'<div><dt>{name}</dt><dd><div class="figure">{score(value)}</div>'
        f'<div class="beside">{_limits(result, measure)}</div></dd></div>'
        for name, measure, value in tiles
    )
    return f'<dl class="numbers">{cells}</dl>'


def _limits(result: QualityResult, name: str) -> str:
    (measure,) = map(str, result.golden.at_level(name))
    guard = result.thresholds.get(measure)
    wanted = "no threshold" if guard is None else f"at least {guard.limit:g}"
    limits = f"{wanted} · best possible {score(result.ceilings[measure])}"
    if result.without_questions is None:
        return limits
    return f"without questions {score(result.without_questions[measure].mean)} · {limits}"


def _rankings(result: QualityResult) -> str:
    """Return the collapsed results of every query; only the first if there are very many."""
    shown = result.query_results[:_MAX_QUERIES]
    left_out = len(result.query_results) - len(shown)
    note = [f"Queries left out: {left_out:,}. JSON has them all."] if left_out else []
    return "".join(_ranking(result, one) for one in shown) + notes_to_html(note)


def _ranking(result: QualityResult, one: QueryResult) -> str:
    grades = result.golden.judgments.grades_of(encode_id(one.query_id))
    rows = []
    for rank, chunk_id in enumerate(one.retrieved, start=1):
        grade = grades.get(encode_id(chunk_id))
        rows.append((str(rank), chunk_id, "not judged" if grade is None else f"{grade:g}"))
    missed = [chunk_id for chunk_id in result.golden.relevant_of(one.query_id)
              if chunk_id not in one.retrieved]  # fmt: skip
    notes = (f"Relevant but not found: {', '.join(missed)}.",) if missed else ()
    table = Table(f"Hits of {one.query_id}", ("rank", "chunk", "grade"), tuple(rows), notes, 2)
    failure = result.failures.get(one.query_id)
    content = table_to_html(table) if failure is None else notes_to_html([str(failure)])
    return (
        f"<details><summary>{escaped(f'{one.query_id} {one.query}')}</summary>{content}</details>"
    )
