"""Measures of the C/W/L framework: what a reader gains per document that they look at.

A reader looks at rank 1, and continues from rank i to the next with probability C(i). The value is
the gain that is expected of all documents seen, divided by their expected number. Gains are grades,
scaled to 0 at `min_grade` and 1 at `max_grade`.

Readers do not look beyond rank `MAX_RANKS`; ranks after the last document gain nothing. Between
two documents with a gain the probabilities of being seen are known in closed form. So each function
goes from one such document to the next, and adds up the stretch of ranks between them in one step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate

from berryeval.kernels.discounts import log2_ranks
from berryeval.kernels.trigamma import trigamma

__all__ = [
    "MAX_RANKS",
    "bejeweled_player_model",
    "insq",
    "inst",
    "nerr8",
    "nerr9",
    "nerr10",
    "nerr11",
    "scaled_dcg",
    "scaled_gain",
]

MAX_RANKS = 1000
"""The last rank that a reader may look at, as in cwl_eval."""


def bejeweled_player_model(
    grades: Sequence[float],
    _judged: Sequence[float],
    k: int | None = None,
    goal: float = 1.0,
    min_grade: float = 0.0,
    max_grade: float = 1.0,
) -> float:
    """Read until the gain reaches the goal, or k documents are read."""
    last = _last_rank(k)
    span = max_grade - min_grade
    total = 0.0
    for rank, amount in _gaining(grades, last, min_grade, max_grade):
        total += amount
        if total >= goal * span:
            return total / span / rank
    return total / span / last


def insq(
    grades: Sequence[float],
    _judged: Sequence[float],
    goal: float = 1.0,
    min_grade: float = 0.0,
    max_grade: float = 1.0,
) -> float:
    """Continue from rank i with probability ((i + 2 goal - 1) / (i + 2 goal))^2."""
    start = 2.0 * goal
    span = max_grade - min_grade
    gained = 0.0
    for rank, amount in _gaining(grades, MAX_RANKS, min_grade, max_grade):
        reached = start / (start + (rank - 1))
        gained += amount / span * (reached * reached)
    return min(gained / _insq_ranks(goal), 1.0)


@lru_cache(maxsize=1000)
def _insq_ranks(goal: float) -> float:
    """Return the expected number of ranks that a reader of INSQ looks at."""
    start = 2.0 * goal
    return start * start * (trigamma(start) - trigamma(start + MAX_RANKS))


def inst(
    grades: Sequence[float],
    _judged: Sequence[float],
    goal: float = 1.0,
    min_grade: float = 0.0,
    max_grade: float = 1.0,
) -> float:
    """Continue as in INSQ, but less likely the more has been gained.

    The probability is ((i + a - 1) / (i + a))^2, where a is twice the goal minus the gain down to
    rank i; it is 0 where i + a - 1 is below 0.
    """
    span = max_grade - min_grade
    total = gained = 0.0
    seen = n_seen = 1.0
    rank = 1.0
    for next_rank, amount in _gaining(grades, MAX_RANKS, min_grade, max_grade):
        if next_rank > 1:
            shift = 2.0 * goal - total / span
            x = rank + shift - 1.0
            if x <= 0.0:
                return min(gained / n_seen, 1.0)
            n_seen += seen * (x * x) * (trigamma(x + 1.0) - trigamma(next_rank + shift))
            reached = x / (next_rank + shift - 1.0)
            seen *= reached * reached
            rank = float(next_rank)
        gained += amount / span * seen
        total += amount
    shift = 2.0 * goal - total / span
    x = rank + shift - 1.0
    if x > 0.0:
        n_seen += seen * (x * x) * (trigamma(x + 1.0) - trigamma(MAX_RANKS + shift))
    return min(gained / n_seen, 1.0)


def scaled_dcg(
    grades: Sequence[float],
    _judged: Sequence[float],
    k: int | None = None,
    min_grade: float = 0.0,
    max_grade: float = 1.0,
) -> float:
    """Divide the DCG of the gains by that of k documents of the highest grade."""
    last = _last_rank(k)
    span = max_grade - min_grade
    logs = log2_ranks(last)
    gained = 0.0
    for rank, amount in _gaining(grades, last, min_grade, max_grade):
        gained += amount / span / logs[rank - 1]
    return min(gained / _full_dcg(last), 1.0)


@lru_cache(maxsize=1000)
def _full_dcg(n_ranks: int) -> float:
    total = 0.0
    for log2_rank in log2_ranks(n_ranks)[:n_ranks]:
        total += 1.0 / log2_rank
    return total


def nerr8(
    grades: Sequence[float],
    _judged: Sequence[float],
    k: int | None = None,
    min_grade: float = 0.0,
    max_grade: float = 1.0,
) -> float:
    """Continue with probability 1 - gain, down to rank k."""
    last = _last_rank(k)
    span = max_grade - min_grade
    going_on = 1.0
    gained = n_seen = 0.0
    before = 0
    for rank, amount in _gaining(grades, last, min_grade, max_grade):
        n_seen += going_on * (rank - before)
        gained += going_on * (amount / span)
        going_on *= 1.0 - amount / span
        before = rank
    n_seen += going_on * (last - before)
    return min(gained / n_seen, 1.0)


def nerr9(
    grades: Sequence[float],
    _judged: Sequence[float],
    k: int | None = None,
    min_grade: float = 0.0,
    max_grade: float = 1.0,
) -> float:
    """Continue from rank i with probability i / (i + 1) times 1 - gain, down to rank k."""
    last = _last_rank(k)
    span = max_grade - min_grade
    going_on = 1.0
    gained = n_seen = 0.0
    before = 0
    for rank, amount in _gaining(grades, last, min_grade, max_grade):
        n_seen += going_on * (_HARMONIC[rank] - _HARMONIC[before])
        gained += going_on * (amount / span) / rank
        going_on *= 1.0 - amount / span
        before = rank
    n_seen += going_on * (_HARMONIC[last] - _HARMONIC[before])
    return min(gained / n_seen, 1.0)


_HARMONIC = [0.0, *accumulate(1.0 / rank for rank in range(1, MAX_RANKS + 1))]
"""The sum of 1 / rank over the first 0, 1, 2, … ranks."""


def nerr10(
    grades: Sequence[float],
    _judged: Sequence[float],
    p: float = 0.9,
    min_grade: float = 0.0,
    max_grade: float = 1.0,
) -> float:
    """Continue with probability p times 1 - gain."""
    span = max_grade - min_grade
    going_on = before = 1.0  # before: p to the power of the ranks behind us
    gained = n_seen = 0.0
    for rank, amount in _gaining(grades, MAX_RANKS, min_grade, max_grade):
        n_seen += going_on * ((before - p**rank) / (1.0 - p))
        gained += going_on * (amount / span) * p ** (rank - 1)
        going_on *= 1.0 - amount / span
        before = p**rank
    n_seen += going_on * ((before - p**MAX_RANKS) / (1.0 - p))
    return min(gained / n_seen, 1.0)


def nerr11(
    grades: Sequence[float],
    _judged: Sequence[float],
    goal: float = 1.0,
    min_grade: float = 0.0,
    max_grade: float = 1.0,
) -> float:
    """Continue as in INSQ, times 1 - gain."""
    start = 2.0 * goal
    square = start * start
    span = max_grade - min_grade
    going_on = 1.0
    gained = n_seen = 0.0
    before = trigamma(start)
    for rank, amount in _gaining(grades, MAX_RANKS, min_grade, max_grade):
        after = trigamma(start + rank)
        n_seen += going_on * (square * (before - after))
        reached = start / (start + (rank - 1))
        gained += going_on * (amount / span) * (reached * reached)
        going_on *= 1.0 - amount / span
        before = after
    n_seen += going_on * (square * (before - trigamma(start + MAX_RANKS)))
    return min(gained / n_seen, 1.0)


def scaled_gain(grade: float, min_grade: float, max_grade: float) -> float:
    """Return the gain of a document: from 0 at `min_grade`, or without a grade, to 1."""
    if grade <= min_grade:
        return 0.0
    return (min(grade, max_grade) - min_grade) / (max_grade - min_grade)


def _gaining(
    grades: Sequence[float], last: int, min_grade: float, max_grade: float
) -> Iterator[tuple[int, float]]:
    """Iterate over the documents that gain something, by rank and gain before it is scaled.

    Sums of whole grades are exact; those of scaled ones would be off by rounding.
    """
    for rank, grade in enumerate(grades[:last], start=1):
        if grade > min_grade:
            yield rank, min(grade, max_grade) - min_grade


def _last_rank(k: int | None) -> int:
    return MAX_RANKS if k is None else min(k, MAX_RANKS)
