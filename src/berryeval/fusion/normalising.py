"""Normalisations of the scores of one ranking, in plain Python: the specification.

Scores are in rank order: sums run in this order, regardless of the order of the rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

__all__ = ["borda_absent", "min_max", "normalise"]


def min_max(scores: Sequence[float], lowest: float | None = None) -> list[float]:
    """Scale scores to the range from 0 to 1; all are 1 if they are equal.

    `lowest` takes the place of the lowest score, where another one is known to stand for nothing.

    Examples
    --------
    >>> min_max([3.0, 2.0, 1.0])
    [1.0, 0.5, 0.0]
    """
    if not scores:
        return []
    low = min(scores) if lowest is None else lowest
    high = max(scores)
    if high <= low:
        return [1.0] * len(scores)
    scale = _finite(high - low)
    return [(score - low) / scale for score in scores]


def normalise(norm: str | None, scores: Sequence[float], n_candidates: int) -> list[float]:
    """Return normalised scores of the documents that a run has, in rank order.

    A result that is not finite, or no scale at all, is NaN: `berryeval.fusion.fuse` reports it.
    """
    n = len(scores)
    if norm is None or not scores:
        return [*scores]
    if norm in ("rank", "borda"):
        of = n if norm == "rank" else n_candidates
        return [1.0 - place / of for place in range(n)]
    if not all(map(math.isfinite, scores)):
        return [math.nan] * n
    return _SCALES[norm](scores)


def borda_absent(n_documents: int, n_candidates: int) -> float:
    """Return the score that normalisation by Borda count gives a document that a run lacks."""
    return 0.5 - (n_documents - 1) / (2 * n_candidates)


def _inverted(scores: Sequence[float]) -> list[float]:
    low, high = min(scores), max(scores)
    if high <= low:
        return [1.0] * len(scores)
    scale = _finite(high - low)
    return [(high - score) / scale for score in scores]


def _of_highest(scores: Sequence[float]) -> list[float]:
    high = max(scores)
    return [score / high if high > 0 else math.nan for score in scores]


def _shares(scores: Sequence[float]) -> list[float]:
    low = min(scores)
    total = 0.0
    for score in scores:
        total += score - low
    if total <= 0:
        return [1.0 / len(scores)] * len(scores)
    scale = _finite(total)
    return [(score - low) / scale for score in scores]


def _standardised(scores: Sequence[float]) -> list[float]:
    if min(scores) == max(scores):  # rounding could leave a deviation
        return [0.0] * len(scores)
    total = 0.0
    for score in scores:
        total += score
    mean = total / len(scores)
    squares = 0.0
    for score in scores:
        squares += (score - mean) * (score - mean)
    deviation = _finite(math.sqrt(squares / len(scores)))
    return [(score - mean) / deviation if deviation > 0 else math.nan for score in scores]


def _finite(scale: float) -> float:
    """Return NaN for a scale that overflowed: dividing by infinity would hide it."""
    return scale if math.isfinite(scale) else math.nan


_SCALES: Mapping[str, Callable[[Sequence[float]], list[float]]] = {
    "min-max": min_max,
    "min-max-inverted": _inverted,
    "max": _of_highest,
    "sum": _shares,
    "zmuv": _standardised,
}
