"""``berryeval convert``."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import click
from click.core import ParameterSource

from berryeval.cli._options import duplicates_option, judges_option
from berryeval.core.files import format_of_ending
from berryeval.core.judgments import Judgments
from berryeval.core.notes import caution_notes
from berryeval.core.run import Run
from berryeval.evaluation.notes import judges_notes
from berryeval.formats import beir
from berryeval.formats.facts import guess_kind
from berryeval.formats.lines import path_name, readable_again
from berryeval.formats.losses import count_losses, find_losses, sentences_of
from berryeval.formats.queries import read_queries, write_queries
from berryeval.formats.query_texts import ids_by_text, rename_queries, texts_by_id
from berryeval.formats.reading import read_judgments, read_run, sniff_format
from berryeval.formats.registry import FORMATS, capabilities_of
from berryeval.formats.scores import read_scores, write_scores
from berryeval.formats.writing import format_of_name, write_judgments, write_run

if TYPE_CHECKING:
    from collections.abc import Sequence

    from berryeval.core.query import Query
    from berryeval.formats import Duplicates, Judges
    from berryeval.formats.capabilities import FileKind
    from berryeval.formats.lines import PathLike

__all__ = ["command"]

KINDS = ("judgments", "run", "scores", "queries")
FORMAT_NAMES = sorted({*FORMATS, "topics"})
_SCORE_ENDINGS = {".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "table"}

Noun = TypeVar("Noun", Judgments, Run)


@click.command("convert")
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@click.option(
    "--kind",
    type=click.Choice(KINDS),
    help="Content of FROM to convert.  [default: detected from its beginning]",
)
@click.option(
    "--from",
    "source_format",
    metavar="FORMAT",
    type=click.Choice(FORMAT_NAMES),
    help="Format of FROM, such as quepid-csv; an unknown name lists all.",
)
@click.option(
    "--to",
    "target_format",
    metavar="FORMAT",
    type=click.Choice(FORMAT_NAMES),
    help="Format of TO, such as srw-judgments; an unknown name lists all.",
)
@click.option(
    "--queries",
    metavar="FILE",
    help="Ids and texts of the queries, if one of the formats identifies queries by text.",
)
@duplicates_option
@judges_option
@click.pass_context
def command(
    context: click.Context,
    source: str,
    target: str,
    kind: FileKind | None,
    source_format: str | None,
    target_format: str | None,
    queries: str | None,
    duplicates: Duplicates,
    judges: Judges,
) -> None:
    """Convert judgments, a run, scores or queries to another format.

    The format of FROM is detected from its beginning; a folder is read as BEIR, and `-` is
    standard input. The name of TO sets its format: .jsonl, .json, .csv, .tsv, .parquet, .arrow,
    .letor or .lz4 (ranx); any other name is TREC. Formats of other platforms are named with --to.
    An additional .gz or .zst compresses; `-` is standard output. An existing file is replaced only
    if the conversion succeeds.

    Information that the format of TO cannot represent is reported on standard error, one line per
    kind of loss. Grades of several judges are kept in JSON lines, tables, Parquet, Arrow and Quepid
    books, unless --judges is given; in other formats they are reduced to one.

    \b
    berryeval convert bm25.run bm25.parquet
    berryeval convert case_7_judgements.csv qrels.txt --queries queries.jsonl
    berryeval convert qrels.txt judgments.json --to srw-judgments --queries queries.jsonl
    """
    if target_format is None and kind not in ("scores", "queries"):
        format_of_name(target)  # refused before anything is read
    content = readable_again(source if kind == "queries" else beir.judgments_file(source))
    known = source_format or ("" if kind == "queries" else sniff_format(content))
    chosen = kind or guess_kind(content, known)
    with count_losses() as losses:
        if chosen == "queries":
            write_queries(read_queries(content, format=source_format), target, format=target_format)
            notes: list[str] = []
        elif chosen == "scores":
            scores = read_scores(content, format=known)
            write_scores(scores, target, format=target_format or _format_of_scores(target))
            notes = []
        else:
            to = target_format or format_of_name(target)
            listed = None if queries is None else read_queries(queries)
            if chosen == "judgments":
                judgments = read_judgments(
                    content, format=known, duplicates=duplicates, judges=judges
                )
                if context.get_parameter_source("judges") is not ParameterSource.DEFAULT:
                    judgments.opinions = {}  # one grade was requested
                judgments, notes = _with_names(judgments, content, known, to, listed)
                texts = None if listed is None else texts_by_id(listed)
                write_judgments(judgments, target, format=target_format, texts=texts)
                notes += find_losses(judgments, capabilities_of(to))
                is_kept = capabilities_of(to).judges and judgments.opinions
                notes += [] if is_kept else map(str, judges_notes(judgments.reduced))
            else:
                run = read_run(content, format=known, duplicates=duplicates)
                run, notes = _with_names(run, content, known, to, listed)
                write_run(run, target, format=target_format)
                notes += find_losses(run, capabilities_of(to))
                notes += map(str, caution_notes(run.find_cautions(), path_name(source)))
    for note in (*sentences_of(losses), *notes):
        click.echo(note, err=True)


def _format_of_scores(target: str) -> str:
    choice = "a format (--to)"
    return format_of_ending(target, _SCORE_ENDINGS, "jsonl", argument="output", choice=choice)


def _with_names(
    data: Noun, content: PathLike, known: str, to: str, listed: Sequence[Query] | None
) -> tuple[Noun, list[str]]:
    """Return the data with queries as the target identifies them, and notes on that."""
    module = FORMATS[known]
    are_numbered = hasattr(module, "are_numbered") and module.are_numbered(content)
    if listed is None:
        note = "The responses do not name their queries, which are numbered from 1; "
        return data, [f"{note}name them with --queries."] if are_numbered else []
    from_text, to_text = capabilities_of(known).by_text, capabilities_of(to).by_text
    if are_numbered:
        place = "text" if to_text else "query_id"
        names = {str(i): str(getattr(one, place)) for i, one in enumerate(listed, start=1)}
    elif from_text and not to_text:
        names = ids_by_text(listed)
    elif to_text and not from_text:
        names = texts_by_id(listed)
    else:
        return data, []
    renamed, n_unknown = rename_queries(data, names)
    are = "query is" if n_unknown == 1 else "queries are"
    note = f"{n_unknown:,} {are} not in --queries, and keep their names in the source."
    return renamed, [note] if n_unknown else []
