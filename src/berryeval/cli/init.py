"""``berryeval init``."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from berryeval.core.files import refuse_existing, write_whole
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

    Looks for a golden set, judgments, queries, runs, a baseline, and a search, in FOLDER (default:
    the working directory) and its subfolders. Files are recognised by their content; Python files
    are parsed, but not run. A search is a function such as search(query, top_k), an object or a
    class with such a method that is created without arguments, or a function without parameters
    that returns an object of such a class.

    A job for CI is written at the root of the Git repository, and runs in FOLDER. It is written
    once there are judgments and a search; until then, repeat the command.

    \b
    berryeval init
    berryeval init --system my_app:retriever --ci github
    berryeval init --print
    """
    from berryeval.suite.ci_jobs import job_for
    from berryeval.suite.new_project import to_toml
    from berryeval.suite.settings import FILE_NAME

    found = _findings(folder)
    if system is not None:
        found = _with_system(found, system)
    text = to_toml(found)
    if is_printed:
        click.echo(text, nl=False)
        return
    job = None if ci is None or not found.is_complete else job_for(ci, Path(folder))
    files = {Path(folder) / FILE_NAME: text}
    if job is not None:
        if system is None and not force and not job.path.exists():
            files = {path: content for path, content in files.items() if not _is_kept(path)}
        files[job.path] = job.text
    if not force:
        _check_new(files)
    for line in _listed(found):
        click.echo(line)
    for path, content in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(str(path), [content.encode()])
    click.echo(f"Wrote {' and '.join(map(str, files))}. {_next_step(found)}")
    if ci is not None:
        click.echo("\n".join(_about(job)))


def _is_kept(path: Path) -> bool:
    """Whether a file exists that is not replaced without --force."""
    from berryeval.suite.new_project import is_incomplete

    return path.exists() and not is_incomplete(path.read_text("utf-8", "replace"))


def _with_system(found: Findings, system: str) -> Findings:
    """Return the findings with the system that the user named.

    Raises `ArgumentError` for an address with a password, and for a class whose objects cannot be
    created without arguments.
    """
    from berryeval.search.opening import check_no_secret

    check_no_secret(system, "--system")  # the file is meant for version control
    for one in found.unready:
        if one.place == system:
            function = " ".join(one.factory.split())
            raise ArgumentError(
                "--system",
                "a search that can be created without arguments",
                f"{system}, which requires {', '.join(one.arguments)}; add a function to "
                f"{one.file}, such as {function}, and name {one.factory_place}",
            )
    others = (one for one in found.systems if one != system)
    return replace(found, runs=(), systems=(system, *others))


def _findings(folder: str) -> Findings:
    """Look into a folder. Raises if questions in it have to be converted first."""
    from berryeval.suite.new_project import inspect_folder

    if not Path(folder).is_dir():
        raise ArgumentError("FOLDER", "an existing folder", repr(folder))
    found = inspect_folder(folder)
    _check_converted(found, folder)
    return found


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
        if _is_kept(path):
            refuse_existing(path)


def _about(job: CiJob | None) -> Iterator[str]:
    if job is None:
        yield "The job for CI is written once there are judgments and a search."
        return
    if job.include:
        yield f"Add this line to .gitlab-ci.yml: {job.include}"
    if job.folder:
        yield f"CI reads jobs only at the root of the repository; this one runs in {job.folder}."
    yield "Commit these files, and baseline.json once it is saved, and add /gate.* to .gitignore."


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
    if not found.systems:
        for one in found.unready:
            needed = ", ".join(one.arguments)
            yield f"{'':<{width}}  {one.place} has {one.method}, but requires {needed}"
    if found.small_set is not None:
        yield f'{found.small_set} So berryeval.toml has inference = "set", with a comment.'


def _next_step(found: Findings) -> str:
    if not found.judgments:
        return (
            "There are no judgments yet: berryeval golden init creates a golden set from your "
            "documents. If a file should have been found, berryeval inspect FILE shows why not."
        )
    if not (found.runs or found.systems):
        if found.unready:
            first = found.unready[0]
            function = "\n".join(f"    {line}" for line in first.factory.splitlines())
            return (
                f"Next: add this function to {first.file}, and repeat the command:\n\n{function}\n"
            )
        return (
            "Next: name your search with berryeval init --system my_app:search, or write a run "
            "with berryeval retrieve."
        )
    if not found.baselines and len(found.runs) < _PAIR:
        return "Next: berryeval baseline save, and after a change berryeval gate."
    return "Next: berryeval gate"
