"""``berryeval agree``."""

from __future__ import annotations

from typing import Any

import click

from berryeval.cli._options import (
    duplicates_option,
    exclude_self_option,
    judges_option,
    measures_option,
    missing_option,
    named_runs,
    no_relevant_option,
    queries_option,
)
from berryeval.cli._output import output_options, write_output

__all__ = ["command"]

FORMATS = ("table", "csv", "json", "markdown")


@click.command("agree")
@click.argument("first", metavar="JUDGMENTS")
@click.argument("second", metavar="JUDGMENTS")
@click.argument("runs", metavar="RUN RUN...", nargs=-1, required=True)
@measures_option("nDCG@10", "Measure that orders the systems")
@queries_option
@click.option(
    "--level", type=float, default=0.95, show_default=True, help="Confidence level of intervals."
)
@output_options(FORMATS)
@missing_option
@no_relevant_option
@duplicates_option
@judges_option
@exclude_self_option
def command(
    first: str,
    second: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    output: str | None,
    output_format: str,
    **options: Any,  # noqa: ANN401 - as compare takes them
) -> None:
    """Report whether two sets of JUDGMENTS order systems alike.

    Shows the rank of each system under both sets, Kendall's tau and tau_AP between the two
    orders, and the pairs of systems whose order changes, with what each set establishes about
    them. Use it to check whether cheaper judgments, such as those of a language model, lead to the
    same decisions. `berryeval compare --similarity` shows how alike several measures order the
    runs.

    \b
    berryeval agree experts.qrels model.qrels bm25.run dense.run hybrid.run
    berryeval agree Experts=a.txt Model=b.txt *.run -m nDCG@10 -m AP
    """
    from berryeval.evaluation.agreeing import agree
    from berryeval.reports.agreement import agreement_tables, render_agreement
    from berryeval.reports.terminal import show_tables

    judgments = named_runs((first, second), "JUDGMENTS", "file")
    found = agree(judgments, named_runs(runs), measures or "nDCG@10", **options)
    if output_format == "table" and output in (None, "-"):
        show_tables(agreement_tables(found))
    else:
        write_output(render_agreement(found, output_format), output)
