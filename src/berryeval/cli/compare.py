"""``berryeval compare``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from berryeval.cli._gate_command import EXAMPLE_MARGIN, gate_command
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
    timings_of,
    timings_option,
)
from berryeval.cli._output import output_options, write_chart, write_output
from berryeval.cli._spark import compared_on_spark, refuse_options, spark_options

if TYPE_CHECKING:
    from berryeval.evaluation import Comparison
    from berryeval.evaluation.model_judgments import ModelJudgments
    from berryeval.reports.layout import Table
    from berryeval.spark.session import Cluster

__all__ = ["command"]

FORMATS = ("table", "csv", "json", "markdown", "latex", "html", "svg", "png")


def _enough_resamples(_context: click.Context, _option: click.Parameter, number: int) -> int:
    """Reject too few resamples before any file is read."""
    from berryeval.stats.validation import check_resamples

    check_resamples(number, "--resamples")
    return number


@click.command("compare")
@click.argument("judgments", metavar="JUDGMENTS")
@click.argument("baseline", metavar="BASELINE")
@click.argument("candidates", metavar="CANDIDATE...", nargs=-1, required=True)
@measures_option("those of `berryeval evaluate`, and recall at up to 100")
@click.option("-q", "--per-query", is_flag=True, help="Report every query (csv and json only).")
@queries_option
@click.option(
    "--by",
    "slices",
    multiple=True,
    type=click.Choice(["category", "difficulty", "tag", "traffic", "turn"]),
    help="Also report each slice of this label. Requires --queries. Repeatable.",
)
@click.option(
    "--test",
    "tests",
    multiple=True,
    type=click.Choice(["t", "wilcoxon", "sign", "randomisation"]),
    help="Also report the unadjusted p-value of this test; t is Student's paired t-test. It does "
    "not affect the result. Repeatable.",
)
@click.option(
    "--level", type=float, default=0.95, show_default=True, help="Confidence level of intervals."
)
@click.option(
    "--resamples",
    "n_resamples",
    type=int,
    callback=_enough_resamples,
    default=10_000,
    show_default=True,
    help="Number of random sign draws when several measures or candidates are tested; at least "
    "100.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Random seed for the draws.")
@click.option(
    "--bounds",
    is_flag=True,
    help="Report the range of differences that other grades of unjudged documents allow.",
)
@click.option("--max-grade", type=float, help="Highest grade of the scale, for --bounds.")
@click.option(
    "--repeat-of",
    multiple=True,
    metavar="RUN=FILE",
    help="Repeated run of the system behind RUN, one of the files above, as written by `berryeval "
    "retrieve --repeat`. Scores are averaged, and the system's own noise is included. "
    "Repeatable.",
)
@click.option(
    "--risk",
    type=click.FloatRange(min=0),
    multiple=True,
    metavar="ALPHA",
    help="Also report U-risk, T-risk, geo-risk and the robustness index, where a loss counts 1 + "
    "ALPHA times as much as a gain. Repeatable.",
)
@click.option("--all-pairs", is_flag=True, help="Also compare every run with every other.")
@click.option(
    "--similarity",
    is_flag=True,
    help="Report how similar the rankings are, and how the measures order the runs (table and "
    "Markdown only).",
)
@click.option(
    "--documents",
    "corpus",
    metavar="DOCUMENTS",
    help="Documents in JSON lines or a BEIR folder: rankings in an HTML report show their titles.",
)
@output_options(FORMATS)
@missing_option
@no_relevant_option
@duplicates_option
@judges_option
@exclude_self_option
@judged_only_option
@lengths_option
@timings_option
@click.option(
    "--model-judgments",
    metavar="FILE",
    help="Grades by a model for every query; JUDGMENTS are then people's. Requires --label-draw.",
)
@click.option(
    "--label-draw",
    metavar="FILE",
    help="File that records which queries people labelled, and how they were drawn.",
)
@spark_options
def command(
    judgments: str,
    baseline: str,
    candidates: tuple[str, ...],
    measures: tuple[str, ...],
    per_query: bool,
    repeat_of: tuple[str, ...],
    all_pairs: bool,
    similarity: bool,
    timings: tuple[str, ...],
    corpus: str | None,
    model_judgments: str | None,
    label_draw: str | None,
    cluster: Cluster | None,
    output: str | None,
    output_format: str,
    **options: Any,  # noqa: ANN401 - as compare takes them
) -> None:
    """Compare each CANDIDATE with the BASELINE, query by query.

    Shows the means side by side; the difference in each measure with its interval, p-value,
    effect size, and the number of queries won and lost; and the queries that changed most. The
    first measure decides. Without -m, nDCG@10 decides, and RR, P@5 and recall at 100, or at the
    depth of the runs, are also tested. An output file ending in .html is a page with charts; .svg
    or .png is a chart of the differences.

    \b
    berryeval compare qrels.txt bm25.run hybrid.run -m nDCG@10 -m P@5
    berryeval compare qrels.txt BM25=a.run Hybrid=b.run -o table.tex
    berryeval compare qrels.txt bm25.run hybrid.run --queries queries.json --by category
    berryeval compare qrels.txt bm25.run hybrid.run -o report.html --documents corpus.jsonl
    berryeval compare qrels.txt old.run new.run --repeat-of new.run=new.2.run
    berryeval compare qrels.txt old.run new.run -m nDCG@10 -m ms@p95 \\
        --timings old.run=old.timings --timings new.run=new.timings
    berryeval compare judgments.parquet old.parquet new.parquet --engine spark --master yarn
    """
    from berryeval.charts import forest_plot
    from berryeval.evaluation import compare
    from berryeval.reports import comparison as report
    from berryeval.reports.rendering import render_comparison
    from berryeval.reports.terminal import show_tables

    _check_shown(output_format, all_pairs=all_pairs, similarity=similarity, per_query=per_query)
    runs = named_runs((baseline, *candidates))
    if cluster is None:
        repeats = _repeats(repeat_of, runs)
        times = timings_of(timings, runs)
        comparison = compare(
            judgments,
            runs,
            measures or None,
            repeats=repeats,
            timings=times,
            model=_model(model_judgments, label_draw),
            **options,
        )
    else:
        refuse_options(
            {
                "--repeat-of": repeat_of,
                "--timings": timings,
                "--model-judgments": model_judgments,
                "--label-draw": label_draw,
                "--similarity": similarity,
                **{f"--{name}": options.pop(name) for name in ("bounds", "lengths")},
                "--max-grade": options.pop("max_grade"),
            }
        )
        with compared_on_spark(cluster, judgments, runs, measures, options) as found:
            comparison = found
    if all_pairs:
        from berryeval.evaluation.all_pairs import with_pairs

        comparison = with_pairs(comparison)
    more = [*_similarity_tables(comparison)] if similarity else []
    if output_format in ("svg", "png"):
        write_chart(forest_plot(comparison), output_format, output)
    elif output_format == "table" and output in (None, "-"):
        click.echo(comparison.sentence + "\n")
        show_tables([*report.comparison_table(comparison), *more])
        if cluster is None and sys.stdout.isatty():
            click.echo(
                f"\nTo decide whether it can ship: {_gate_command(comparison, judgments, runs)}"
            )
    else:
        documents = None
        if corpus is not None and output_format == "html":
            from berryeval.formats import read_documents

            documents = read_documents(corpus)
        text = render_comparison(
            comparison, output_format, more, per_query=per_query, documents=documents
        )
        write_output(text, output)


def _gate_command(comparison: Comparison, judgments: str, runs: dict[str, str]) -> str:
    """Return the command that decides about the best candidate, with an example of a margin."""
    from berryeval.evaluation.leaderboard import best_first

    best = best_first(comparison.deciding(), comparison.lead)[0].system
    return gate_command(
        judgments, runs[comparison.baseline], runs[best], f"{comparison.lead}={EXAMPLE_MARGIN}"
    )


def _model(model_judgments: str | None, label_draw: str | None) -> ModelJudgments | None:
    from berryeval.errors import ArgumentError
    from berryeval.evaluation.model_judgments import ModelJudgments

    if model_judgments is None and label_draw is None:
        return None
    if model_judgments is None or label_draw is None:
        flags = ("--model-judgments", "--label-draw")
        missing, given = flags if model_judgments is None else reversed(flags)
        raise ArgumentError(missing, f"a file, since {given} is given", "none")
    return ModelJudgments(model_judgments, label_draw)


def _repeats(repeat_of: tuple[str, ...], runs: dict[str, str]) -> dict[str, list[str]]:
    """Return further runs by the name of their system; RUN is a path, or that name."""
    from berryeval.errors import ArgumentError

    found: dict[str, list[str]] = {}
    for text in repeat_of:
        given, equals, file = text.partition("=")
        names = [name for name, path in runs.items() if given in (path, name)]
        if not equals or not file or not names:
            expected = f"RUN=FILE with RUN one of {', '.join(runs.values())}"
            raise ArgumentError("--repeat-of", expected, repr(text))
        found.setdefault(names[0], []).append(file)
    return found


def _check_shown(output_format: str, *, all_pairs: bool, similarity: bool, per_query: bool) -> None:
    """Reject options that a format has no place for, before any file is read."""
    if similarity and output_format not in ("table", "markdown"):
        raise click.UsageError(
            f"--similarity requires a table or Markdown; the output is {output_format}."
        )
    if all_pairs and output_format in ("svg", "png"):
        raise click.UsageError(f"A chart ({output_format}) shows no pairs; omit --all-pairs.")
    if all_pairs and per_query and output_format == "csv":
        raise click.UsageError("CSV has rows of queries or of pairs; omit -q or --all-pairs.")


def _similarity_tables(comparison: Comparison) -> Iterator[Table]:
    from berryeval.evaluation import all_pairs as pairs
    from berryeval.reports import all_pairs as report

    yield report.run_similarity_table(pairs.run_similarity(comparison), 100)
    if len(comparison.runs) > 2 and len(comparison.measures) > 1:  # noqa: PLR2004
        yield report.order_similarity_table(pairs.order_similarity(comparison))
