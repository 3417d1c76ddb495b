"""DCG and nDCG: gains, discounted by rank, against those of the ideal order."""

from __future__ import annotations

from collections.abc import Sequence

from berryeval.kernels.discounts import log2_ranks

__all__ = ["dcg", "ndcg"]


def dcg(grades: Sequence[float], k: int | None) -> float:
    """Add up grade / log2(rank + 1) over the first k ranks; grades below 0 gain nothing."""
    first = grades[:k]
    total = 0.0
    for grade, log2_rank in zip(first, log2_ranks(len(first)), strict=False):
        total += max(grade, 0.0) / log2_rank
    return total


def ndcg(grades: Sequence[float], judged: Sequence[float], k: int | None) -> float:
    """Divide the DCG of the ranking by that of the ideal one; 0 if that is 0.

    The ideal ranking holds all judged documents, whether retrieved or not, highest grade
    first. Rounding never lifts a ranking above it: the value is at most 1.
    """
    ideal = dcg(judged, k)
    return min(dcg(grades, k) / ideal, 1.0) if ideal > 0.0 else 0.0
