"""Reciprocal rank: how far down the first relevant document is."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["reciprocal_rank"]


def reciprocal_rank(
    grades: Sequence[float], _judged: Sequence[float], k: int | None = None, level: float = 1.0
) -> float:
    """Return 1 / rank of the first relevant document in the first k; 0 if there is none."""
    for rank, grade in enumerate(grades[:k], start=1):
        if grade >= level:
            return 1.0 / rank
    return 0.0
