"""``berryeval explain``."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import click

from berryeval.cli._options import (
    baseline_or_run,
    duplicates_option,
    judged_only_option,
    judges_option,
    lengths_option,
    named_runs,
)
from berryeval.cli._output import output_options, write_output
from berryeval.errors import MismatchError

__all__ = ["command"]

FORMATS = ("table", "csv", "json")


@click.command("explain")
@click.argument("judgments", metavar="JUDGMENTS")
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@click.option(
    "--query", "query_id", metavar="ID", help="Query to explain.  [default: the one that fell most]"
)
@click.option(
    "-m",
    "--measure",
    metavar="MEASURE",
    default="nDCG@10",
    show_default=True,
    help="Measure to explain.",
)
@click.option(
    "--fused-from",
    "sources",
    multiple=True,
    metavar="RUN",
    help="Run that was fused into B: also show the rank of each document in it. A file, or "
    "NAME=FILE. Repeatable.",
)
@click.option("--all", "every_move", is_flag=True, help="Also show moves without effect.")
@click.option("--queries", metavar="FILE", help="Queries file, to show the query's text.")
@click.option(
    "--documents",
    metavar="PATH",
    help="Documents, to show their titles: a folder of Markdown or text, JSON lines, or the folder "
    "of a golden set or a BEIR folder. Tables and JSON only.",
)
@output_options(FORMATS)
@duplicates_option
@judges_option
@judged_only_option
@lengths_option
def command(
    judgments: str,
    a: str,
    b: str,
    query_id: str | None,
    measure: str,
    sources: tuple[str, ...],
    every_move: bool,
    queries: str | None,
    documents: str | None,
    output: str | None,
    output_format: str,
    **options: Any,  # noqa: ANN401 - as explain takes them
) -> None:
    """Explain why a query's score differs between runs A and B.

    A and B are runs or baselines. Lists the documents that moved, their ranks before and after, and
    what each move contributed. The contributions add up to the difference. Documents below the
    measure's cutoff in both runs are left out.

    \b
    berryeval explain qrels.txt before.run after.run
    berryeval explain qrels.txt before.run after.run --query q7 -m AP
    berryeval explain qrels.txt bm25.run fused.run --fused-from bm25.run --fused-from e5.run
    berryeval explain qrels.txt a.run b.run --query q7 --queries queries.jsonl -o q7.json
    """
    from berryeval.evaluation.explain import explain
    from berryeval.reports import explain as report
    from berryeval.reports.terminal import show_table

    (before, old), (after, new) = named_runs((a, b)).items()
    first, second = baseline_or_run(old), baseline_or_run(new)
    fused_from = named_runs(sources)
    found = explain(judgments, first, second, query_id, measure, fused_from=fused_from, **options)
    query_text = None if queries is None else _text_of(found.query_id, queries)
    titles = None
    if documents is not None:
        titles = _titles_of({move.doc_id for move in found.moves}, documents)
    if output_format == "csv":
        write_output(report.explanation_to_csv(found, every_move=every_move), output)
    elif output_format == "json":
        text = report.explanation_to_json(
            found, (before, after), query_text=query_text, every_move=every_move, titles=titles
        )
        write_output(text + "\n", output)
    else:
        heading = report.explanation_heading(
            found, (before, after), query_text=query_text, is_chosen=query_id is None
        )
        table = report.explanation_table(found, every_move=every_move, titles=titles)
        if output in (None, "-") and table.rows:
            click.echo(heading + "\n")
            show_table(table)
        else:
            write_output(report.explanation_to_text(heading, table), output)


def _text_of(query_id: str, path: str) -> str:
    from berryeval.formats import read_queries

    for query in read_queries(path):
        if query.query_id == query_id:
            return query.text
    raise MismatchError(f"{path}: query {query_id!r} is not among the queries")


def _titles_of(doc_ids: Collection[str], path: str) -> dict[str, str]:
    """Return the titles of documents, or the texts of those without a title."""
    from berryeval.search.documents import iter_any_documents

    documents = iter_any_documents(path)
    return {one.doc_id: one.title or one.text for one in documents if one.doc_id in doc_ids}
