"""The pages that the menu and the palette lead to."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["PAGES", "Place"]


class Place(NamedTuple):
    """A page of the menu."""

    address: str
    title: str
    about: str
    icon: str
    """The name of its icon in ``icons.html``."""


PAGES = (
    Place("/", "Overview", "Is it good, and did it get better or worse?", "overview"),
    Place("/runs", "Runs", "All runs and their scores", "runs"),
    Place("/compare", "Compare", "Two runs, query by query", "compare"),
    Place("/queries", "Queries", "All queries and their results", "queries"),
    Place("/judge", "Judge", "Grade unjudged documents", "judge"),
    Place("/judgments", "Judgments", "History, conflicts, agreement", "judgments"),
    Place("/gates", "Gates", "What a candidate must achieve to ship", "gates"),
    Place("/power", "Power", "The smallest drop this golden set can detect", "power"),
    Place("/import", "Import", "Judgments, runs, queries and documents from files", "import"),
)
"""In the order of the menu."""
