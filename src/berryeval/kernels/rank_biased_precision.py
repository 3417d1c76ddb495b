"""Rank-biased precision: gains seen by a reader who continues with a fixed probability."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["rank_biased_precision", "rank_biased_residual"]


def rank_biased_precision(
    grades: Sequence[float],
    _judged: Sequence[float],
    k: int | None = None,
    p: float = 0.8,
    level: float = 1.0,
    max_grade: float | None = None,
) -> float:
    """Add up (1 - p) p^(rank - 1) gain over the first k ranks.

    A relevant document gains 1. With `max_grade` a document gains grade / max_grade instead,
    at most 1, and nothing if it is not relevant.
    """
    seen = 1.0
    total = 0.0
    for grade in grades[:k]:
        if grade >= level:
            gain = 1.0 if max_grade is None else min(grade / max_grade, 1.0)
            total += gain * seen
        seen *= p
    return (1.0 - p) * total


def rank_biased_residual(
    grades: Sequence[float], _judged: Sequence[float], k: int | None = None, p: float = 0.8
) -> float:
    """Return how much RBP could rise if all unjudged documents were perfect.

    That is the weight of the unjudged documents in the first k, and of all ranks after them.
    """
    seen = 1.0
    total = 0.0
    for grade in grades[:k]:
        if grade < 0.0:
            total += seen
        seen *= p
    return min((1.0 - p) * total + seen, 1.0)
