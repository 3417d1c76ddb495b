"""Counting relevant documents, which most measures begin with."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["count_relevant"]


def count_relevant(grades: Iterable[float], level: float) -> int:
    """Count the grades that are at least `level`."""
    return sum(1 for grade in grades if grade >= level)
