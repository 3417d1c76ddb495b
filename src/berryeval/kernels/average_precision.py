"""Average precision: the precision at each relevant document, averaged over all of them."""

from __future__ import annotations

from collections.abc import Sequence

from berryeval.kernels.relevance import count_relevant

__all__ = ["average_precision", "precision_sum"]


def average_precision(
    grades: Sequence[float], judged: Sequence[float], k: int | None = None, level: float = 1.0
) -> float:
    """Add up the precision at each relevant document in the first k, divide by all relevant.

    A relevant document that was not retrieved adds 0. If none is relevant, the value is 0.
    """
    n_relevant = count_relevant(judged, level)
    return precision_sum(grades, k, level) / n_relevant if n_relevant else 0.0


def precision_sum(grades: Sequence[float], k: int | None, level: float) -> float:
    """Add up the precision at each relevant document in the first k."""
    n_found = 0
    total = 0.0
    for rank, grade in enumerate(grades[:k], start=1):
        if grade >= level:
            n_found += 1
            total += n_found / rank
    return total
