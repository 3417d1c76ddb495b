"""Condorcet fusion: documents sorted by pairwise majority."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["sort_by_majority"]


def sort_by_majority(
    places: Sequence[Sequence[int]], weights: Sequence[float], n_candidates: int
) -> list[int]:
    """Return the candidates, best first.

    `places` has, per run, the rank of each candidate, or a number above all ranks where the run
    lacks it. A candidate beats another one if the runs that rank it higher have more weight. Of two
    that are even, the first in the order given stays first.

    Majorities can be cyclic (a beats b, b beats c, c beats a), and the result then depends on the
    way of sorting. It is a merge sort from below: pairs, then fours, and so on, so that each
    candidate beats, or is even with, the next one.
    """
    order = list(range(n_candidates))
    width = 1
    while width < n_candidates:
        merged: list[int] = []
        for first in range(0, n_candidates, 2 * width):
            left, right = order[first : first + width], order[first + width : first + 2 * width]
            i = j = 0
            while i < len(left) and j < len(right):
                if _beats(right[j], left[i], places, weights):
                    merged.append(right[j])
                    j += 1
                else:
                    merged.append(left[i])
                    i += 1
            merged += left[i:] + right[j:]
        order = merged
        width *= 2
    return order


def _beats(one: int, other: int, places: Sequence[Sequence[int]], weights: Sequence[float]) -> bool:
    above = below = 0.0
    for place, weight in zip(places, weights, strict=True):
        if place[one] < place[other]:
            above += weight
        elif place[one] > place[other]:
            below += weight
    return above > below
