"""A simple page of tables, such as those of evaluations."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from berryeval.reports.html.document import document
from berryeval.reports.html.markup import escaped, notes_to_html, table_to_html
from berryeval.reports.layout import Table

__all__ = ["tables_to_html"]

_MOST_ROWS = 5_000


def tables_to_html(heading: str, tables: Iterable[Table], title: str | None = None) -> str:
    """Return a page with tables under one heading; of very long ones the first 5,000 rows."""
    parts = "".join(
        f'<section class="part"><h2>{escaped(table.title or "Means")}</h2>{_shown(table)}</section>'
        for table in tables
    )
    body = f'<div class="hero"><h1>{escaped(heading)}</h1></div>{parts}'
    return document(title or f"{heading} · BerryEval", body)


def _shown(table: Table) -> str:
    left_out = len(table.rows) - _MOST_ROWS
    shown = replace(table, title=table.title or "Means", rows=table.rows[:_MOST_ROWS])
    note = [f"Rows left out: {left_out:,}. CSV has them all."] if left_out > 0 else []
    return table_to_html(shown) + notes_to_html(note)
