"""``berryeval init``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from berryeval.core.files import write_whole
from berryeval.errors import ArgumentError

if TYPE_CHECKING:
    from berryeval.suite.new_project import Findings

__all__ = ["command"]

_PAIR = 2


@click.command("init")
@click.argument("folder", metavar="[FOLDER]", default=".")
@click.option("--print", "is_printed", is_flag=True, help="Only print the file.")
@click.option("--force", is_flag=True, help="Replace an existing berryeval.toml.")
def command(folder: str, is_printed: bool, force: bool) -> None:
    """Write a berryeval.toml for what FOLDER contains.

    Looks for a golden set, judgments, queries, runs, a baseline, and a Python function that
    searches, in FOLDER (default: the working directory) and its subfolders. Files are recognised by
    their content; Python files are parsed, but not run.

    \b
    berryeval init
    berryeval init --print
    """
    from berryeval.suite.new_project import inspect_folder, to_toml
    from berryeval.suite.settings import FILE_NAME

    if not Path(folder).is_dir():
        raise ArgumentError("FOLDER", "an existing folder", repr(folder))
    found = inspect_folder(folder)
    text = to_toml(found)
    if is_printed:
        click.echo(text, nl=False)
        return
    path = Path(folder) / FILE_NAME
    if path.exists() and not force:
        raise ArgumentError(str(path), "no such file yet", "one; --force replaces it")
    for line in _listed(found):
        click.echo(line)
    write_whole(str(path), [text.encode()])
    click.echo(f"Wrote {path}. {_next_step(found)}")


def _listed(found: Findings) -> Iterator[str]:
    parts = {
        "judgments": found.judgments,
        "queries": found.queries,
        "documents": found.documents,
        "run": found.runs,
        "baseline": found.baselines,
        "system": found.systems,
    }
    width = max(map(len, parts))
    for name, values in parts.items():
        yield f"{name:<{width}}  {', '.join(values) or 'none found'}"


def _next_step(found: Findings) -> str:
    if not found.judgments:
        return (
            "There are no judgments yet: berryeval golden init creates a golden set from your "
            "documents."
        )
    if not (found.runs or found.systems):
        return (
            "Next: name your search engine as system = ..., or write a run with berryeval retrieve."
        )
    if not found.baselines and len(found.runs) < _PAIR:
        return "Next: berryeval gate, and berryeval baseline save for margins."
    return "Next: berryeval gate"
