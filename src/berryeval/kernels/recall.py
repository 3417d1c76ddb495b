"""Recall: the share of the relevant documents that was found."""

from __future__ import annotations

from collections.abc import Sequence

from berryeval.kernels.relevance import count_relevant

__all__ = ["recall"]


def recall(
    grades: Sequence[float], judged: Sequence[float], k: int | None = None, level: float = 1.0
) -> float:
    """Divide the relevant documents in the first k by all that are relevant; 0 if none is."""
    n_relevant = count_relevant(judged, level)
    return count_relevant(grades[:k], level) / n_relevant if n_relevant else 0.0
