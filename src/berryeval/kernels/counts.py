"""Counts of queries and documents."""

from __future__ import annotations

from collections.abc import Sequence

from berryeval.kernels.relevance import count_nonrelevant, count_relevant, count_unjudged

__all__ = [
    "n_nonrelevant_retrieved",
    "n_queries",
    "n_relevant",
    "n_relevant_retrieved",
    "n_retrieved",
    "n_unjudged_retrieved",
]


def n_queries(_grades: Sequence[float], _judged: Sequence[float]) -> float:
    """Return 1: every query counts."""
    return 1.0


def n_retrieved(grades: Sequence[float], _judged: Sequence[float]) -> float:
    """Count the documents of the ranking."""
    return float(len(grades))


def n_relevant(_grades: Sequence[float], judged: Sequence[float], level: float = 1.0) -> float:
    """Count the relevant documents, retrieved or not."""
    return float(count_relevant(judged, level))


def n_relevant_retrieved(
    grades: Sequence[float], _judged: Sequence[float], k: int | None = None, level: float = 1.0
) -> float:
    """Count the relevant documents in the first k."""
    return float(count_relevant(grades[:k], level))


def n_nonrelevant_retrieved(
    grades: Sequence[float], _judged: Sequence[float], k: int | None = None, level: float = 1.0
) -> float:
    """Count the documents in the first k that were judged, and not relevant."""
    return float(count_nonrelevant(grades[:k], level))


def n_unjudged_retrieved(
    grades: Sequence[float], _judged: Sequence[float], k: int | None = None
) -> float:
    """Count the unjudged documents in the first k."""
    return float(count_unjudged(grades[:k]))
