"""Relative precision: relevant documents found, relative to the most that k ranks could contain."""

from __future__ import annotations

from collections.abc import Sequence

from berryeval.kernels.relevance import count_relevant

__all__ = ["relative_precision"]


def relative_precision(
    grades: Sequence[float], judged: Sequence[float], k: int | None = None, level: float = 1.0
) -> float:
    """Divide the relevant documents in the first k by the smaller of k and all relevant.

    Without k, that is the number of documents retrieved. The value is 0 if the divisor is.
    """
    n_ranks = len(grades) if k is None else k
    possible = min(n_ranks, count_relevant(judged, level))
    return count_relevant(grades[:k], level) / possible if possible else 0.0
