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
    """The name of its drawing in ``icons.html``."""


PAGES = (
    Place("/", "Overview", "Is it good, and did it get better or worse?", "overview"),
    Place("/runs", "Runs", "Every run, and what it scores", "runs"),
    Place("/compare", "Compare", "Two runs, query by query", "compare"),
    Place("/queries", "Queries", "What is asked, and what is found", "queries"),
    Place("/judge", "Judge", "Grade what nobody has judged", "judge"),
    Place("/judgments", "Judgments", "Who judged what, conflicts, agreement", "judgments"),
    Place("/gates", "Gates", "What may ship", "gates"),
    Place("/power", "Power", "What this golden set can see", "power"),
    Place("/import", "Import", "Judgments, runs, queries and documents from files", "import"),
)
"""In the order of the menu."""
