"""DCG and nDCG: gains, discounted by rank, against those of the ideal order."""

from __future__ import annotations

from collections.abc import Sequence

from berryeval.kernels.discounts import log2_ranks
from berryeval.kernels.gains import LINEAR, Gain, gains, ideal_gains

__all__ = ["dcg", "ideal_dcg", "ndcg"]


def dcg(
    grades: Sequence[float],
    _judged: Sequence[float],
    k: int | None = None,
    gain: Gain = LINEAR,
    level: float = 0.0,
) -> float:
    """Add up gain / log2(rank + 1) over the first k ranks; grades below 0 gain nothing."""
    return _discounted(gains(grades[:k], gain, level))


def ideal_dcg(
    _grades: Sequence[float],
    judged: Sequence[float],
    k: int | None = None,
    gain: Gain = LINEAR,
    level: float = 0.0,
) -> float:
    """Return the DCG of the ideal ranking.

    It contains all judged documents, whether retrieved or not, highest gain first.
    """
    return _discounted(ideal_gains(judged, gain, level)[:k])


def ndcg(
    grades: Sequence[float],
    judged: Sequence[float],
    k: int | None = None,
    gain: Gain = LINEAR,
    level: float = 0.0,
) -> float:
    """Divide the DCG of the ranking by that of the ideal one; 0 if that is 0.

    Despite rounding, the value is at most 1.
    """
    ideal = ideal_dcg(grades, judged, k, gain, level)
    return min(dcg(grades, judged, k, gain, level) / ideal, 1.0) if ideal > 0.0 else 0.0


def _discounted(values: Sequence[float]) -> float:
    total = 0.0
    for value, log2_rank in zip(values, log2_ranks(len(values)), strict=False):
        total += value / log2_rank
    return total
