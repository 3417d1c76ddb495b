"""Options and arguments that several commands have."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from berryeval.core.judging import JUDGES
from berryeval.errors import ArgumentError

__all__ = [
    "duplicates_option",
    "judges_option",
    "measures_option",
    "missing_option",
    "no_relevant_option",
    "queries_option",
    "run_names",
]

Command = TypeVar("Command", bound=Callable[..., Any])


def measures_option(default: str, what: str = "Measure to report") -> Callable[[Command], Command]:
    """Give a command ``--measure``; `default` describes the default measures."""
    return click.option(
        "-m",
        "--measure",
        "measures",
        multiple=True,
        metavar="MEASURE",
        help=f"{what}. Repeatable.  [default: {default}]",
    )


queries_option = click.option("--queries", metavar="FILE", help="Texts and labels of the queries.")


def _choice(flag: str, choices: Sequence[str], text: str) -> Callable[[Command], Command]:
    """Return an option whose default is the first choice."""
    kind = click.Choice(choices)
    return click.option(flag, type=kind, default=choices[0], show_default=True, help=text)


missing_option = _choice(
    "--missing",
    ("zero", "skip", "error"),
    "How to score judged queries that are missing from the run.",
)
no_relevant_option = _choice(
    "--no-relevant", ("zero", "skip"), "How to score queries without relevant documents."
)
duplicates_option = _choice(
    "--duplicates", ("error", "keep-best"), "What to do if a document occurs twice for a query."
)
judges_option = _choice(
    "--judges", JUDGES, "Which grade to use if several judges graded a document."
)


def run_names(paths: Sequence[str]) -> list[str]:
    """Return a name per run: that of its file, or the whole path if names are alike."""
    names = ["standard input" if path == "-" else os.path.basename(path) for path in paths]  # noqa: PTH119
    if len(set(paths)) < len(paths):
        raise ArgumentError("RUN", "each run only once", ", ".join(paths))
    return names if len(set(names)) == len(names) else list(paths)
