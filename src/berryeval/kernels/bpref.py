"""Bpref: how often judged documents are in the right order."""

from __future__ import annotations

from collections.abc import Sequence

from berryeval.kernels.relevance import count_nonrelevant, count_relevant

__all__ = ["bpref"]


def bpref(grades: Sequence[float], judged: Sequence[float], level: float = 1.0) -> float:
    """Average over the relevant documents the share of non-relevant ones ranked below them.

    Documents without a grade are ignored. Of the documents judged not relevant, only as many count
    as there are relevant ones. A relevant document that was not retrieved adds 0.
    """
    n_relevant = count_relevant(judged, level)
    if not n_relevant:
        return 0.0
    n_nonrelevant = max(count_nonrelevant(judged, level), count_nonrelevant(grades, level))
    n_counted = min(n_nonrelevant, n_relevant)
    n_above = 0
    total = 0.0
    for grade in grades:
        if grade >= level:
            total += 1.0 - min(n_above, n_relevant) / n_counted if n_above else 1.0
        elif grade >= 0.0:
            n_above += 1
    return total / n_relevant
