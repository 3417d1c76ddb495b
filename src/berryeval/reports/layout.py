"""Tables and sections, and their plain forms: text, CSV and JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

__all__ = [
    "Section",
    "Table",
    "csv_text",
    "json_text",
    "section_to_text",
    "table_to_text",
    "tables_to_text",
]

TEXT_WIDTH = 80


class Table(NamedTuple):
    """Rows under a header. The first columns identify a row and are text, others are numbers."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()
    n_keys: int = 1
    """The number of columns that identify a row."""


class Section(NamedTuple):
    """A heading, and labelled paragraphs below it."""

    heading: str
    entries: tuple[tuple[str, str], ...]


def table_to_text(table: Table) -> str:
    """Return the table in plain characters, the same in every pipe."""
    rows = (table.header, *table.rows)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [table.title, ""] if table.title else []
    for row in rows:
        cells = [
            f"{cell:<{width}}" if i_column < table.n_keys else f"{cell:>{width}}"
            for i_column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    if table.notes:
        lines += ["", *table.notes]
    return "\n".join(lines)


def tables_to_text(tables: Iterable[Table]) -> str:
    """Return tables in plain characters, with an empty line between them."""
    return "\n\n".join(map(table_to_text, tables)) + "\n"


def csv_text(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return lines of CSV; None is empty."""
    import csv  # slow to import, and not needed for a table
    import io

    output = io.StringIO()
    writer = csv.writer(output, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return output.getvalue()


def json_text(shape: object) -> str:
    """Return a JSON document; NaN and infinity are errors."""
    import json  # as above

    return json.dumps(shape, indent=2, allow_nan=False) + "\n"


def section_to_text(section: Section) -> str:
    """Return the section in plain characters, 80 columns wide."""
    import textwrap  # slow to import, and rarely needed

    indent = 2 + max(len(label) for label, _ in section.entries) + 2
    lines = [section.heading]
    for label, text in section.entries:
        lines += textwrap.wrap(
            text,
            TEXT_WIDTH,
            initial_indent=f"  {label}".ljust(indent),
            subsequent_indent=" " * indent,
            break_on_hyphens=False,
            break_long_words=False,  # a hash or a path is copied whole
        )
    return "\n".join(lines)
