"""Text, tables and marks as HTML. All data is escaped here."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable

from berryeval.core.text import printable
from berryeval.evaluation.figures import DASH
from berryeval.reports.layout import Table

__all__ = ["escaped", "figure_text", "json_script", "notes_to_html", "scroll_box", "table_to_html"]

_FOR_SCRIPT = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}


def escaped(text: object) -> str:
    """Return text escaped for an element or an attribute."""
    return html.escape(printable(text))


def figure_text(text: str) -> str:
    """Return a figure with real minus signs, or a dash where there is none."""
    return "\u2013" if text == DASH else re.sub(r"(?<!\w)-(?=\d)", "\u2212", text)


def json_script(element_id: str, value: object) -> str:
    """Return data for a script, escaped so that it cannot end its element."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    safe = printable(text).translate(_FOR_SCRIPT)
    return f'<script type="application/json" id="{element_id}">{safe}</script>'


def notes_to_html(notes: Iterable[str]) -> str:
    """Return notes as small paragraphs, with what is between backticks as code."""
    return "".join(f'<p class="note">{_with_code(note)}</p>' for note in notes)


def _with_code(note: str) -> str:
    return re.sub("`(.+?)`", r"<code>\1</code>", escaped(note))


def table_to_html(table: Table, *, with_notes: bool = True) -> str:
    """Return a table in a scrollable box, with its notes below."""
    head = "".join(
        f'<th scope="col"{_is_figure(i, table)}>{escaped(name) or _HIDDEN}</th>'
        for i, name in enumerate(table.header)
    )
    body = "".join(f"<tr>{_cells(row, table)}</tr>" for row in table.rows)
    notes = notes_to_html(table.notes) if with_notes else ""
    size = ' class="dense"' if len(table.header) > _ROOMY_COLUMNS else ""
    rows = f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody>"
    return scroll_box(table.title, rows, size) + notes


def scroll_box(title: str, inside: str, attributes: str = "") -> str:
    """Return a table in a box that can be scrolled with the keyboard."""
    label = escaped(title)
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{label}, table">'
        f"<table{attributes}><caption>{label}</caption>{inside}</table></div>"
    )


_ROOMY_COLUMNS = 8
"""With more columns, a table gets a smaller font, so that the last ones are visible."""
_HIDDEN = '<span class="unseen">measure</span>'


def _is_figure(i_column: int, table: Table) -> str:
    return "" if i_column < table.n_keys else ' class="n"'


def _cells(row: tuple[str, ...], table: Table) -> str:
    keys = "".join(f'<th scope="row">{escaped(cell)}</th>' for cell in row[: table.n_keys])
    figures = row[table.n_keys :]
    return keys + "".join(
        f'<td class="{"n words" if cell[:1].isalpha() else "n"}">{escaped(figure_text(cell))}</td>'
        for cell in figures
    )
