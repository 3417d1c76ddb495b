"""Pairwise accuracy: how often a relevant document is above one that is not."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["pairwise_accuracy"]


def pairwise_accuracy(
    grades: Sequence[float], _judged: Sequence[float], k: int | None = None, level: float = 1.0
) -> float:
    """Return the share of pairs in the first k, relevant and not, that are in the right order.

    Documents without a grade are not relevant. The value is 0 if nothing is relevant, and 1 if
    everything is.
    """
    n_relevant = n_others = n_wrong = 0
    for grade in grades[:k]:
        if grade >= level:
            n_relevant += 1
            n_wrong += n_others
        else:
            n_others += 1
    if not n_relevant or not n_others:
        return 1.0 if n_relevant else 0.0
    return 1.0 - n_wrong / (n_relevant * n_others)
