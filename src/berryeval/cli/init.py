"""``berryeval init``."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from berryeval.core.files import write_whole
from berryeval.errors import ArgumentError

if TYPE_CHECKING:
    from berryeval.suite.ci_jobs import CiJob, CiService
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

    Looks for a golden set, judgments, queries, runs, a baseline, and a Python function, class or
    retriever that searches, in FOLDER (default: the working directory) and its subfolders. Files
    are recognised by their content; Python files are parsed, but not run. A job for CI is written
    at the root of the Git repository, and runs in FOLDER.

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
    _check_converted(found, folder)
    if system is not None:
        others = (one for one in found.systems if one != system)
        found = replace(found, runs=(), systems=(system, *others))
    text = to_toml(found)
    if is_printed:
        click.echo(text, nl=False)
        return
    files = {Path(folder) / FILE_NAME: text}
    job = None if ci is None else job_for(ci, Path(folder))
    if job is not None:
        files[job.path] = job.text
    if not force:
        _check_new(files)
    for line in _listed(found):
        click.echo(line)
    for path, content in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(str(path), [content.encode()])
    click.echo(f"Wrote {' and '.join(map(str, files))}. {_next_step(found)}")
    if job is not None:
        click.echo("\n".join(_about(job)))


def _check_converted(found: Findings, folder: str) -> None:
    """Raise if the only judgments are in a file of questions, which has to be converted first."""
    if found.judgments or not found.questions:
        return
    file = found.questions[0]
    source, target = (shlex.quote(os.path.join(folder, one)) for one in (file, "golden"))  # noqa: PTH118
    if folder == ".":
        source, target = shlex.quote(file), "golden"
    way_out = f"convert them first: berryeval dataset {source} {target}"
    got = f"questions with expected documents in {file}; {way_out}"
    raise ArgumentError("judgments", "judgments and queries", got)


def _check_new(files: Iterable[Path]) -> None:
    for path in files:
        if path.exists():
            raise ArgumentError(str(path), "no such file yet", "one; --force replaces it")


def _about(job: CiJob) -> Iterator[str]:
    if job.include:
        yield f"Add this line to .gitlab-ci.yml: {job.include}"
    if job.folder:
        yield f"CI reads jobs only at the root of the repository; this one runs in {job.folder}."
    yield "Commit these files, and baseline.json once it is saved."


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
