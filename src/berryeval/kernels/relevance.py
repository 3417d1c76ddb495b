"""Which documents are relevant, and how many: the starting point of most measures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet

from berryeval.core.strata import SampledGrade

__all__ = [
    "NOT_IN_POOL",
    "UNJUDGED",
    "count_nonrelevant",
    "count_relevant",
    "count_unjudged",
    "usable_grade",
    "without_unjudged",
]

NOT_IN_POOL = -1.0
"""Stands for the grade of an unjudged document."""

UNJUDGED = -2.0
"""Stands for the grade of a document that was in the pool, but was not judged."""


def count_relevant(grades: Iterable[float], level: float) -> int:
    """Count the grades that are at least `level`."""
    return sum(1 for grade in grades if grade >= level)


def count_nonrelevant(grades: Iterable[float], level: float) -> int:
    """Count the documents judged to be not relevant: grades from 0 to below `level`."""
    return sum(1 for grade in grades if 0.0 <= grade < level)


def count_unjudged(grades: Iterable[float]) -> int:
    """Count the documents without a grade of 0 or more."""
    return sum(1 for grade in grades if grade < 0.0)


def usable_grade(
    grade_of: dict[bytes, float], doc_id: bytes, judged_for_any: AbstractSet[bytes] = frozenset()
) -> float:
    """Return the grade of a document as measures see it.

    A document without a judgment of this query, but among those `judged_for_any` query, counts as
    in the pool. A document in the pool that was not judged keeps its stratum.
    """
    grade = grade_of.get(doc_id)
    if grade is None:
        return UNJUDGED if doc_id in judged_for_any else NOT_IN_POOL
    if grade >= 0:
        return grade
    stratum = getattr(grade, "stratum", None)
    return UNJUDGED if stratum is None else SampledGrade(UNJUDGED, stratum)


def without_unjudged(grades: Sequence[float]) -> list[float]:
    """Return the condensed ranking: only documents with a grade of 0 or more, in their order."""
    return [grade for grade in grades if grade >= 0.0]
