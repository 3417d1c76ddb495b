"""Compatibility: how similar a ranking is to the ideal ranking that resembles it most."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["compatibility"]


def compatibility(
    grades: Sequence[float], judged: Sequence[float], p: float = 0.95, *, normalise: bool = True
) -> float:
    """Return the rank-biased overlap of a ranking with the best ideal one.

    An ideal ranking has all documents with a grade above 0, by falling grade. Among equal grades,
    those that were retrieved come first, in their order, which gives the highest overlap.

    Overlap at depth d is the share of d documents that the first d of both rankings have in
    common. Depths are weighted by p^(d - 1), down to the end of the longer ranking. With
    `normalise`, the result is divided by the overlap of the ideal ranking with itself, which is
    below 1 if it ends earlier; without, by the sum of the weights.
    """
    n_ideal = sum(1 for grade in judged if grade > 0.0)
    if n_ideal == 0:
        return 0.0
    depth = max(len(grades), n_ideal)
    n_shared_from = _shared_from(grades, judged, depth)
    shared = best = weights = 0.0
    weight = 1.0
    n_shared = 0
    for d in range(1, depth + 1):
        n_shared += n_shared_from[d]
        shared += weight * n_shared / d
        best += weight * min(d, n_ideal) / d
        weights += weight
        weight *= p
    return min(shared / (best if normalise else weights), 1.0)


def _shared_from(grades: Sequence[float], judged: Sequence[float], depth: int) -> list[int]:
    """Return, for each depth, how many shared documents both rankings have first reached there."""
    next_rank: dict[float, int] = {}
    for rank, grade in enumerate(judged, start=1):
        next_rank.setdefault(grade, rank)
    counts = [0] * (depth + 1)
    for rank, grade in enumerate(grades, start=1):
        if grade > 0.0 and grade in next_rank:
            ideal_rank = next_rank[grade]
            next_rank[grade] = ideal_rank + 1
            counts[min(max(rank, ideal_rank), depth)] += 1
    return counts
