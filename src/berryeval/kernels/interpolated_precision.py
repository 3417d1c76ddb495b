"""Interpolated precision: the best precision from a level of recall on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, TypeAlias

from berryeval.kernels.relevance import count_relevant

__all__ = [
    "ELEVEN_POINTS",
    "RecallRounding",
    "average_over_points",
    "eleven_point_average",
    "interpolated_precision",
]

RecallRounding: TypeAlias = Literal["up", "nearest"]
"""How a share of the relevant documents becomes a number of them.

``up`` is trec_eval 9.0.8's rule, which rounds up if the fraction exceeds a tenth; ``nearest``
is that of 10.0.
"""

ELEVEN_POINTS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)


def interpolated_precision(
    grades: Sequence[float],
    judged: Sequence[float],
    recall: float,
    level: float = 1.0,
    rounding: RecallRounding = "up",
) -> float:
    """Return the highest precision at any rank that reaches this recall; 0 if none does."""
    wanted = _n_documents(recall * count_relevant(judged, level), rounding)
    n_found = 0
    best = 0.0
    for rank, grade in enumerate(grades, start=1):
        if grade >= level:
            n_found += 1
        if n_found >= wanted:
            best = max(best, n_found / rank)
    return best


def _n_documents(share: float, rounding: RecallRounding) -> int:
    if rounding == "up":
        return int(share + 0.9)
    whole = math.floor(share)
    return whole + 1 if share - whole >= 0.5 else whole  # noqa: PLR2004 - a half


def eleven_point_average(
    grades: Sequence[float],
    judged: Sequence[float],
    level: float = 1.0,
    rounding: RecallRounding = "up",
) -> float:
    """Average the interpolated precision at recall 0, 0.1, … 1."""
    return average_over_points(grades, judged, ELEVEN_POINTS, level, rounding)


def average_over_points(
    grades: Sequence[float],
    judged: Sequence[float],
    points: Sequence[float],
    level: float = 1.0,
    rounding: RecallRounding = "up",
) -> float:
    """Average the interpolated precision at these rising points, added up from the last one."""
    total = 0.0
    for recall in reversed(points):
        total += interpolated_precision(grades, judged, recall, level, rounding)
    return total / len(points)
