"""``berryeval sessions``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from berryeval.cli._options import (
    duplicates_option,
    judged_only_option,
    judges_option,
    measures_option,
    named_runs,
)
from berryeval.cli._output import output_options, write_output

if TYPE_CHECKING:
    from berryeval.formats import Duplicates, Judges

__all__ = ["command"]

FORMATS = ("table", "csv", "json", "markdown")


@click.command("sessions")
@click.argument("judgments", metavar="JUDGMENTS")
@click.argument("runs", metavar="RUN...", nargs=-1, required=True)
@click.option(
    "--queries",
    required=True,
    metavar="FILE",
    help="Queries file with the session and the turn of each query.",
)
@measures_option("nDCG@10", "Measure to average over the turns of each session")
@click.option(
    "-k",
    "k",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    metavar="N",
    help="Number of ranks that session DCG considers.",
)
@click.option(
    "--exponential", is_flag=True, help="Gain 2^grade - 1 in session DCG instead of the grade."
)
@click.option(
    "--rank-base",
    "b",
    type=click.FloatRange(min=1.0, min_open=True),
    default=2.0,
    show_default=True,
    help="Base b of the discount of ranks, 1 + log_b(rank).",
)
@click.option(
    "--turn-base",
    "bq",
    type=click.FloatRange(min=1.0, min_open=True),
    default=4.0,
    show_default=True,
    help="Base bq of the discount of turns, 1 + log_bq(turn).",
)
@click.option("-q", "--per-session", is_flag=True, help="Also report every session.")
@output_options(FORMATS)
@duplicates_option
@judges_option
@judged_only_option
def command(
    judgments: str,
    runs: tuple[str, ...],
    queries: str,
    measures: tuple[str, ...],
    k: int,
    exponential: bool,
    b: float,
    bq: float,
    per_session: bool,
    output: str | None,
    output_format: str,
    duplicates: Duplicates,
    judges: Judges,
    judged_only: bool,
) -> None:
    """Score sessions and conversations.

    Reports session DCG, in which later turns count less, its normalised form, and the mean of each
    measure over the turns of a session; then the means over sessions. The queries file has the
    columns session and turn. `berryeval evaluate --by turn` reports the first turns, the second
    turns, and so on.

    \b
    berryeval sessions qrels.txt bm25.run --queries queries.jsonl
    berryeval sessions qrels.txt bm25.run dense.run --queries queries.csv -m R@100 --per-session
    """
    from berryeval.evaluation.sessions import session_scores
    from berryeval.evaluation.slices import load_queries
    from berryeval.evaluation.sources import load_judgments
    from berryeval.reports.sessions import render_sessions, sessions_tables
    from berryeval.reports.terminal import show_tables

    loaded, turns = load_judgments(judgments, duplicates, judges), load_queries(queries).values()
    found = {
        name: session_scores(
            loaded,
            path,
            turns,
            k=k,
            b=b,
            bq=bq,
            gain="exp2" if exponential else "linear",
            measures=measures or "nDCG@10",
            judged_only=judged_only,
        )
        for name, path in named_runs(runs).items()
    }
    if output_format == "table" and output in (None, "-"):
        show_tables(sessions_tables(found, per_session=per_session))
    else:
        write_output(render_sessions(found, output_format, per_session=per_session), output)
