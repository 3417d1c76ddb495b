"""R-precision: precision at the rank by which everything relevant could be found."""

from __future__ import annotations

from collections.abc import Sequence

from berryeval.kernels.precision import precision
from berryeval.kernels.relevance import count_relevant

__all__ = ["r_precision", "r_precision_at_multiple"]


def r_precision(grades: Sequence[float], judged: Sequence[float], level: float = 1.0) -> float:
    """Return the precision at rank R, the number of relevant documents; 0 if R is 0.

    A ranking of fewer documents is also divided by R.
    """
    n_relevant = count_relevant(judged, level)
    return precision(grades, judged, n_relevant, level)


def r_precision_at_multiple(
    grades: Sequence[float], judged: Sequence[float], times: float, level: float = 1.0
) -> float:
    """Return the precision at rank `times` R, rounded up if its fraction exceeds a tenth.

    The rank is the whole part of `times` R + 0.9, as in trec_eval.
    """
    cutoff = int(times * count_relevant(judged, level) + 0.9)
    return precision(grades, judged, cutoff, level)
