"""The page of a quality result: the verdict, thresholds, slices, and every query."""

from __future__ import annotations

from typing import TYPE_CHECKING

from berryeval.reports.figures import score
from berryeval.reports.html.document import document
from berryeval.reports.html.guards import badge, guards_part
from berryeval.reports.html.markup import escaped, figure_text, notes_to_html, table_to_html
from berryeval.reports.quality import (
    quality_notes,
    quality_sentence,
    quality_tables,
    queries_table,
)
from berryeval.reports.wording import count

if TYPE_CHECKING:
    from berryeval.suite.quality import QualityResult

__all__ = ["quality_to_html"]


def quality_to_html(result: QualityResult) -> str:
    """Return a page of one file."""
    _, *others = quality_tables(result)
    tables = [*others, queries_table(result)]
    parts = "".join(
        f'<section class="part"><h2>{escaped(table.title)}</h2>{table_to_html(table)}</section>'
        for table in tables
    )
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
    limits = {guard.name.partition(" ")[0]: guard.limit for guard in result.gate.guards}
    tiles = [
        ("MRR", report.mrr, limits.get("RR@10")),
        ("P@5", report.precision_at_5, limits.get("P@5")),
        ("R@10", report.recall_at_10, limits.get("R@10")),
        ("P@10", report.precision_at_10, limits.get("P@10")),
    ]
    cells = "".join(
        f'<div><dt>{name}</dt><dd><div class="figure">{score(value)}</div>'
        f'<div class="beside">{"no threshold" if limit is None else f"at least {limit:g}"}</div>'
        "</dd></div>"
        for name, value, limit in tiles
    )
    return f'<dl class="numbers">{cells}</dl>'
