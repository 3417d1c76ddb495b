"""Precision: the share of what was returned that is relevant."""

from __future__ import annotations

from collections.abc import Sequence

from berryeval.kernels.relevance import count_relevant

__all__ = ["precision", "precision_over"]


def precision(
    grades: Sequence[float], _judged: Sequence[float], k: int | None = None, level: float = 1.0
) -> float:
    """Divide the relevant documents in the first k by k; without k, by all that were returned."""
    n_ranks = len(grades) if k is None else k
    return precision_over(grades, n_ranks, n_ranks, level)


def precision_over(grades: Sequence[float], k: int, denominator: int, level: float = 1.0) -> float:
    """Divide the relevant documents in the first k by `denominator`; 0 if that is 0.

    The denominator is k, or the number of documents returned (docs/decisions/0003).
    """
    return count_relevant(grades[:k], level) / denominator if denominator else 0.0
