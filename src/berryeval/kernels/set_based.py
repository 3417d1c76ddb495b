"""Measures of a set of documents, regardless of order."""

from __future__ import annotations

from collections.abc import Sequence

from berryeval.kernels.precision import precision
from berryeval.kernels.recall import recall
from berryeval.kernels.relevance import count_relevant

__all__ = ["set_average_precision", "set_f"]


def set_average_precision(
    grades: Sequence[float], judged: Sequence[float], level: float = 1.0
) -> float:
    """Multiply precision and recall of the whole ranking.

    There is one division, as in trec_eval: rounding twice could change the fourth digit.
    """
    n_found = count_relevant(grades, level)
    possible = len(grades) * count_relevant(judged, level)
    return n_found * n_found / possible if possible else 0.0


def set_f(
    grades: Sequence[float], judged: Sequence[float], x: float = 1.0, level: float = 1.0
) -> float:
    """Return (x + 1) P R / (R + x P) of the whole ranking; 0 if both are 0.

    x is the square of the beta of `f_beta`.
    """
    p = precision(grades, judged, level=level)
    r = recall(grades, judged, level=level)
    total = r + x * p
    return (x + 1.0) * p * r / total if total > 0.0 else 0.0
