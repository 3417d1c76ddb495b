"""Notes on results: sentences, and whether they warn."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

__all__ = ["Note", "caution_notes"]


class Note(NamedTuple):
    """A sentence about a result; as text, a caution starts with that word."""

    text: str
    is_caution: bool = False
    """Whether the result may be misleading."""

    def __str__(self) -> str:
        return f"Caution: {self.text}" if self.is_caution else self.text


def caution_notes(cautions: Iterable[str], name: str = "") -> list[Note]:
    """Return cautions, which have no full stop, as notes about the named object.

    Examples
    --------
    >>> [str(note) for note in caution_notes(["scores fall with rank"], "bm25.run")]
    ['Caution: bm25.run: scores fall with rank.']
    """
    start = f"{name}: " if name else ""
    return [Note(f"{start}{caution}.", is_caution=True) for caution in cautions]
