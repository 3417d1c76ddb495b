"""``berryeval evaluate``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from berryeval.cli._options import duplicates_option, judges_option
from berryeval.cli._output import (
    choose_format,
    format_option,
    json_option,
    output_option,
    run_names,
    write_text,
)

if TYPE_CHECKING:
    from berryeval.evaluation import Evaluation

__all__ = ["command"]


@click.command("evaluate")
@click.argument("judgments", metavar="JUDGMENTS")
@click.argument("runs", metavar="RUN...", nargs=-1, required=True)
@click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="MEASURE",
    help="What to report; repeatable. Without it: RR, and R, P, nDCG, Success at 1, 3, 5, 10.",
)
@click.option("-q", "--per-query", is_flag=True, help="Report every query, too.")
@format_option
@json_option
@output_option
@click.option(
    "--missing",
    type=click.Choice(["zero", "skip", "error"]),
    default="zero",
    show_default=True,
    help="What a judged query is worth that the run does not have.",
)
@click.option(
    "--no-relevant",
    type=click.Choice(["zero", "skip"]),
    default="zero",
    show_default=True,
    help="What a query is worth that has no relevant document.",
)
@click.option("--history", metavar="FILE", help="Append the evaluation to a history, too.")
@click.option("--note", metavar="TEXT", help="What the history shall note, such as a commit.")
@duplicates_option
@judges_option
def command(
    judgments: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    per_query: bool,
    output_format: str | None,
    as_json: bool,
    output: str | None,
    history: str | None,
    note: str | None,
    **options: Any,  # noqa: ANN401 - as evaluate takes them
) -> None:
    """Score each RUN against JUDGMENTS.

    Files may be TREC qrels and runs, JSON lines, a JSON object of objects, tables with a
    header, LETOR, Parquet or Arrow, plain or compressed with gzip or zstd; `-` is standard
    input, and a folder of JUDGMENTS is read as BEIR's: its qrels/test.tsv. Measures go by our names
    (nDCG@10, AP(rel=2)@100), trec_eval's (ndcg_cut.5,10, official), and others'.

    \b
    berryeval evaluate qrels.txt bm25.run dense.run.gz -m nDCG@10 -m AP
    berryeval evaluate scifact/ bm25.parquet
    berryeval evaluate judgments.jsonl run.csv --per-query -o scores.csv
    berryeval evaluate qrels.txt bm25.run --history history.jsonl --note "weekly"
    """
    from berryeval.evaluation import evaluate
    from berryeval.evaluation.evaluate import DEFAULT_MEASURES, load_judgments
    from berryeval.reports import evaluation as report
    from berryeval.reports.terminal import show_table

    chosen = choose_format(output_format, as_json, output)
    if note is not None and history is None:
        raise click.UsageError("--note goes with --history FILE.")
    loaded = load_judgments(judgments, options["duplicates"], options["judges"])
    results: dict[str, Evaluation] = {
        name: evaluate(loaded, path, measures or DEFAULT_MEASURES, **options)
        for name, path in zip(run_names(runs), runs, strict=True)
    }
    if history is not None:
        from berryeval.suite.history import append

        for name, result in results.items():
            append(history, name, result, loaded, note)
    if chosen == "json":
        text = report.evaluations_to_json(results, per_query=per_query) + "\n"
    elif chosen == "csv":
        text = report.evaluations_to_csv(results, per_query=per_query)
    elif output in (None, "-"):
        layout = report.per_query_table if per_query else report.evaluations_table
        show_table(layout(results))
        return
    else:
        text = report.evaluations_to_text(results, per_query=per_query)
    write_text(text, output)
