"""How much of a ranking was judged."""

from __future__ import annotations

from collections.abc import Sequence

from berryeval.kernels.relevance import NOT_IN_POOL, count_unjudged

__all__ = ["hole_share", "judged_share", "unjudged_share"]


def judged_share(grades: Sequence[float], _judged: Sequence[float], k: int | None = None) -> float:
    """Divide the judged documents in the first k by all documents there; 0 if there are none."""
    first = grades[:k]
    return (len(first) - count_unjudged(first)) / len(first) if first else 0.0


def unjudged_share(
    grades: Sequence[float], _judged: Sequence[float], k: int | None = None
) -> float:
    """Divide the documents in the first k that were not judged by k, as trec_eval 10 does."""
    n_ranks = len(grades) if k is None else k
    return count_unjudged(grades[:k]) / n_ranks if n_ranks else 0.0


def hole_share(grades: Sequence[float], _judged: Sequence[float], k: int | None = None) -> float:
    """Divide the documents in the first k that are in no pool by k, as BEIR does."""
    n_ranks = len(grades) if k is None else k
    n_holes = sum(1 for grade in grades[:k] if grade == NOT_IN_POOL)
    return n_holes / n_ranks if n_ranks else 0.0
