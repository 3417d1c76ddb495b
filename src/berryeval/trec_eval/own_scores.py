"""Values where trec_eval and the kernels differ: the program's own arithmetic.

For a level of 0 or more, and rising recall points, the kernels give the same values. Below 0, the
program counts only judged documents as found, but treats the others as relevant on its way; and
recall points that do not rise affect each other. It goes through a ranking from its end.

In judgment groups, several people judged a query, and each counts equally. A measure is computed
for the judgments of each group, and averaged over the groups.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

from berryeval.errors import TrecEvalError
from berryeval.kernels.average_precision import average_precision
from berryeval.kernels.interpolated_precision import RecallRounding
from berryeval.kernels.precision import precision
from berryeval.kernels.rank_biased_precision import rank_biased_residual
from berryeval.kernels.recall import recall
from berryeval.kernels.relevance import count_unjudged
from berryeval.kernels.yaap import yaap

__all__ = [
    "Grades",
    "GroupScore",
    "average_from_below",
    "average_precision_of_groups",
    "interpolated_from_below",
    "multiple_from_below",
    "multiple_of_groups",
    "precision_of_groups",
    "residual_if_unjudged",
    "set_f_below_0",
    "yaap_below_0",
]

Grades: TypeAlias = Sequence[float]

GroupScore: TypeAlias = "Callable[[Sequence[tuple[Grades, Grades]]], float]"
"""Takes the grades of the ranking and of the judgments in each group; returns a value."""


def interpolated_from_below(
    grades: Grades, judged: Grades, points: Sequence[float], level: float, rounding: RecallRounding
) -> list[float]:
    """Return the interpolated precision at each recall point, the last one first."""
    n_relevant = sum(grade >= level for grade in judged)
    waiting = [_n_documents(point * n_relevant, rounding) for point in points]
    n_found = _n_found(grades, level)
    values = []
    while waiting and waiting[-1] > n_found:
        waiting.pop()
        values.append(0.0)
    best = n_found / len(grades) if grades else 0.0
    for rank in range(len(grades), 0, -1):
        if n_found == 0:
            break
        best = max(best, n_found / rank)
        if grades[rank - 1] >= level:
            while waiting and waiting[-1] == n_found:
                waiting.pop()
                values.append(best)
            n_found -= 1
    return values + [best] * len(waiting)


def multiple_from_below(grades: Grades, judged: Grades, x: float, level: float) -> float:
    """Return the precision at rank x R; 0 if that is not a rank."""
    cutoff = _n_documents(x * sum(grade >= level for grade in judged), "up")
    if cutoff <= 0:
        return 0.0
    below = sum(grade >= level for grade in grades[cutoff:])
    return max(_n_found(grades, level) - below, 0) / cutoff


def _n_found(grades: Grades, level: float) -> int:
    return sum(grade >= max(level, 0.0) for grade in grades)


def _n_documents(share: float, rounding: RecallRounding) -> int:
    """Convert a share to a number of documents; shares below 0 are always reached, like 0."""
    if rounding == "up":
        return int(share + 0.9)
    whole = math.floor(share)
    return whole + (share - whole >= 0.5)  # noqa: PLR2004 - a half


def average_from_below(
    grades: Grades, judged: Grades, points: Sequence[float], level: float, rounding: RecallRounding
) -> float:
    """Return the mean of the interpolated precision at some recall points."""
    return _mean(interpolated_from_below(grades, judged, points, level, rounding))


def residual_if_unjudged(grades: Grades, judged: Grades, p: float) -> float:
    """Return the residual of RBP; 0 if no document is unjudged, as in trec_eval 10.0."""
    return rank_biased_residual(grades, judged, None, p) if count_unjudged(grades) else 0.0


def set_f_below_0(grades: Grades, judged: Grades, x: float, level: float) -> float:
    """Return set F with an x below 0, for which the divisor can also be 0 or negative."""
    p = precision(grades, judged, None, level)
    r = recall(grades, judged, None, level)
    value, total = (x + 1.0) * p * r, x * p + r
    if total == 0.0:
        return math.copysign(math.inf, value) if value else 0.0
    return value / total


def yaap_below_0(grades: Grades, judged: Grades, level: int) -> float:
    """Return yaap for a level below 0, where more can be found than is relevant."""
    try:
        return yaap(grades, judged, level)
    except ZeroDivisionError:
        return math.inf
    except ValueError as error:
        raise TrecEvalError("yaap is undefined for this level and ranking", 4) from error


def average_precision_of_groups(level: int) -> GroupScore:
    """``map_avgjg``."""
    return lambda groups: _mean([_average_precision(g, j, level) for g, j in groups])


def _average_precision(grades: Grades, judged: Grades, level: int) -> float:
    """Return average precision; below level 0 something may be found where nothing is judged."""
    if not judged and any(grade >= level for grade in grades):
        return math.inf
    return average_precision(grades, judged, None, level)


def precision_of_groups(k: int, level: int) -> GroupScore:
    """``P_avgjg`` at one cutoff."""
    return lambda groups: _mean([precision(g, j, k, level) for g, j in groups])


def multiple_of_groups(x: float, level: int) -> GroupScore:
    """``Rprec_mult_avgjg`` at one multiple of R."""
    return lambda groups: _mean([multiple_from_below(g, j, x, level) for g, j in groups])


def _mean(values: list[float]) -> float:
    total = 0.0
    for value in values:
        total += value
    return total / len(values)
