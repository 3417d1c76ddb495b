"""``berryeval fuse``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from berryeval.cli._options import duplicates_option, judged_only_option, judges_option, named_runs
from berryeval.cli._output import check_outputs, write_chart, write_output
from berryeval.cli._systems import progress_bar
from berryeval.core.notes import caution_notes
from berryeval.errors import ArgumentError
from berryeval.fusion.methods import DEFAULT_METHOD, DEFAULT_NORM, METHODS, NORMS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from berryeval.core.judgments import Judgments
    from berryeval.core.run import Run
    from berryeval.evaluation.tuning import FusionTuning
    from berryeval.formats import Duplicates, Judges
    from berryeval.measures import Measure

__all__ = ["command"]


def _read_weights(
    _context: click.Context, _option: click.Parameter, text: str | None
) -> list[float] | None:
    if text is None:
        return None
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise ArgumentError("--weights", "numbers, such as 0.7,0.3", repr(text)) from None


def _read_parameters(
    _context: click.Context, _option: click.Parameter, texts: tuple[str, ...]
) -> dict[str, float]:
    found = {}
    for text in texts:
        name, equals, number = text.partition("=")
        try:
            found[name] = float(number)
        except ValueError:
            equals = ""
        if not equals:
            raise ArgumentError("--parameter", "NAME=NUMBER, such as k=20", repr(text))
    return found


@click.command("fuse")
@click.argument("runs", metavar="RUN...", nargs=-1, required=True)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Fused run; its extension sets the format, as in `berryeval convert`.  [default: "
    "standard output; with --tune, none]",
)
@click.option(
    "--method",
    "methods",
    multiple=True,
    type=click.Choice([*METHODS]),
    metavar="METHOD",
    help=f"One of {', '.join(METHODS)}. Repeatable with --tune.  [default: {DEFAULT_METHOD}]",
)
@click.option(
    "--norm",
    "norms",
    multiple=True,
    type=click.Choice(["none", *NORMS]),
    help="How to normalise the scores of each run and query. Rank-based methods ignore it, "
    "except for min-max-inverted, which is for distances. Repeatable with --tune.  [default: "
    f"{DEFAULT_NORM}]",
)
@click.option(
    "--weights",
    metavar="NUMBERS",
    callback=_read_weights,
    help="One weight per run, such as 0.7,0.3, for "
    f"{', '.join(name for name, one in METHODS.items() if one.is_weighted)}.  [default: 1 each]",
)
@click.option(
    "-p",
    "--parameter",
    "parameters",
    multiple=True,
    metavar="NAME=NUMBER",
    callback=_read_parameters,
    help="Parameter of the method, such as k=20 for rrf. Repeatable.",
)
@click.option("--depth", type=int, help="Documents to keep per query.  [default: all]")
@click.option(
    "--judgments",
    metavar="FILE",
    help="Judgments for --tune; or of training queries, for "
    f"{', '.join(name for name, one in METHODS.items() if one.is_trained)}.",
)
@click.option(
    "--tune",
    "measure",
    metavar="MEASURE",
    help="Choose method, normalisation and weights by cross-validation, to improve this measure.",
)
@click.option(
    "--folds",
    "n_folds",
    type=int,
    default=5,
    show_default=True,
    help="Number of folds to divide the queries into.",
)
@click.option(
    "--seed", type=int, default=0, show_default=True, help="Random seed for the folds of --tune."
)
@click.option(
    "--report",
    "reports",
    multiple=True,
    metavar="FILE",
    help="Also write the result of --tune, in the format of its extension: .html, .json, .md, "
    ".csv, .txt, or .svg and .png for a chart of weights. Repeatable.",
)
@click.option(
    "--queries",
    "query_file",
    metavar="FILE",
    help="Queries for --tune. Their weights are used, and a group is never split across folds.",
)
@click.option(
    "--different-queries",
    "queries",
    type=click.Choice(["all", "common", "error"]),
    default="all",
    show_default=True,
    help="Which queries to fuse if the runs have different ones.",
)
@duplicates_option
@judges_option
@judged_only_option
def command(
    runs: tuple[str, ...],
    output: str | None,
    methods: tuple[str, ...],
    norms: tuple[str, ...],
    judgments: str | None,
    measure: str | None,
    n_folds: int,
    seed: int,
    reports: tuple[str, ...],
    query_file: str | None,
    duplicates: Duplicates,
    judges: Judges,
    judged_only: bool,
    parameters: dict[str, float],
    depth: int | None,
    **options: Any,  # noqa: ANN401 - as fuse_runs takes them
) -> None:
    """Combine several runs into one.

    A RUN is a file, or NAME=FILE to give it a name. By default, ranks are fused: rrf adds up
    1 / (60 + rank). Methods that learn need --judgments; do not score the result on the same
    queries. Runs may have different queries, which is reported on standard error.

    With --tune, method, normalisation and weights are chosen by cross-validation over the judged
    queries. The report shows the score on held-out folds next to the optimistic one on training
    folds, and states whether fusion beats the best single run.

    \b
    berryeval fuse bm25.run vectors.run -o fused.run
    berryeval fuse bm25.run vectors.run -o fused.run --method wsum --weights 0.7,0.3
    berryeval fuse bm25.run vectors.run --norm zmuv --method mnz --depth 1000 -o fused.run.gz
    berryeval fuse bm25.run vectors.run --tune nDCG@10 --judgments qrels.txt -o fused.run
    berryeval fuse BM25=a.run E5=b.run --tune AP --judgments qrels.txt --report tuning.html
    """
    from berryeval.evaluation.evaluate import read_measure
    from berryeval.evaluation.sources import load_judgments, load_run
    from berryeval.formats.writing import format_of_name, write_run
    from berryeval.fusion.fuse import fuse_runs

    formats = {file: _format_of_report(file) for file in reports}
    check_outputs([output, *reports])
    if output is not None:
        format_of_name(output)  # refused before anything is read
    _check_usage(methods, norms, judgments, measure, reports, query_file, judged_only, **options)
    named = named_runs(runs)
    loaded = {name: load_run(path, duplicates) for name, path in named.items()}
    judged = None if judgments is None else load_judgments(judgments, duplicates, judges)
    if measure is not None:
        assert judged is not None
        tuning = _tune(
            judged,
            loaded,
            read_measure(measure, judged_only=judged_only),
            methods,
            norms,
            parameters,
            query_file,
            n_folds=n_folds,
            seed=seed,
        )
        for file, form in formats.items():
            _write_report(tuning, form, file)
        fused = tuning.fuse(depth)
    else:
        fused = fuse_runs(
            loaded,
            methods[0] if methods else DEFAULT_METHOD,
            norm=norms[0] if norms else DEFAULT_NORM,
            parameters=parameters,
            judgments=judged,
            depth=depth,
            **options,
        )
    if output is not None or measure is None:
        write_run(fused, output or "-")
    _show_notes(loaded, fused)


def _check_usage(
    methods: Sequence[str],
    norms: Sequence[str],
    judgments: str | None,
    measure: str | None,
    reports: Sequence[str],
    query_file: str | None,
    judged_only: bool,
    weights: Sequence[float] | None,
    queries: str,
) -> None:
    """Reject options that cannot be combined."""
    if measure is None and (len(methods) > 1 or len(norms) > 1):
        raise click.UsageError("Choose one --method and one --norm; only --tune takes several.")
    if measure is None and reports:
        raise click.UsageError("--report requires --tune.")
    if measure is None and query_file is not None:
        raise click.UsageError("--queries requires --tune.")
    if measure is None and judged_only:
        raise click.UsageError("--judged-only requires --tune.")
    if measure is not None and judgments is None:
        raise click.UsageError("--tune requires --judgments.")
    if measure is not None and weights is not None:
        raise click.UsageError("--tune chooses the weights; leave out --weights.")
    if measure is not None and queries != "all":
        raise click.UsageError("--tune fuses all queries; leave out --different-queries.")


def _tune(
    judgments: Judgments,
    runs: Mapping[str, Run],
    measure: Measure,
    methods: Sequence[str],
    norms: Sequence[str],
    parameters: Mapping[str, float],
    queries: str | None,
    **options: int,
) -> FusionTuning:
    """Choose a way to fuse, and show how it did."""
    from berryeval.evaluation.tuning import TUNED_METHODS, TUNED_NORMS, tune_fusion
    from berryeval.reports.terminal import show_tables
    from berryeval.reports.tuning import tuning_sentences, tuning_tables

    with progress_bar("Tuning") as progress:
        tuning = tune_fusion(
            judgments,
            runs,
            measure,
            methods=methods or TUNED_METHODS,
            norms=norms or TUNED_NORMS,
            parameters=parameters,
            n_folds=options["n_folds"],
            seed=options["seed"],
            queries=queries,
            progress=progress,
        )
    click.echo("\n".join(tuning_sentences(tuning)) + "\n")
    show_tables(tuning_tables(tuning))
    return tuning


def _format_of_report(file: str) -> str:
    from berryeval.cli._output import report_format

    return report_format(file, ("csv", "html", "json", "markdown", "png", "svg"))


def _write_report(tuning: FusionTuning, form: str, file: str) -> None:
    from berryeval.charts import weights_chart
    from berryeval.reports import tuning as report
    from berryeval.reports.layout import tables_to_text
    from berryeval.reports.markdown import tables_to_markdown

    if form in ("png", "svg"):
        write_chart(weights_chart(tuning), form, file)
        return
    sentences, tables = report.tuning_sentences(tuning), report.tuning_tables(tuning)
    if form == "json":
        text = report.tuning_to_json(tuning)
    elif form == "html":
        from berryeval.reports.html.tuning_page import tuning_to_html

        text = tuning_to_html(tuning)
    elif form == "csv":
        text = report.tuning_to_csv(tuning)
    elif form == "markdown":
        text = "\n\n".join([*sentences, tables_to_markdown(tables)])
    else:
        text = "\n".join([*sentences, "", tables_to_text(tables)])
    write_output(text, file)


def _show_notes(runs: dict[str, Run], fused: Run) -> None:
    """Report suspicious scores, and queries that a run lacks."""
    for name, run in runs.items():
        for note in caution_notes(run.find_cautions(), name):
            click.echo(str(note), err=True)
    for note in caution_notes(fused.cautions or ()):
        click.echo(str(note), err=True)
