"""Yaap: average precision on a scale of log odds."""

from __future__ import annotations

import math
from collections.abc import Sequence

from berryeval.kernels.average_precision import precision_sum
from berryeval.kernels.relevance import count_relevant

__all__ = ["yaap"]


def yaap(grades: Sequence[float], judged: Sequence[float], level: float = 1.0) -> float:
    """Return ln((1 + S) / (1 + R - S)), S the sum of the precision at each relevant document.

    R is the number of relevant documents; if it is 0, so is the value.
    """
    n_relevant = count_relevant(judged, level)
    if not n_relevant:
        return 0.0
    total = precision_sum(grades, None, level)
    return math.log((1.0 + total) / (1.0 + n_relevant - total))
