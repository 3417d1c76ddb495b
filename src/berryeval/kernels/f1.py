"""F1: one number for precision and recall."""

from __future__ import annotations

from collections.abc import Sequence

from berryeval.kernels.precision import precision
from berryeval.kernels.recall import recall

__all__ = ["f1", "harmonic_mean"]


def f1(
    grades: Sequence[float], judged: Sequence[float], k: int | None = None, level: float = 1.0
) -> float:
    """Return the harmonic mean of precision and recall at k; 0 if both are 0."""
    return harmonic_mean(precision(grades, judged, k, level), recall(grades, judged, k, level))


def harmonic_mean(precision: float, recall: float) -> float:
    """Return 2 P R / (P + R); 0 if both are 0."""
    total = precision + recall
    return 2.0 * precision * recall / total if total > 0.0 else 0.0
