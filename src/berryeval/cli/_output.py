"""Where a result goes, and in which form: options of the commands that print one."""

from __future__ import annotations

import os

import click

from berryeval.core.files import uncompressed_name, write_whole
from berryeval.errors import ArgumentError

__all__ = [
    "choose_format",
    "format_option",
    "json_option",
    "output_option",
    "run_names",
    "write_text",
]

format_option = click.option(
    "--format",
    "output_format",
    type=click.Choice(["table", "csv", "json"]),
    help="How to print.  [default: what the name of FILE says (.csv, .json), else table]",
)

json_option = click.option("--json", "as_json", is_flag=True, help="Short for --format json.")

output_option = click.option(
    "-o", "--output", metavar="FILE", help="Write to a file instead; `-` is standard output."
)


def choose_format(output_format: str | None, as_json: bool, output: str | None) -> str:
    """Return the format that the flags, else the name of the file, ask for."""
    if as_json and output_format not in (None, "json"):
        raise click.UsageError(f"Give --json or --format {output_format}, not both.")
    ending = os.path.splitext(uncompressed_name(output or ""))[1].lower()  # noqa: PTH122
    by_name = {".json": "json", ".csv": "csv"}.get(ending, "table")
    return "json" if as_json else output_format or by_name


def write_text(text: str, output: str | None) -> None:
    """Write text to a file, or to standard output if that is None or ``-``."""
    if output is None or output == "-":
        click.echo(text, nl=False)
    else:
        write_whole(output, [text.encode("utf-8", "surrogateescape")])


def run_names(paths: tuple[str, ...]) -> list[str]:
    """Call runs by the names of their files, or by their paths where names are alike."""
    names = [os.path.basename(path) for path in paths]  # noqa: PTH119 - pathlib is slow to import
    if len(set(paths)) < len(paths):
        raise ArgumentError("RUN", "each run once", ", ".join(paths))
    return names if len(set(names)) == len(names) else list(paths)
