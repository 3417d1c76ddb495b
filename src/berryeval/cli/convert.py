"""``berryeval convert``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from berryeval.cli._options import duplicates_option, judges_option
from berryeval.core.notes import caution_notes
from berryeval.evaluation.notes import judges_notes
from berryeval.formats import beir
from berryeval.formats.facts import guess_kind
from berryeval.formats.lines import path_name, readable_again
from berryeval.formats.reading import FORMATS, check_format, read_judgments, read_run, sniff_format
from berryeval.formats.writing import format_of_name, write_judgments, write_run

if TYPE_CHECKING:
    from berryeval.core.grouped import Grouped
    from berryeval.formats import Duplicates, Judges

__all__ = ["command"]

FORMAT_NAMES = sorted(FORMATS)


@click.command("convert")
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@click.option(
    "--kind",
    type=click.Choice(["judgments", "run"]),
    help="Content of FROM.  [default: detected from its first line]",
)
@click.option("--from", "source_format", type=click.Choice(FORMAT_NAMES), help="Format of FROM.")
@click.option("--to", "target_format", type=click.Choice(FORMAT_NAMES), help="Format of TO.")
@duplicates_option
@judges_option
def command(
    source: str,
    target: str,
    kind: str | None,
    source_format: str | None,
    target_format: str | None,
    duplicates: Duplicates,
    judges: Judges,
) -> None:
    """Convert judgments or a run to another format.

    The format of FROM is detected from its first line; a folder is read as BEIR, and `-` is
    standard input. The name of TO sets its format: .jsonl, .json, .csv, .tsv, .parquet, .arrow or
    .letor; any other name is TREC. An additional .gz or .zst compresses; `-` is standard output.
    An existing file is replaced only if the conversion succeeds. Judgment subtopics and the run
    tag are kept; grades of several judges are reduced to one.

    \b
    berryeval convert bm25.run bm25.parquet
    berryeval convert qrels/test.tsv qrels.txt.gz
    """
    if target_format is None:
        format_of_name(target)  # refused before anything is read
    content = readable_again(beir.judgments_file(source))
    known = sniff_format(content) if source_format is None else check_format(source_format)
    if (kind or guess_kind(content, known)) == "judgments":
        judgments = read_judgments(content, format=known, duplicates=duplicates, judges=judges)
        write_judgments(judgments, target, format=target_format)
        _report_left_out(judgments, target, target_format)
        for note in judges_notes(judgments.reduced):
            click.echo(note, err=True)
    else:
        run = read_run(content, format=known, duplicates=duplicates)
        write_run(run, target, format=target_format)
        _report_left_out(run, target, target_format)
        for caution in caution_notes(run.find_cautions(), path_name(source)):
            click.echo(caution, err=True)


def _report_left_out(data: Grouped, target: str, target_format: str | None) -> None:
    """Report queries without documents, unless they were written."""
    n_empty = sum(len(rows) == 0 for _, rows in data.iter_queries())
    if n_empty and (target_format or format_of_name(target)) != "json":
        queries, are = ("query", "is") if n_empty == 1 else ("queries", "are")
        what = f"{n_empty:,} {queries} without documents {are}"
        click.echo(
            f"{what} left out; only JSON objects can contain queries without documents.", err=True
        )
