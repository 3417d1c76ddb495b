"""``berryeval init``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from berryeval.core.files import write_whole
from berryeval.errors import ArgumentError

if TYPE_CHECKING:
    from berryeval.suite.ci_jobs import CiService
    from berryeval.suite.new_project import Findings

__all__ = ["command"]

_PAIR = 2


@click.command("init")
@click.argument("folder", metavar="[FOLDER]", default=".")
@click.option(
    "--system",
    metavar="SYSTEM",
    help="System under test, as in `berryeval retrieve`.  [default: what FOLDER contains]",
)
@click.option(
    "--ci",
    type=click.Choice(["github", "gitlab"]),
    help="Also write a job that runs the gate on every change.",
)
@click.option("--print", "is_printed", is_flag=True, help="Only print berryeval.toml.")
@click.option("--force", is_flag=True, help="Replace existing files.")
def command(
    folder: str, system: str | None, ci: CiService | None, is_printed: bool, force: bool
) -> None:
    """Write a berryeval.toml for what FOLDER contains.

    Looks for a golden set, judgments, queries, runs, a baseline, and a Python function or retriever
    that searches, in FOLDER (default: the working directory) and its subfolders. Files are
    recognised by their content; Python files are parsed, but not run.

    \b
    berryeval init
    berryeval init --system my_app:retriever --ci github
    berryeval init --print
    """
    from berryeval.suite.ci_jobs import job_for
    from berryeval.suite.new_project import inspect_folder, to_toml
    from berryeval.suite.settings import FILE_NAME

    if system is not None:
        from berryeval.search.opening import check_no_secret

        check_no_secret(system, "--system")  # the file is meant for version control
    if not Path(folder).is_dir():
        raise ArgumentError("FOLDER", "an existing folder", repr(folder))
    found = inspect_folder(folder)
    if system is not None:
        others = (one for one in found.systems if one != system)
        found = replace(found, runs=(), systems=(system, *others))
    text = to_toml(found)
    if is_printed:
        click.echo(text, nl=False)
        return
    files = {Path(folder) / FILE_NAME: text}
    if ci is not None:
        job = job_for(ci, Path(folder))
        files[job.path] = job.text
    for path in files:
        if path.exists() and not force:
            raise ArgumentError(str(path), "no such file yet", "one; --force replaces it")
    for line in _listed(found):
        click.echo(line)
    for path, content in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(str(path), [content.encode()])
    click.echo(f"Wrote {' and '.join(map(str, files))}. {_next_step(found)}")


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
            "documents. If a file should have been found, berryeval inspect FILE shows why not."
        )
    if not (found.runs or found.systems):
        return (
            "Next: name your search with berryeval init --force --system my_app:search, or write a "
            "run with berryeval retrieve."
        )
    if not found.baselines and len(found.runs) < _PAIR:
        return "Next: berryeval baseline save, and after a change berryeval gate."
    return "Next: berryeval gate"
