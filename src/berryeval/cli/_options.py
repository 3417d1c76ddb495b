"""Options that several commands have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from berryeval.core.judging import JUDGES

__all__ = [
    "duplicates_option",
    "judges_option",
    "measures_option",
    "missing_option",
    "no_relevant_option",
    "queries_option",
]

Command = TypeVar("Command", bound=Callable[..., Any])


def measures_option(default: str) -> Callable[[Command], Command]:
    """Give a command ``--measure``; `default` says which measures it reports without it."""
    return click.option(
        "-m",
        "--measure",
        "measures",
        multiple=True,
        metavar="MEASURE",
        help=f"Measure to report. Repeatable.  [default: {default}]",
    )


queries_option = click.option("--queries", metavar="FILE", help="Texts and labels of the queries.")

missing_option = click.option(
    "--missing",
    type=click.Choice(["zero", "skip", "error"]),
    default="zero",
    show_default=True,
    help="How to score judged queries that are missing from the run.",
)

no_relevant_option = click.option(
    "--no-relevant",
    type=click.Choice(["zero", "skip"]),
    default="zero",
    show_default=True,
    help="How to score queries without relevant documents.",
)

duplicates_option = click.option(
    "--duplicates",
    type=click.Choice(["error", "keep-best"]),
    default="error",
    show_default=True,
    help="What to do if a document occurs twice for a query.",
)

judges_option = click.option(
    "--judges",
    type=click.Choice(JUDGES),
    default="first",
    show_default=True,
    help="Which grade to use if several judges graded a document.",
)
