"""F-beta: one number for precision and recall, weighted against each other."""

from __future__ import annotations

from collections.abc import Sequence

from berryeval.kernels.precision import precision
from berryeval.kernels.recall import recall

__all__ = ["f_beta"]


def f_beta(
    grades: Sequence[float],
    judged: Sequence[float],
    k: int | None = None,
    beta: float = 1.0,
    level: float = 1.0,
) -> float:
    """Return the weighted harmonic mean of precision and recall at k; 0 if both are 0.

    Recall counts beta times as much as precision.
    """
    p = precision(grades, judged, k, level)
    r = recall(grades, judged, k, level)
    weight = beta * beta
    total = weight * p + r
    return (1.0 + weight) * p * r / total if total > 0.0 else 0.0
