"""``berryeval evaluate``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from berryeval.cli._options import (
    duplicates_option,
    exclude_self_option,
    judged_only_option,
    judges_option,
    lengths_option,
    measures_option,
    missing_option,
    named_runs,
    no_relevant_option,
    queries_option,
    time_option,
    timings_of,
    timings_option,
)
from berryeval.cli._output import check_outputs, output_options, write_chart, write_output
from berryeval.cli._spark import evaluated_on_spark, refuse_options, spark_options

if TYPE_CHECKING:
    from datetime import datetime

    from berryeval.evaluation import Evaluation
    from berryeval.evaluation.reranking import RerankingCeiling
    from berryeval.reports.evaluation import Shown
    from berryeval.spark.session import Cluster

__all__ = ["command"]

CHARTS = ("svg", "png")
FORMATS = ("table", "csv", "json", "markdown", "latex", "html", *CHARTS)


@click.command("evaluate")
@click.argument("judgments", metavar="JUDGMENTS")
@click.argument("runs", metavar="RUN...", nargs=-1, required=True)
@measures_option("RR, and R, P, nDCG and Success at 1, 3, 5 and 10")
@click.option("-q", "--per-query", is_flag=True, help="Also report every query.")
@queries_option
@click.option(
    "--by",
    "label",
    type=click.Choice(["category", "difficulty", "tag", "traffic", "turn"]),
    help="Also report each slice of this label. Requires --queries.",
)
@click.option(
    "--intervals", is_flag=True, help="Also report 95% confidence intervals of the means."
)
@click.option(
    "--sampling-errors",
    is_flag=True,
    help="Also report the standard errors of xinfAP, infNDCG and infAP that are due to judging a "
    "sample of the documents.",
)
@click.option(
    "--oracle",
    "depths",
    multiple=True,
    type=click.IntRange(min=1),
    metavar="DEPTH",
    help="Also score each run with its first DEPTH documents in the best order: the upper "
    "limit for a reranker of that many documents. Repeatable; svg and png draw the first "
    "measure by depth.",
)
@output_options(FORMATS)
@missing_option
@no_relevant_option
@click.option("--history", metavar="FILE", help="Also append the evaluation to this history.")
@click.option("--note", metavar="TEXT", help="Note for the history entry, such as a commit hash.")
@time_option
@duplicates_option
@judges_option
@exclude_self_option
@judged_only_option
@lengths_option
@timings_option
@spark_options
def command(
    judgments: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    per_query: bool,
    label: str | None,
    intervals: bool,
    depths: tuple[int, ...],
    output: str | None,
    output_format: str,
    history: str | None,
    note: str | None,
    time: datetime | None,
    lengths: str | None,
    timings: tuple[str, ...],
    cluster: Cluster | None,
    **options: Any,  # noqa: ANN401 - as evaluate takes them
) -> None:
    """Score each RUN against JUDGMENTS.

    Files can be TREC qrels and runs, JSON lines, a JSON list of records or object of objects,
    tables with a header, LETOR, Parquet or Arrow, plain or compressed with gzip or zstd. `-` is
    standard input. If JUDGMENTS is a folder, its qrels/test.tsv is read, as in BEIR; a folder of
    Parquet files is one table. With --engine spark, Spark also reads addresses (s3a://…) and tables
    (table:NAME). Measures can be given by BerryEval's own names (nDCG@10, AP(rel=2)@100), by those
    of trec_eval (ndcg_cut.5,10, official), or by those of other tools. A RUN can be given a name:
    BM25=bm25.run.

    \b
    berryeval evaluate qrels.txt bm25.run dense.run.gz -m nDCG@10 -m AP
    berryeval evaluate scifact/ bm25.parquet
    berryeval evaluate judgments.jsonl run.csv --per-query -o scores.csv
    berryeval evaluate qrels.txt bm25.run --history history.jsonl --note "weekly"
    berryeval evaluate qrels.txt bm25.run -m nDCG@10 --oracle 10 --oracle 100 -o ceiling.svg
    berryeval evaluate prels.txt bm25.run -m xinfAP -m infNDCG --sampling-errors
    berryeval evaluate qrels.txt bm25.run -m TBG -m tokens@5 --lengths lengths.tsv
    berryeval evaluate qrels.txt bm25.run -m nDCG@10 -m ms@p95 --timings bm25.timings
    berryeval evaluate judgments.parquet log.parquet --engine spark --master yarn
    """
    from berryeval.evaluation import evaluate
    from berryeval.evaluation.evaluate import DEFAULT_MEASURES
    from berryeval.evaluation.sources import load_judgments
    from berryeval.reports.evaluation import Shown

    for option, value in (("--note", note), ("--time", time)):
        if value is not None and history is None:
            raise click.UsageError(f"{option} requires --history FILE.")
    if output_format in CHARTS and not depths:
        raise click.UsageError(f"A chart ({output_format}) requires --oracle DEPTH.")
    check_outputs([output, history])
    wanted = measures or DEFAULT_MEASURES
    if cluster is not None:
        refuse_options(
            {
                "--oracle": depths,
                "--sampling-errors": options["sampling_errors"],
                "--history": history,
                "--lengths": lengths,
                "--timings": timings,
            }
        )
        found = evaluated_on_spark(cluster, judgments, named_runs(runs), wanted, options)
        _show(found, Shown(per_query, label, intervals), output_format, output)
        return
    loaded = load_judgments(judgments, options["duplicates"], options["judges"], lengths)
    loaded.is_kept_ready = len(runs) > 1
    times = timings_of(timings, named_runs(runs))
    ceilings: dict[str, RerankingCeiling] = {}
    if depths:
        from berryeval.evaluation.reranking import reranking_ceiling

        ceilings = {
            name: reranking_ceiling(loaded, path, wanted, depths, **options)
            for name, path in named_runs(runs).items()
        }
        results = {name: ceiling.current for name, ceiling in ceilings.items()}
    else:
        results = {
            name: evaluate(loaded, path, wanted, timings=times.get(name), **options)
            for name, path in named_runs(runs).items()
        }
    scored = _with_oracles(results, ceilings)
    shown = Shown(per_query, label, intervals, options["sampling_errors"])
    if output_format in CHARTS:
        from berryeval.charts import reranking_curves

        write_chart(reranking_curves(ceilings), output_format, output)
    else:
        _show(scored, shown, output_format, output)
    if history is not None:
        from berryeval.suite.history import append

        for name, result in results.items():
            append(history, name, result, loaded, note, time=time)


def _show(
    scored: dict[str, Evaluation], shown: Shown, output_format: str, output: str | None
) -> None:
    """Show a table in the terminal, or write what was asked for."""
    from berryeval.reports.evaluation import evaluations_tables
    from berryeval.reports.rendering import render_evaluations
    from berryeval.reports.terminal import show_tables

    if output_format == "table" and output is None:
        show_tables(evaluations_tables(scored, shown))
    else:
        write_output(render_evaluations(scored, shown, output_format), output)


def _with_oracles(
    results: dict[str, Evaluation], ceilings: dict[str, RerankingCeiling]
) -> dict[str, Evaluation]:
    """Put the best possible scores of each run after it."""
    scored: dict[str, Evaluation] = {}
    for name, result in results.items():
        scored[name] = result
        if name in ceilings:
            best = ceilings[name].at
            scored |= {f"{name} oracle@{depth}": best[depth] for depth in best}
    return scored
