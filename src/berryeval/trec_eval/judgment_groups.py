"""Judgment groups: several people judged a query, and each counts the same.

A measure is computed for the judgments of each group alone, and averaged over the groups.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from berryeval.kernels.average_precision import average_precision
from berryeval.kernels.precision import precision
from berryeval.trec_eval.from_below import multiple_from_below

__all__ = ["GroupScore", "average_precision_score", "multiple_score", "precision_score"]

Grades = Sequence[float]
GroupScore = Callable[[Sequence[tuple[Grades, Grades]]], float]
"""From the ranking's and the judgments' grades in each group to a value."""


def average_precision_score(level: int) -> GroupScore:
    """``map_avgjg``."""
    return lambda groups: _mean([_average_precision(g, j, level) for g, j in groups])


def _average_precision(grades: Grades, judged: Grades, level: int) -> float:
    """Return average precision; below level 0 something may be found where there is nothing."""
    if not judged and any(grade >= level for grade in grades):
        return math.inf
    return average_precision(grades, judged, None, level)


def precision_score(k: int, level: int) -> GroupScore:
    """``P_avgjg`` at one cutoff."""
    return lambda groups: _mean([precision(g, j, k, level) for g, j in groups])


def multiple_score(x: float, level: int) -> GroupScore:
    """``Rprec_mult_avgjg`` at one multiple of R."""
    return lambda groups: _mean([multiple_from_below(g, j, x, level) for g, j in groups])


def _mean(values: list[float]) -> float:
    total = 0.0
    for value in values:
        total += value
    return total / len(values)
