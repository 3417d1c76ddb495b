"""Cumulated gain: the total value of the first k documents, regardless of their order."""

from __future__ import annotations

from collections.abc import Sequence

from berryeval.kernels.gains import LINEAR, Gain, gains, ideal_gains

__all__ = ["normalised_cumulated_gain"]


def normalised_cumulated_gain(
    grades: Sequence[float], judged: Sequence[float], k: int | None = None, gain: Gain = LINEAR
) -> float:
    """Divide the gain of the first k documents by the most that k could gain; 0 if that is 0."""
    ideal = _total(ideal_gains(judged, gain)[:k])
    return min(_total(gains(grades[:k], gain)) / ideal, 1.0) if ideal > 0.0 else 0.0


def _total(values: Sequence[float]) -> float:
    total = 0.0
    for value in values:
        total += value
    return total
