"""Measures of reading effort, which use the lengths of documents.

The grades that these kernels take are `berryeval.core.lengths.SizedGrade`. If the length of one of
the documents that count is unknown, the value is NaN; the engine then names the document.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from berryeval.core.lengths import length_of

__all__ = ["time_biased_gain", "token_count", "u_measure"]


def time_biased_gain(
    grades: Sequence[float],
    _judged: Sequence[float],
    k: int | None = None,
    *,
    level: float,
    halflife: float,
    scan: float,
    page: float,
    pace: float,
    click: float,
    stray: float,
    save: float,
) -> float:
    """Add up click * save * 2^(-t / halflife) over the relevant documents in the first k.

    t is the time, in seconds, at which a reader reaches the document. Each document above it took
    `scan` seconds for its summary, and `page` + `pace` * length times the probability of opening
    it: `click` if it is relevant, `stray` if not.
    """
    gain = click * save
    time = 0.0
    total = 0.0
    for grade in grades[:k]:
        length = length_of(grade)
        if math.isnan(length):
            return math.nan
        is_relevant = grade >= level
        if is_relevant:
            total += gain * 2.0 ** (-time / halflife)
        time += scan + (page + pace * length) * (click if is_relevant else stray)
    return total


def u_measure(
    grades: Sequence[float],
    _judged: Sequence[float],
    k: int | None = None,
    *,
    patience: float,
    snippet: float,
    read: float,
    max_grade: float,
) -> float:
    """Add up gain * max(0, 1 - position / patience) over the relevant documents in the first k.

    The position is how much was read up to the end of the document: the snippet of each document,
    and the share `read` of each relevant one. A document of grade g gains
    (2^g - 1) / 2^max_grade; a grade above `max_grade` counts as that one.
    """
    position = 0.0
    total = 0.0
    for grade in grades[:k]:
        length = length_of(grade)
        if math.isnan(length):
            return math.nan
        position += snippet
        if grade > 0.0:
            position += read * length
            # In a form that stays finite for any grade.
            gain = 2.0 ** (min(grade, max_grade) - max_grade) - 2.0**-max_grade
            total += gain * max(0.0, 1.0 - position / patience)
    return total


def token_count(grades: Sequence[float], _judged: Sequence[float], k: int | None = None) -> float:
    """Add up the lengths of the first k documents."""
    total = 0.0
    for grade in grades[:k]:
        total += length_of(grade)
    return total
