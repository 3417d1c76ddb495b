"""``berryeval history``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from berryeval.cli._options import judged_only_option
from berryeval.cli._output import output_options, write_chart, write_output

if TYPE_CHECKING:
    from berryeval.suite.history import History
    from berryeval.suite.trends import Trend

__all__ = ["command"]

FORMATS = ("table", "csv", "json", "svg", "png")
ALARM = 1
_DEFAULT = "nDCG@10"


@click.command("history", short_help="Show a measure over time, and where it declined.")
@click.argument("file", metavar="FILE|ARCHIVE")
@click.option(
    "-m",
    "--measure",
    metavar="MEASURE",
    help="Measure to show.  [default: nDCG@10, or the first one recorded]",
)
@click.option("--run", metavar="NAME", help="Show only evaluations of this run.")
@click.option(
    "--last",
    type=click.IntRange(min=1),
    metavar="N",
    help="Show only the last N evaluations per run.",
)
@click.option(
    "--daily",
    is_flag=True,
    help="Test after every evaluation, as an alarm; exit code 1 if the newest one raises it.",
)
@judged_only_option
@output_options(FORMATS)
@click.pass_context
def command(
    context: click.Context,
    file: str,
    measure: str | None,
    run: str | None,
    last: int | None,
    daily: bool,
    judged_only: bool,
    output: str | None,
    output_format: str,
) -> None:
    """Show a measure over time, and test whether it declined.

    FILE is a history written by `berryeval evaluate --history FILE`, or an archive, whose runs are
    scored with the current judgments. Evaluations with the same judgments are tested per query
    for a step down and for a slow decline.

    Without --daily the history is tested once, at 0.05. A job that tests after every evaluation
    needs --daily, which allows for 51 tests and therefore detects less.

    \b
    berryeval evaluate qrels.txt bm25.run --history history.jsonl --note "$(git rev-parse HEAD)"
    berryeval history history.jsonl -m nDCG@10
    berryeval history history.jsonl --run bm25.run --last 30 -o chart.svg
    berryeval history history.jsonl --daily
    berryeval history berryeval.db -m P@5
    """
    from berryeval.archive.location import check_no_address
    from berryeval.evaluation.evaluate import read_measure
    from berryeval.reports import history as report
    from berryeval.suite.archived_history import is_archive, read_archived
    from berryeval.suite.history import read
    from berryeval.suite.trends import trends

    check_no_address(file, "FILE|ARCHIVE")
    if judged_only:
        measure = str(read_measure(measure or _DEFAULT, judged_only=True))
    history = read_archived(file, measure or _DEFAULT, run=run) if is_archive(file) else read(file)
    found: Sequence[Trend] = trends(history, measure, run=run, daily=daily)
    if last is not None:
        found = [trend.last(last) for trend in found]
    if output_format in ("svg", "png"):
        write_chart(report.trends_chart(found), output_format, output)
    elif output_format == "csv":
        write_output(report.history_to_csv(found), output)
    elif output_format == "json":
        write_output(report.history_to_json(history, found) + "\n", output)
    elif output in (None, "-"):
        _show(history, found)
    else:
        write_output(report.history_to_text(history, found), output)
    if any(trend.points[-1].is_alarm for trend in found):
        context.exit(ALARM)


def _show(history: History, found: Sequence[Trend]) -> None:
    from berryeval.reports import history as report
    from berryeval.reports.terminal import show_table

    for i, trend in enumerate(found):
        heading = report.trend_heading(trend, sys.stdout.encoding or "ascii")
        click.echo("\n" * bool(i) + heading + "\n")
        show_table(report.trend_table(trend))
    notes = report.history_notes(history, found[0].measure)
    if notes:
        click.echo("\n" + "\n".join(notes))
