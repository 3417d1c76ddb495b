"""Precision: the share of what was returned that is relevant."""

from __future__ import annotations

from collections.abc import Sequence

from berryeval.kernels.relevance import count_relevant

__all__ = ["precision"]


def precision(grades: Sequence[float], k: int, denominator: int, level: float = 1.0) -> float:
    """Divide the relevant documents in the first k by `denominator`; 0 if that is 0.

    The denominator is k, or the number of documents returned (docs/decisions/0003).
    """
    return count_relevant(grades[:k], level) / denominator if denominator else 0.0
