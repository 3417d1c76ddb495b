"""The output of commands: files and formats."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from berryeval.core.files import format_of_ending, uncompressed_name, write_whole
from berryeval.reports.results import ENDINGS

if TYPE_CHECKING:
    from berryeval.charts import Chart
    from berryeval.reports.layout import Table

__all__ = [
    "check_outputs",
    "output_options",
    "report_format",
    "report_option",
    "write_chart",
    "write_output",
    "write_tables",
]

Command = TypeVar("Command", bound=Callable[..., Any])


def output_options(formats: Sequence[str]) -> Callable[[Command], Command]:
    """Give a command ``--format``, ``--json`` and ``--output``.

    The command gets `output`, and as `output_format` the format that flags or the name of the file
    request; a table if neither does.
    """
    endings = {ending: name for ending, name in ENDINGS.items() if name in formats}

    def decorate(command: Command) -> Command:
        @wraps(command)
        def call(
            output_format: str | None,
            as_json: bool,
            output: str | None,
            **options: Any,  # noqa: ANN401 - of any command
        ) -> None:
            if as_json and output_format not in (None, "json"):
                raise click.UsageError(f"Choose either --json or --format {output_format}.")
            if output_format is None and not as_json:
                output_format = format_of_ending(output or "", endings, "table", is_strict=True)
            command(output=output, output_format=output_format or "json", **options)

        output = click.option(
            "-o", "--output", metavar="FILE", help="File to write; `-` is standard output."
        )
        as_json = click.option("--json", "as_json", is_flag=True, help="Short for --format json.")
        form = click.option(
            "--format",
            "output_format",
            type=click.Choice(list(formats)),
            help="Output format.  [default: by the extension of FILE "
            f"({', '.join(endings)}), else table]",
        )
        return cast("Command", form(as_json(output(call))))

    return decorate


report_option = click.option(
    "--report",
    "reports",
    multiple=True,
    metavar="FILE",
    help="Also write a report, in the format of its extension: .html, .json, .md, .csv, .xml "
    "(JUnit) or .txt. Repeatable.",
)


def report_format(file: str, formats: Sequence[str]) -> str:
    """Return the format of a report by the extension of its file, which must have a known one."""
    endings = {ending: name for ending, name in ENDINGS.items() if name in formats}
    endings[".txt"] = "table"
    ending = os.path.splitext(uncompressed_name(file))[1].lower()  # noqa: PTH122
    if ending not in endings:
        known = ", ".join(sorted(endings))
        raise click.UsageError(f"--report takes names that end in {known}, not {file!r}.")
    return endings[ending]


def check_outputs(names: Iterable[str | None]) -> None:
    """Reject two outputs in one file: the second would replace the first.

    Files are compared by device and inode, or by path if they do not exist yet. Standard output
    and devices may be named several times.
    """
    seen: set[object] = set()
    for name in names:
        file = None if name is None or name == "-" else _identity(name)
        if file is not None and file in seen:
            raise click.UsageError(f"Two outputs use the same file, {name!r}; give each its own.")
        seen.add(file)


def _identity(name: str) -> object:
    """Return a value that all names of a file share; None for a device or a pipe."""
    try:
        found = os.stat(name)  # noqa: PTH116 - pathlib is slow to import
    except OSError:  # not there yet
        return os.path.realpath(name)
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None


def write_output(text: str, output: str | None) -> None:
    """Write a result to a file, whole or not at all, or to standard output."""
    if output in (None, "-"):
        click.echo(text, nl=False)
    else:
        assert output is not None
        write_whole(output, [text.encode("utf-8", "surrogateescape")])
        _announce(output)


def write_chart(chart: Chart, format: str, output: str | None) -> None:
    """Write a chart as svg or png to a file, or to standard output."""
    drawn = chart.to_png() if format == "png" else f"{chart.to_svg()}\n".encode()
    write_whole(output or "-", [drawn])
    _announce(output)


def _announce(output: str | None) -> None:
    """Report a file that was written, to a person who would otherwise see nothing."""
    if output is not None and os.path.isfile(output) and sys.stderr.isatty():  # noqa: PTH113
        click.echo(f"Wrote {output}", err=True)


def write_tables(tables: list[Table], output: str | None, output_format: str) -> None:
    """Write tables to a file, or show them on the terminal."""
    from berryeval.reports.layout import tables_to_text
    from berryeval.reports.markdown import tables_to_markdown
    from berryeval.reports.terminal import show_tables

    if output_format == "markdown":
        write_output(tables_to_markdown(tables), output)
    elif output is not None:
        write_output(tables_to_text(tables), output)
    else:
        show_tables(tables)
