"""``berryeval overlap``."""

from __future__ import annotations

from typing import Any

import click

from berryeval.cli._options import duplicates_option, named_runs
from berryeval.cli._output import output_options, write_output

__all__ = ["command"]

FORMATS = ("table", "csv", "json", "markdown")


@click.command("overlap")
@click.argument("first", metavar="RUN")
@click.argument("second", metavar="RUN")
@click.option(
    "-p",
    type=float,
    default=0.9,
    show_default=True,
    help="Persistence: probability that the reader continues to the next rank.",
)
@click.option(
    "--depth", type=click.IntRange(min=0), default=100, show_default=True,
    help="Number of ranks to consider; 0 means all.",
)  # fmt: skip
@output_options(FORMATS)
@duplicates_option
def command(
    first: str,
    second: str,
    depth: int,
    output: str | None,
    output_format: str,
    **options: Any,  # noqa: ANN401 - as overlap takes them
) -> None:
    """Report how similar the rankings of two runs are.

    No judgments are needed. Shows the mean rank-biased overlap (RBO) with its bounds, Kendall's
    tau over the documents that both runs have, and the queries whose rankings differ most. CSV
    and JSON contain every query.

    \b
    berryeval overlap old.run new.run
    berryeval overlap bm25.run dense.run -p 0.95 --depth 1000 -o overlap.csv
    """
    from berryeval.evaluation.overlap import overlap
    from berryeval.reports.overlap import overlap_tables, render_overlap
    from berryeval.reports.terminal import show_tables

    runs = named_runs((first, second))
    one, other = runs.values()
    found = overlap(one, other, depth=depth or None, **options)
    names = (*runs,)[0], (*runs,)[1]
    if output_format == "table" and output in (None, "-"):
        show_tables(overlap_tables(found, names))
    else:
        write_output(render_overlap(found, names, output_format), output)
