"""Output for people: with Rich on a terminal, in plain text elsewhere.

Rich is imported only if there is a terminal, so that pipes need not wait for it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from berryeval.reports.layout import Section, Table, section_to_text, table_to_text

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["show_sections", "show_table", "show_tables"]

_GAP = 2
"""Number of spaces between columns, as in plain text."""


def show_tables(tables: Iterable[Table]) -> None:
    """Write tables to standard output, a blank line between them."""
    for number, table in enumerate(tables):
        if number:
            sys.stdout.write("\n")
        show_table(table)


def show_table(table: Table) -> None:
    """Write a table to standard output."""
    if not sys.stdout.isatty():
        sys.stdout.write(table_to_text(table) + "\n")
        return
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    table = _printable(table)
    console = _console()
    if table.title:
        console.print(Text(table.title, style="bold"))
        console.print()
    widths, blocks = _layout(table, console.width)
    for number, columns in enumerate(blocks):
        if number:
            console.print()
        shown = RichTable(
            box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, _GAP - 1, 0, 0)
        )
        for i_column in columns:
            shown.add_column(
                table.header[i_column],
                justify="left" if i_column < table.n_keys else "right",
                width=widths[i_column],
                overflow="fold",
            )
        for row in table.rows:
            shown.add_row(*(row[i_column] for i_column in columns))
        console.print(shown)
    if table.notes:
        console.print()
    for note in table.notes:
        # A command that Rich wraps could not be copied.
        console.print(note, style="dim", soft_wrap="`" in note)


def _printable(table: Table) -> Table:
    """Return the table without control sequences for the terminal."""
    from berryeval.core.text import printable

    return table._replace(
        title=printable(table.title),
        header=tuple(map(printable, table.header)),
        rows=tuple(tuple(map(printable, row)) for row in table.rows),
        notes=tuple(map(printable, table.notes)),
    )


def _layout(table: Table, available: int) -> tuple[list[int], list[list[int]]]:
    """Return widths of columns, and blocks of them that fit.

    Keys are folded to as little as a third of the screen, if that saves blocks, and no further
    than needed.
    """
    from rich.cells import cell_len

    columns = list(zip(table.header, *table.rows, strict=True))
    wanted = [max(map(cell_len, column)) for column in columns]
    figures = [max(map(cell_len, column[1:]), default=0) for column in columns]
    layouts = []
    for for_keys in range(available, available // 3 - 1, -1):
        widths = _widths(wanted, figures, table.n_keys, available, for_keys)
        layouts.append((widths, _blocks(table, widths, available)))
    return min(layouts, key=lambda layout: len(layout[1]))


def _widths(
    wanted: list[int], figures: list[int], n_keys: int, available: int, for_keys: int
) -> list[int]:
    """Return a width for each column so that the keys and any one of the others fit.

    Long words of keys and headers are folded for that; figures never are.
    """
    widths = wanted.copy()
    room = available - _frame(n_keys + 1)
    for_keys = min(for_keys, room - max(figures[n_keys:], default=0))
    while sum(widths[:n_keys]) > for_keys and max(widths[:n_keys]) > 1:
        widest = max(range(n_keys), key=widths.__getitem__)
        widths[widest] -= 1
    for_others = room - sum(widths[:n_keys])
    others = range(n_keys, len(widths))
    return widths[:n_keys] + [max(figures[i], min(widths[i], for_others)) for i in others]


def _blocks(table: Table, widths: list[int], available: int) -> list[list[int]]:
    """Split the columns into blocks that fit; each has the keys."""
    keys = list(range(table.n_keys))
    blocks = [keys.copy()]
    for i_column in range(table.n_keys, len(widths)):
        wanted = [*blocks[-1], i_column]
        is_too_wide = sum(widths[i] for i in wanted) + _frame(len(wanted)) > available
        if is_too_wide and len(blocks[-1]) > table.n_keys:
            blocks.append([*keys, i_column])
        else:
            blocks[-1] = wanted
    return blocks


def _frame(n_columns: int) -> int:
    """Return the width of the gaps between columns."""
    return _GAP * (n_columns - 1)


def show_sections(sections: Iterable[Section]) -> None:
    """Write sections to standard output, a blank line between them; many of them in a pager."""
    if not sys.stdout.isatty():
        sys.stdout.write("\n\n".join(map(section_to_text, sections)) + "\n")
        return
    from rich.table import Table as Grid
    from rich.text import Text

    console = _console()
    with console.capture() as captured:
        for number, section in enumerate(sections):
            if number:
                console.print()
            console.print(Text(section.heading, style="bold"))
            grid = Grid.grid(padding=(0, 2, 0, 0))
            grid.add_column(style="cyan", no_wrap=True)
            grid.add_column(max_width=88, overflow="fold")
            for label, text in section.entries:
                grid.add_row(f"  {label}", Text(text))
            console.print(grid)
    _page(captured.get(), console)


def _page(text: str, console: Console) -> None:
    """Write text that fits the screen; pass longer text to the user's pager."""
    if text.count("\n") < console.height or not sys.stdin.isatty():
        sys.stdout.write(text)
        return
    import click

    click.echo_via_pager(text, color=console.color_system is not None)


def _console() -> Console:
    from rich.console import Console

    return Console(highlight=False, markup=False)
