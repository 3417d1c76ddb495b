"""Grades of several judges, and the rules that reduce them to one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from berryeval.errors import ArgumentError

__all__ = ["COUNTED", "JUDGES", "JudgedRow", "Judges", "check_judges", "reduce_grades"]

Judges: TypeAlias = Literal["first", "latest", "max", "mean", "majority"]
"""Which grade counts where several judges graded the same document."""

JUDGES: tuple[Judges, ...] = ("first", "latest", "max", "mean", "majority")

COUNTED: Mapping[Judges, str] = {
    "first": "the first grade",
    "latest": "the latest grade",
    "max": "the highest grade",
    "mean": "the mean grade",
    "majority": "the most frequent grade",
}
"""The grade that counts by each rule, in words."""


class JudgedRow(NamedTuple):
    """One grade, with its judge, query and document."""

    place: int | None
    """The line or row, from 1, where it is known."""
    query_id: bytes
    doc_id: bytes
    grade: float
    judge: bytes | None = None
    subtopic: bytes | None = None
    source: bytes | None = None
    """Source of the grade, according to the file."""
    judged_at: bytes | None = None
    """Time of the grade, according to the file."""
    note: bytes | None = None
    """A remark by the judge."""
    subtopic_weight: bytes | None = None
    """The weight of the subtopic relative to others of the query, according to the file."""
    stratum: bytes | None = None
    """The part of the pool that the document was sampled from."""


def check_judges(judges: object, argument: str = "judges") -> None:
    """Raise unless it names a rule."""
    if judges not in JUDGES:
        raise ArgumentError(argument, " or ".join(map(repr, JUDGES)), repr(judges))


def reduce_grades(grades: Sequence[float], judges: Judges) -> float:
    """Return the grade that counts among those that judges gave one document, in order.

    A negative grade means that a judge did not judge, and counts only if all are negative. Among
    equally frequent grades, the majority is the lowest.

    Examples
    --------
    >>> [reduce_grades([2, 0, 0], rule) for rule in JUDGES]
    [2, 0, 2, 0.6666666666666666, 0]
    """
    valid = [grade for grade in grades if grade >= 0] or grades
    if judges == "first":
        return valid[0]
    if judges == "latest":
        return valid[-1]
    if judges == "max":
        return max(valid)
    if judges == "mean":
        total = 0.0
        for grade in valid:
            total += grade
        return total / len(valid)
    counts = Counter(valid)
    return min(counts, key=lambda grade: (-counts[grade], grade))
