"""Showing things to people: with Rich on a terminal, in plain text anywhere else.

Rich is imported only when there is a terminal: a pipe need not wait for it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from berryeval.reports.layout import Section, Table, section_to_text, table_to_text

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["show_sections", "show_table"]


def show_table(table: Table) -> None:
    """Write a table to standard output."""
    if not sys.stdout.isatty():
        sys.stdout.write(table_to_text(table) + "\n")
        return
    from rich import box
    from rich.table import Table as RichTable

    shown = RichTable(title=table.title, title_justify="left", box=box.SIMPLE_HEAD)
    for i_column, name in enumerate(table.header):
        shown.add_column(name, justify="left" if i_column == 0 else "right", no_wrap=True)
    for row in table.rows:
        shown.add_row(*row)
    console = _console()
    console.print(shown)
    for note in table.notes:
        console.print(note, style="dim")


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
    """Write text that fits the screen; hand longer text to the reader's pager."""
    if text.count("\n") < console.height or not sys.stdin.isatty():
        sys.stdout.write(text)
        return
    import click

    click.echo_via_pager(text, color=console.color_system is not None)


def _console() -> Console:
    from rich.console import Console

    return Console(highlight=False, markup=False)
