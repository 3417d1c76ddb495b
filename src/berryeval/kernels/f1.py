"""F1: one number for precision and recall."""

from __future__ import annotations

__all__ = ["f1"]


def f1(precision: float, recall: float) -> float:
    """Return the harmonic mean of precision and recall; 0 if both are."""
    total = precision + recall
    return 2.0 * precision * recall / total if total > 0.0 else 0.0
