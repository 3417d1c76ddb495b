"""The page of evaluations: runs side by side."""

from __future__ import annotations

from dataclasses import replace

from berryeval.reports.evaluation import Evaluations, evaluations_table, per_query_table
from berryeval.reports.html.document import document
from berryeval.reports.html.markup import escaped, notes_to_html, table_to_html
from berryeval.reports.wording import count, listing

__all__ = ["evaluations_to_html"]

_MOST_ROWS = 5_000


def evaluations_to_html(
    runs: Evaluations, title: str | None = None, *, per_query: bool = False
) -> str:
    """Return a page with the means of each run, and every query if asked for."""
    names = listing(list(runs))
    means = replace(evaluations_table(runs), title="Means")
    n_queries = max(run.n_queries for run in runs.values())
    body = (
        f'<div class="hero"><p class="eyebrow">{count(n_queries, "query", "queries")}</p>'
        f'<h1>{escaped(names)}</h1></div><section class="part" id="means"><h2>Means</h2>'
        f"{table_to_html(means)}</section>"
    )
    if per_query:
        table = replace(per_query_table(runs), title="Queries")
        left_out = len(table.rows) - _MOST_ROWS
        shown = replace(table, rows=table.rows[:_MOST_ROWS])
        note = [f"{left_out:,} rows more are left out; CSV has them all."] if left_out > 0 else []
        body += (
            f'<section class="part" id="queries"><h2>Queries</h2>'
            f"{table_to_html(shown, with_notes=False)}{notes_to_html(note)}</section>"
        )
    return document(title or f"{names} · BerryEval", body)
