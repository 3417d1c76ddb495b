"""``berryeval power``."""

from __future__ import annotations

import click

from berryeval.cli._options import judged_only_option, measures_option
from berryeval.cli._output import output_options, write_chart, write_output
from berryeval.evaluation.gate_rules import DEFAULT_RULES, POWER

__all__ = ["command"]

FORMATS = ("table", "json", "svg", "png")


@click.command("power")
@click.argument("judgments", metavar="JUDGMENTS")
@click.argument("run", metavar="RUN")
@click.option(
    "--against", metavar="RUN", help="Run of a second system, to measure how much scores differ."
)
@click.option(
    "--queries",
    metavar="FILE",
    help="Queries file with weights, and with groups, which are used with --against.",
)
@measures_option("nDCG@10", "Measure to guard")
@click.option(
    "--margin",
    "margins",
    multiple=True,
    type=float,
    help="Report the number of queries this margin requires. Repeatable.  [default: 0.01, 0.02, "
    "0.05, 0.1]",
)
@click.option(
    "--alpha",
    type=float,
    default=DEFAULT_RULES.alpha,
    show_default=True,
    help="Significance level of the gate.",
)
@click.option(
    "--power",
    type=float,
    default=POWER,
    show_default=True,
    help="Probability that an equally good candidate passes.",
)
@output_options(FORMATS)
@judged_only_option
def command(
    judgments: str,
    run: str,
    against: str | None,
    queries: str | None,
    measures: tuple[str, ...],
    margins: tuple[float, ...],
    alpha: float,
    power: float,
    output: str | None,
    output_format: str,
    judged_only: bool,
) -> None:
    """Report the smallest drop that this golden set can rule out.

    A gate with a smaller margin is inconclusive more often than not. An output file ending in
    .svg or .png is a chart of the first measure.

    \b
    berryeval power qrels.txt bm25.run --against hybrid.run
    berryeval power qrels.txt bm25.run -m RR@10 --margin 0.03
    """
    from berryeval.evaluation.evaluate import read_measures
    from berryeval.evaluation.power import MARGINS, sensitivity
    from berryeval.reports import power as report
    from berryeval.reports.layout import tables_to_text
    from berryeval.reports.terminal import show_tables

    found = sensitivity(
        judgments,
        run,
        read_measures(measures or "nDCG@10", judged_only=judged_only),
        against=against,
        queries=queries,
        margins=margins or MARGINS,
        alpha=alpha,
        power=power,
    )
    if output_format == "json":
        write_output(report.power_to_json(found), output)
    elif output_format in ("svg", "png"):
        from berryeval.charts import power_chart

        write_chart(power_chart(found[0]), output_format, output)
    elif output is not None:
        write_output(tables_to_text(report.power_tables(found)), output)
    else:
        show_tables(report.power_tables(found))
