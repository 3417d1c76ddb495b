"""Inferred average precision: average precision estimated from a sample of judgments."""

from __future__ import annotations

from collections.abc import Sequence

from berryeval.kernels.relevance import NOT_IN_POOL, count_relevant

__all__ = ["inferred_average_precision"]

_EPSILON = 1e-5


def inferred_average_precision(
    grades: Sequence[float], judged: Sequence[float], level: float = 1.0
) -> float:
    """Average the precision expected at each relevant document over all relevant ones.

    Above a relevant document, those of the pool are assumed to be relevant as often as the
    judged ones among them are; the smoothing is trec_eval's, 0.00001.
    """
    n_relevant = count_relevant(judged, level)
    if not n_relevant:
        return 0.0
    n_found = n_nonrelevant = n_sampled_out = 0
    total = 0.0
    for rank, grade in enumerate(grades, start=1):
        if grade >= level:
            if rank == 1:
                total += 1.0
            else:
                n_above = rank - 1
                in_pool = (n_found + n_nonrelevant + n_sampled_out) / n_above
                relevant = (n_found + _EPSILON) / (n_found + n_nonrelevant + 2.0 * _EPSILON)
                total += 1.0 / rank + (n_above / rank) * in_pool * relevant
            n_found += 1
        elif grade >= 0.0:
            n_nonrelevant += 1
        elif grade != NOT_IN_POOL:
            n_sampled_out += 1
    return total / n_relevant
