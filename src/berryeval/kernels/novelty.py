"""Novelty: a document gains less for an intent that documents above it have served.

Alpha-DCG, intent-aware ERR and NRBP add up the same gains and differ in their discounts. Each is
divided by the most that any ranking could gain, or by the gain of the ideal ranking of the judged
documents.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TypeAlias

from berryeval.kernels.intents import Intents

__all__ = ["alpha_dcg", "alpha_ndcg", "err_ia", "nerr_ia", "nnrbp", "nrbp"]

Discount: TypeAlias = Callable[[int], float]
"""The number by which the gain at a rank is divided."""


def alpha_dcg(
    grades: Sequence[float],
    judged: Sequence[float],
    k: int | None = None,
    alpha: float = 0.5,
    level: float = 1.0,
) -> float:
    """Divide gains, discounted by log2(rank + 1), by those of documents that serve all intents."""
    return _share_of_most(grades, judged, k, alpha, level, _log2_rank)


def alpha_ndcg(
    grades: Sequence[float],
    judged: Sequence[float],
    k: int | None = None,
    alpha: float = 0.5,
    level: float = 1.0,
) -> float:
    """Divide gains, discounted by log2(rank + 1), by those of the ideal ranking."""
    return _share_of_ideal(grades, judged, k, alpha, level, _log2_rank)


def err_ia(
    grades: Sequence[float],
    judged: Sequence[float],
    k: int | None = None,
    alpha: float = 0.5,
    level: float = 1.0,
) -> float:
    """Divide gains, discounted by rank, by those of documents that serve all intents."""
    return _share_of_most(grades, judged, k, alpha, level, float)


def nerr_ia(
    grades: Sequence[float],
    judged: Sequence[float],
    k: int | None = None,
    alpha: float = 0.5,
    level: float = 1.0,
) -> float:
    """Divide gains, discounted by rank, by those of the ideal ranking."""
    return _share_of_ideal(grades, judged, k, alpha, level, float)


def nrbp(
    grades: Sequence[float],
    judged: Sequence[float],
    k: int | None = None,
    alpha: float = 0.5,
    beta: float = 0.5,
    level: float = 1.0,
) -> float:
    """Divide gains, times beta^(rank - 1), by those of an endless ranking that serves all intents.

    That ranking gains 1 / (1 - (1 - alpha) beta) for each unit of weight.
    """
    intents = Intents(judged, level)
    if not intents.total > 0.0:
        return 0.0
    total = _decayed(intents.gains(grades[:k], alpha), beta)
    return min((1.0 - (1.0 - alpha) * beta) * total / intents.total, 1.0)


def nnrbp(
    grades: Sequence[float],
    judged: Sequence[float],
    k: int | None = None,
    alpha: float = 0.5,
    beta: float = 0.5,
    level: float = 1.0,
) -> float:
    """Divide gains, times beta^(rank - 1), by those of the ideal ranking."""
    intents = Intents(judged, level)
    total = _decayed(intents.gains(grades[:k], alpha), beta)
    return _ratio(total, _decayed(intents.ideal_gains(judged, alpha, k), beta))


def _share_of_most(
    grades: Sequence[float],
    judged: Sequence[float],
    k: int | None,
    alpha: float,
    level: float,
    discount: Discount,
) -> float:
    intents = Intents(judged, level)
    if not intents.total > 0.0:
        return 0.0
    total = _discounted(intents.gains(grades[:k], alpha), discount)
    return _ratio(total, intents.total * _most(len(grades) if k is None else k, alpha, discount))


def _share_of_ideal(
    grades: Sequence[float],
    judged: Sequence[float],
    k: int | None,
    alpha: float,
    level: float,
    discount: Discount,
) -> float:
    intents = Intents(judged, level)
    total = _discounted(intents.gains(grades[:k], alpha), discount)
    return _ratio(total, _discounted(intents.ideal_gains(judged, alpha, k), discount))


def _ratio(total: float, best: float) -> float:
    """Divide by the best; 0 if that is 0, and at most 1, since the ideal ranking is greedy."""
    return min(total / best, 1.0) if best > 0.0 else 0.0


def _log2_rank(rank: int) -> float:
    return math.log2(rank + 1)


def _discounted(gains: Sequence[float], discount: Discount) -> float:
    total = 0.0
    for rank, gain in enumerate(gains, start=1):
        total += gain / discount(rank)
    return total


def _decayed(gains: Sequence[float], beta: float) -> float:
    total, seen = 0.0, 1.0
    for gain in gains:
        total += gain * seen
        seen *= beta
    return total


@lru_cache(maxsize=256)
def _most(n_ranks: int, alpha: float, discount: Discount) -> float:
    """Return the gains at the first ranks of documents that serve an intent of weight 1."""
    total, worth = 0.0, 1.0
    for rank in range(1, n_ranks + 1):
        longer = total + worth / discount(rank)
        if longer == total:  # and all further ranks add even less
            break
        total = longer
        worth *= 1.0 - alpha
    return total
