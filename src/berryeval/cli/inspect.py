"""``berryeval inspect``."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from berryeval.errors import BerryEvalError, FormatError
from berryeval.formats.facts import FileFacts, read_facts
from berryeval.formats.rows import written
from berryeval.reports.layout import Section, json_text
from berryeval.reports.terminal import show_sections

if TYPE_CHECKING:
    from berryeval.core.column_names import Kind

__all__ = ["command"]

JSON_VERSION = 1


@click.command("inspect")
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option(
    "--kind",
    type=click.Choice(["judgments", "run"]),
    help="Content of the files.  [default: detected from the first line]",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(files: tuple[str, ...], kind: Kind | None, as_json: bool) -> None:
    """Show what files of judgments and runs contain.

    Reports format, queries, documents per query, range of grades or scores, ties, duplicates and
    hash, and warns about scores that look wrong: distances, scores that contradict the ranks, or
    scores that are all equal. `-` is standard input.

    \b
    berryeval inspect qrels.txt bm25.run
    """
    facts = [_read(path, kind) for path in files]
    if as_json:
        shape = {"version": JSON_VERSION, "kind": "inspection", "files": [*map(_to_json, facts)]}
        click.echo(json_text(shape), nl=False)
    else:
        show_sections(map(_to_section, facts))


def _read(path: str, kind: Kind | None) -> FileFacts:
    """Read the facts of a file. An error about a file of questions says how to convert it."""
    try:
        return read_facts(path, kind=kind)
    except FormatError as error:
        if path == "-" or not _has_questions(path):
            raise
        import shlex

        way_out = f"convert it: berryeval dataset {shlex.quote(path)} FOLDER"
        message = f"has questions with expected documents; {way_out}"
        raise FormatError(message, path) from error


def _has_questions(path: str) -> bool:
    from berryeval.formats.datasets import has_expected_documents

    try:
        return has_expected_documents(path)
    except BerryEvalError:
        return False


def _to_json(facts: FileFacts) -> dict[str, object]:
    """Return the facts; JSON has no infinite scores."""
    ends = {"lowest": facts.lowest, "highest": facts.highest}
    finite = {name: end if math.isfinite(end) else None for name, end in ends.items()}
    return asdict(facts) | finite


def _to_section(facts: FileFacts) -> Section:
    documents = f"{facts.fewest_documents} to {facts.most_documents}"
    entries = [
        ("Kind", f"{facts.kind}, format {facts.format}"),
        ("Queries", f"{facts.queries:,}"),
        ("Rows", f"{facts.rows:,}"),
        ("Documents per query", f"{documents}, median {facts.median_documents:g}"),
    ]
    numbers = f"{written(facts.lowest)} to {written(facts.highest)}"
    if facts.kind == "judgments":
        entries += [("Grades", numbers), ("Relevant", f"{facts.relevant:,}, grade 1 or higher")]
    else:
        entries += [("Scores", numbers), ("Tied", f"{facts.tied:,} rows")]
    entries += [("Duplicates", f"{facts.duplicates:,}"), ("SHA-256", facts.sha256)]
    entries += [("Caution", f"{caution}.") for caution in facts.cautions]
    return Section(facts.path, tuple(entries))
