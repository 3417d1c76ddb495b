"""The gain of a grade: itself, a power of two, or a value from a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

from berryeval.core.grade import MAX_GRADE

__all__ = ["LINEAR", "Gain", "gains", "ideal_gains"]

Gain: TypeAlias = Literal["linear", "exp2"] | Mapping[Any, float] | tuple[tuple[float, float], ...]
"""``linear``: the grade. ``exp2``: 2^grade - 1. Or a table from grade to gain; others are linear.
"""

LINEAR: Gain = "linear"

_EXP2_LIMIT = 963.0  # 2^963 is the greatest power of two below MAX_GRADE


def gains(grades: Sequence[float], gain: Gain = LINEAR, level: float = 0.0) -> list[float]:
    """Return the gain of each document; 0 for those without a grade, or with one below `level`."""
    if gain == "linear":
        return [max(grade, 0.0) if grade >= level else 0.0 for grade in grades]
    if gain == "exp2":
        return [_exp2(grade) if grade >= max(level, 0.0) else 0.0 for grade in grades]
    table = dict(gain)
    return [table.get(grade, grade) if grade >= max(level, 0.0) else 0.0 for grade in grades]


def _exp2(grade: float) -> float:
    return 2.0**grade - 1.0 if grade <= _EXP2_LIMIT else MAX_GRADE


def ideal_gains(judged: Sequence[float], gain: Gain = LINEAR, level: float = 0.0) -> list[float]:
    """Return the gains of the ideal ranking: those above 0 of all judged documents, descending."""
    return sorted((g for g in gains(judged, gain, level) if g > 0.0), reverse=True)
