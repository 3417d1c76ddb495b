"""``berryeval golden``: check, init, chunks, diff, queries, review, export and import."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from berryeval.cli import BAD_INPUT
from berryeval.cli._golden_queries import queries, review
from berryeval.cli._golden_weights import weights
from berryeval.cli._judges import warn_of_guideline
from berryeval.cli._output import output_options, write_output, write_tables
from berryeval.cli._settings import read_project
from berryeval.cli._systems import (
    address_for,
    chunks_option,
    load_golden_set,
    named_settings,
    no_questions_option,
    parts_options,
    progress_bar,
    split_option,
    system_options,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from berryeval.core.documents import Document
    from berryeval.core.run import Run
    from berryeval.golden.golden_set import GoldenSet

__all__ = ["command"]

FORMATS = ("table", "json", "markdown")


@click.group("golden")
def command() -> None:
    """Create, check and compare golden sets, and weight their queries.

    A golden set is a folder with documents, queries and judgments. BEIR folders are accepted, too.
    """


@command.command("check")
@click.argument("path", metavar="[FOLDER]", required=False)
@click.option(
    "--system",
    "systems",
    multiple=True,
    metavar="SYSTEM",
    help="Also run this system, list unjudged chunks in its top ranks, and report power. "
    "Repeatable; the first two systems are compared with each other.",
)
@click.option(
    "--depth",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help="Number of top ranks to check per query.",
)
@parts_options
@chunks_option
@no_questions_option
@system_options
@output_options(FORMATS)
@click.pass_context
def check(
    context: click.Context,
    /,
    path: str | None,
    systems: tuple[str, ...],
    depth: int,
    no_questions: bool,
    dsn: str | None,
    settings: tuple[str, ...],
    output: str | None,
    output_format: str,
    **parts: Any,  # noqa: ANN401 - as load_golden_set takes them
) -> None:
    """Check a golden set for errors, and report the best possible scores.

    Reports counts, judgments of unknown documents, contradictions, near-duplicates with different
    grades, spans out of range, queries without a relevant chunk, the best possible score in each
    measure, and how well two judging passes agree. Queries that ask almost the same thing are
    listed with a suggested group. If FOLDER is omitted, the bundled set is checked. Exit code 2 if
    there are errors; warnings do not affect it.

    \b
    berryeval golden check golden/
    berryeval golden check golden/ --system bm25 --system hybrid
    berryeval golden check scifact/ --split test
    berryeval golden check --documents docs/ --queries queries.csv --judgments qrels.txt
    berryeval golden check --json
    """
    from berryeval.golden.check import check_golden_set
    from berryeval.reports.golden import check_tables, check_to_json

    golden = load_golden_set(path, strict=False, **parts)
    indexed = [*golden.documents(questions=not no_questions)]
    places = {name: address_for(name, dsn, systems) for name in systems}
    runs = {
        name: _run_of(name, golden, indexed, depth, place, settings)
        for name, place in places.items()
    }
    found = check_golden_set(golden, runs, depth=depth)
    if output_format == "json":
        write_output(check_to_json(found), output)
    else:
        write_tables(check_tables(found), output, output_format)
    context.exit(BAD_INPUT if found.errors else 0)


def _run_of(
    name: str,
    golden: GoldenSet,
    documents: Sequence[Document],
    depth: int,
    dsn: str | None,
    settings: tuple[str, ...],
) -> Run:
    from berryeval.search.collect import collect
    from berryeval.suite.candidates import open_project_system
    from berryeval.suite.quality import TABLE, check_has_documents

    opened = open_project_system(
        read_project(None),
        golden.queries,
        place=name,
        own_settings=named_settings(settings),
        dsn=dsn,
        documents_table=TABLE,
    )
    with opened, progress_bar(name) as progress:
        check_has_documents(golden, opened)
        if opened.can_index:
            opened.index(documents)
        collected = collect(opened, golden.queries, depth, progress=progress)
    for error in collected.failures.values():
        raise error
    return collected.run


@command.command("init")
@click.argument("documents", metavar="DOCUMENTS")
@click.option(
    "-o",
    "--output",
    metavar="FOLDER",
    default="golden",
    show_default=True,
    help="Folder for the golden set; new or empty.",
)
@click.option("--queries", metavar="FILE", help="Queries to copy, in any format.")
@click.option("--judgments", metavar="FILE", help="Judgments to copy, in any format.")
@split_option
@click.option(
    "--chunks",
    type=click.Choice(["heading", "paragraph", "size", "document"]),
    help="Chunking that the judgments declare; document judges whole files.  [default: heading]",
)
def init(
    documents: str,
    output: str,
    queries: str | None,
    judgments: str | None,
    split: str | None,
    chunks: str | None,
) -> None:
    """Create a golden set from documents.

    DOCUMENTS is a folder of Markdown or text, JSON lines, a BEIR folder, or another golden set.
    Copies the documents, and the queries and judgments if there are any; otherwise writes a sample
    query and judgment to replace. Adds a guideline for judges and a berryeval.toml.

    \b
    berryeval golden init docs/ -o golden
    berryeval golden init docs/ --queries queries.csv --judgments qrels.txt
    berryeval golden init scifact/ -o golden
    """
    from berryeval.golden.init import init_golden_set
    from berryeval.golden.reading import read_golden_set

    written = init_golden_set(
        documents, output, queries=queries, judgments=judgments, split=split, chunks=chunks
    )
    n_chunks = len(read_golden_set(output, strict=False).chunks)
    counted = "1 chunk" if n_chunks == 1 else f"{n_chunks:,} chunks"
    click.echo(f"Copied documents with {counted} into {output}, and wrote:")
    for file in written:
        click.echo(f"  {file}")
    click.echo(f"To list the ids of chunks, run: berryeval golden chunks {output}")
    click.echo(f"Write queries and judgments, and then run: berryeval golden check {output}")


@command.command("chunks")
@click.argument("path", metavar="[FOLDER]", required=False)
@click.option(
    "--document",
    "names",
    multiple=True,
    metavar="NAME",
    help="List only this document. Repeatable.",
)
@chunks_option
@output_options(FORMATS)
def chunks_(
    path: str | None,
    names: tuple[str, ...],
    chunks: str | None,
    output: str | None,
    output_format: str,
) -> None:
    """List the ids of chunks, each with its first line.

    FOLDER is a golden set, a BEIR folder, or a folder or file of documents. If it is omitted, the
    bundled set is listed. Judgments refer to these ids.

    \b
    berryeval golden chunks golden/
    berryeval golden chunks docs/ --document guide.md
    berryeval golden chunks golden/ | grep -i token
    """
    from berryeval.golden.chunked import list_chunks
    from berryeval.golden.reading import HANDBOOK
    from berryeval.reports.golden_diff import chunks_table, chunks_to_json

    found = list_chunks(HANDBOOK if path is None else path, chunks=chunks, documents=names)
    if output_format == "json":
        write_output(chunks_to_json(found), output)
    else:
        write_tables([chunks_table(found)], output, output_format)


@command.command("diff")
@click.argument("before", metavar="A")
@click.argument("after", metavar="B")
@chunks_option
@output_options(FORMATS)
def diff(
    before: str, after: str, chunks: str | None, output: str | None, output_format: str
) -> None:
    """List the differences between two golden sets.

    Reports the documents, queries and judgments that were added, removed and changed from A to B,
    and declarations that differ, such as the scale. The format of their files does not
    matter. The exit code is 0 whether or not they differ; JSON has a key `equal`.

    \b
    berryeval golden diff golden/ exported/
    berryeval golden diff golden/ exported/ --json
    """
    from berryeval.golden.diff import diff_golden_sets
    from berryeval.reports.golden_diff import diff_tables, diff_to_json

    found = diff_golden_sets(
        *(load_golden_set(path, strict=False, chunks=chunks) for path in (before, after))
    )
    if output_format == "json":
        write_output(diff_to_json(found), output)
    else:
        write_tables(diff_tables(found), output, output_format)


@command.command("export")
@click.argument("archive", metavar="ARCHIVE")
@click.argument("folder", metavar="FOLDER")
@click.option(
    "--relevant-from",
    type=click.FloatRange(min=0, min_open=True),
    default=1,
    show_default=True,
    help="Lowest grade that counts as relevant; archives do not store it.",
)
def export(archive: str, folder: str, relevant_from: float) -> None:
    """Export an archive as a golden set.

    Writes its documents, queries and judgments. ARCHIVE is the file or database of the workbench,
    and FOLDER is new or empty. The judgments are those that count; `archive export` also exports
    their history and second opinions. Labels, guideline, and the grades and checks of models are
    written, too. Requires pip install 'berryeval[archive]'.

    \b
    berryeval golden export berryeval.db golden/
    berryeval golden export postgresql://ada@db/eval golden/ --relevant-from 2
    """
    from berryeval.archive import Archive
    from berryeval.suite.golden_archive import export_golden_set

    with Archive.open(archive, create=False) as opened:
        found = export_golden_set(opened, folder, relevant_from=relevant_from)
    numbers = {
        "documents": found.n_documents,
        "queries": found.n_queries,
        "judgments": found.n_judgments,
    }
    click.echo(f"Exported {archive} to {folder}: {_counted(numbers)}.")
    for noun, missing in (
        ("document", found.missing_documents),
        ("query", found.missing_queries),
    ):
        if missing:
            what = f"such as {missing[0]!r}: {len(missing):,}"
            text = f"Judged {noun} ids whose text the archive does not have, {what}. "
            click.echo(f"{text}Import the texts, and export again.", err=True)
    if found.n_by_subtopic:
        text = f"Documents whose grades by subtopic were left out: {found.n_by_subtopic:,}. "
        click.echo(f"{text}`berryeval archive export` keeps them.", err=True)


@command.command("import")
@click.argument("folder", metavar="FOLDER")
@click.argument("archive", metavar="ARCHIVE")
@chunks_option
def import_(folder: str, archive: str, chunks: str | None) -> None:
    """Import a golden set into an archive.

    FOLDER can also be a BEIR folder. Documents, queries and judgments are added, and those with the
    same ids are replaced; earlier grades stay in the history. The judge is recorded as
    "imported". The archive adopts the scale, labels, rule and guideline of the set, unless it has
    its own. Grades and checks of models and proposed queries are imported, too, and are never mixed
    with the judgments of people. The archive is created if it does not exist.
    Requires pip install 'berryeval[archive]'.

    \b
    berryeval golden import golden/ berryeval.db
    berryeval serve --archive berryeval.db
    """
    from berryeval.archive import Archive
    from berryeval.suite.golden_archive import import_golden_set
    from berryeval.suite.judged_pairs import guideline_text_of

    golden = load_golden_set(folder, chunks=chunks)  # before an archive is created for nothing
    with Archive.open(archive) as opened:
        numbers = import_golden_set(opened, golden)
        warn_of_guideline(guideline_text_of(golden), opened.judging.get().guideline)
    click.echo(f"Imported {folder} into {archive}; new or changed: {_counted(numbers)}.")


def _counted(numbers: dict[str, int]) -> str:
    from berryeval.reports.wording import count

    singular = {"queries": "query", "proposed queries": "proposed query",
                "checks of judges": "check of judges"}  # fmt: skip
    return ", ".join(
        count(number, singular.get(noun, noun.removesuffix("s")), noun)
        for noun, number in numbers.items()
    )


command.add_command(weights)
command.add_command(queries)
command.add_command(review)
