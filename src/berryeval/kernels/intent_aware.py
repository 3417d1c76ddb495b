"""Measures by intent: the value for each intent of a query, averaged by their weights."""

from __future__ import annotations

from collections.abc import Sequence

from berryeval.kernels.intents import Intents

__all__ = ["average_precision_ia", "graded_err_ia", "precision_ia", "subtopic_recall"]


def average_precision_ia(
    grades: Sequence[float], judged: Sequence[float], k: int | None = None, level: float = 1.0
) -> float:
    """Return the weighted mean over intents of average precision.

    The average precision of an intent divides by the number of judged documents that serve it.
    """
    intents = Intents(judged, level)
    n_found = [0] * len(intents.weights)
    sums = [0.0] * len(intents.weights)
    for rank, grade in enumerate(grades[:k], start=1):
        for place in intents.served_by(grade):
            n_found[place] += 1
            sums[place] += n_found[place] / rank
    total = 0.0
    for weight, of_intent, n_relevant in zip(
        intents.weights, sums, intents.n_relevant, strict=True
    ):
        total += weight * (of_intent / n_relevant)
    return total / intents.total if intents.total > 0.0 else 0.0


def graded_err_ia(
    grades: Sequence[float],
    judged: Sequence[float],
    k: int | None = None,
    level: float = 1.0,
    max_grade: float = 4.0,
) -> float:
    """Return the weighted mean over intents of expected reciprocal rank, by grades for the intent.

    A document satisfies as in `expected_reciprocal_rank`; grades below the level count as 0.
    """
    intents = Intents(judged, level)
    going_on = [1.0] * len(intents.weights)
    sums = [0.0] * len(intents.weights)
    for rank, grade in enumerate(grades[:k], start=1):
        for place, its_grade in intents.graded_by(grade):
            satisfied = 2.0 ** (min(its_grade, max_grade) - max_grade) - 2.0**-max_grade
            sums[place] += going_on[place] * satisfied / rank
            going_on[place] *= 1.0 - satisfied
    total = 0.0
    for weight, of_intent in zip(intents.weights, sums, strict=True):
        total += weight * of_intent
    return total / intents.total if intents.total > 0.0 else 0.0


def precision_ia(
    grades: Sequence[float], judged: Sequence[float], k: int | None = None, level: float = 1.0
) -> float:
    """Return the weighted mean over intents of precision.

    Precision divides by k, or by the number of documents retrieved if k is None.
    """
    intents = Intents(judged, level)
    n_found = [0] * len(intents.weights)
    for grade in grades[:k]:
        for place in intents.served_by(grade):
            n_found[place] += 1
    total = 0.0
    for weight, found in zip(intents.weights, n_found, strict=True):
        total += weight * found
    n_ranks = len(grades) if k is None else k
    return total / (n_ranks * intents.total) if n_ranks and intents.total > 0.0 else 0.0


def subtopic_recall(
    grades: Sequence[float], judged: Sequence[float], k: int | None = None, level: float = 1.0
) -> float:
    """Return the share of the intents that the first k documents serve; weights do not matter."""
    intents = Intents(judged, level)
    served = {place for grade in grades[:k] for place in intents.served_by(grade)}
    return len(served) / len(intents.weights) if intents.weights else 0.0
