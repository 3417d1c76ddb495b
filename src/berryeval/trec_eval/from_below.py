"""Precision seen from the end of a ranking, as trec_eval goes through it.

For a level of 0 or more, and recall points that rise, the kernels give the same. Below 0 the
program counts only judged documents as found, but meets the others on its way as relevant, too;
and recall points that do not rise stand in each other's way.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from berryeval.kernels.interpolated_precision import RecallRounding

__all__ = ["interpolated_from_below", "multiple_from_below"]


def interpolated_from_below(
    grades: Sequence[float],
    judged: Sequence[float],
    points: Sequence[float],
    level: float,
    rounding: RecallRounding,
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


def multiple_from_below(
    grades: Sequence[float], judged: Sequence[float], x: float, level: float
) -> float:
    """Return the precision at rank x R; 0 if that is no rank."""
    cutoff = _n_documents(x * sum(grade >= level for grade in judged), "up")
    if cutoff <= 0:
        return 0.0
    below = sum(grade >= level for grade in grades[cutoff:])
    return max(_n_found(grades, level) - below, 0) / cutoff


def _n_found(grades: Sequence[float], level: float) -> int:
    return sum(grade >= max(level, 0.0) for grade in grades)


def _n_documents(share: float, rounding: RecallRounding) -> int:
    """Turn a share into a number of documents. What is below 0 is like 0: it is always reached."""
    if rounding == "up":
        return int(share + 0.9)
    whole = math.floor(share)
    return whole + (share - whole >= 0.5)  # noqa: PLR2004 - a half
