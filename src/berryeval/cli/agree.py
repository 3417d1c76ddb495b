"""``berryeval agree``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from berryeval.cli._options import (
    duplicates_option,
    exclude_self_option,
    judged_only_option,
    judges_option,
    measures_option,
    missing_option,
    named_runs,
    no_relevant_option,
    queries_option,
)
from berryeval.cli._output import output_options, write_output
from berryeval.errors import FormatError

__all__ = ["command"]

FORMATS = ("table", "csv", "json", "markdown")


@click.command("agree")
@click.argument("first", metavar="JUDGMENTS")
@click.argument("files", metavar="[JUDGMENTS] RUN RUN...", nargs=-1, required=True)
@measures_option(
    "nDCG@10; nDCG@10 and AP for one set of judgments", "Measure that orders the systems"
)
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
@judged_only_option
def command(
    first: str,
    files: tuple[str, ...],
    measures: tuple[str, ...],
    output: str | None,
    output_format: str,
    **options: Any,  # noqa: ANN401 - as compare takes them
) -> None:
    """Report whether judgments, or measures, rank systems alike.

    Shows the rank of each system in both orders, Kendall's tau and tau_AP between them with their
    intervals, the pairs of systems whose order changes, and whether each difference is
    statistically established.

    With two sets of JUDGMENTS, they are compared by each measure. Use it to check whether cheaper
    judgments, such as those of a language model, lead to the same decisions. With one set, every
    pair of measures is compared. Use it to check whether a second measure tells you anything new.

    \b
    berryeval agree experts.qrels model.qrels bm25.run dense.run hybrid.run
    berryeval agree Experts=a.txt Model=b.txt *.run -m nDCG@10 -m AP
    berryeval agree qrels.txt *.run -m nDCG@10 -m AP -m RR
    """
    from berryeval.evaluation.agreeing import Agreement, MeasuresAgreement, agree, agree_measures
    from berryeval.reports.agreement import agreement_tables, render_agreement
    from berryeval.reports.terminal import show_tables

    found: Agreement | MeasuresAgreement
    second, *runs = files
    if _is_run(second):
        [judgments] = named_runs((first,), "JUDGMENTS", "file").values()
        wanted = measures or ("nDCG@10", "AP")
        found = agree_measures(judgments, named_runs(files), wanted, **options)
    else:
        both = named_runs((first, second), "JUDGMENTS", "file")
        found = agree(both, named_runs(runs), measures or "nDCG@10", **options)
    if output_format == "table" and output in (None, "-"):
        show_tables(agreement_tables(found))
    else:
        write_output(render_agreement(found, output_format), output)


def _is_run(argument: str) -> bool:
    """Whether a file holds a run; standard input is not looked at."""
    from berryeval.formats.facts import guess_kind
    from berryeval.formats.reading import sniff_format

    [path] = named_runs((argument,)).values()
    if path == "-" or Path(path).is_dir():
        return False
    try:
        return guess_kind(path, sniff_format(path)) == "run"
    except FormatError:  # a JSON object of whole numbers may be either; others are read, and fail
        return False
