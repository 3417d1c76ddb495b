"""G and binG: gains, discounted by what was not gained above them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from berryeval.kernels.discounts import log2_ranks
from berryeval.kernels.gains import LINEAR, Gain, gains, ideal_gains
from berryeval.kernels.relevance import count_relevant

__all__ = ["binary_normalised_gain", "normalised_gain"]


def binary_normalised_gain(
    grades: Sequence[float], judged: Sequence[float], level: float = 1.0
) -> float:
    """Average 1 / log2(2 + documents above that are not relevant) over the relevant ones."""
    n_relevant = count_relevant(judged, level)
    if not n_relevant:
        return 0.0
    logarithms = log2_ranks(len(grades))
    n_above = 0
    total = 0.0
    for grade in grades:
        if grade >= level:
            total += 1.0 / logarithms[n_above]
        else:
            n_above += 1
    return total / n_relevant


def normalised_gain(grades: Sequence[float], judged: Sequence[float], gain: Gain = LINEAR) -> float:
    """Add up gain / log2(2 + cost - gained so far), and divide by the total possible gain.

    A rank costs what the ideal ranking gains there, at least 1.
    """
    ideal = ideal_gains(judged, gain)
    possible = 0.0
    for value in ideal:
        possible += value
    if not possible > 0.0:
        return 0.0
    cost = gained = total = 0.0
    for i, value in enumerate(gains(grades, gain)):
        cost += max(ideal[i], 1.0) if i < len(ideal) else 1.0
        gained += value
        if value != 0.0:
            total += value / math.log2(2.0 + max(cost - gained, 0.0))
    return total / possible
