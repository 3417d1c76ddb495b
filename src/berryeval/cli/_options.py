"""Options that several commands have."""

from __future__ import annotations

import click

from berryeval.core.judging import JUDGES

__all__ = [
    "duplicates_option",
    "judges_option",
    "measures_option",
    "missing_option",
    "no_relevant_option",
]

measures_option = click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="MEASURE",
    help="What to report; repeatable. Without it: RR, and R, P, nDCG, Success at 1, 3, 5, 10.",
)

missing_option = click.option(
    "--missing",
    type=click.Choice(["zero", "skip", "error"]),
    default="zero",
    show_default=True,
    help="What a judged query is worth that the run does not have.",
)

no_relevant_option = click.option(
    "--no-relevant",
    type=click.Choice(["zero", "skip"]),
    default="zero",
    show_default=True,
    help="What a query is worth that has no relevant document.",
)

duplicates_option = click.option(
    "--duplicates",
    type=click.Choice(["error", "keep-best"]),
    default="error",
    show_default=True,
    help="What to do with a document that comes twice for a query.",
)

judges_option = click.option(
    "--judges",
    type=click.Choice(JUDGES),
    default="first",
    show_default=True,
    help="Which grade counts where several judges graded a document.",
)
