"""Options that several commands have."""

from __future__ import annotations

import click

__all__ = ["duplicates_option", "judges_option"]

duplicates_option = click.option(
    "--duplicates",
    type=click.Choice(["error", "keep-best"]),
    default="error",
    show_default=True,
    help="What to do with a document that comes twice for a query.",
)

judges_option = click.option(
    "--judges",
    type=click.Choice(["max", "mean", "majority"]),
    help="How the grades of several judges become one; without it they are an error.",
)
