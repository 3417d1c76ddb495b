"""Judgments of several judges and on several subtopics, reduced to one grade per document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from berryeval.core.grouped import Duplicates, Grouping
from berryeval.core.judgments import Judgments, Opinion, Subtopics
from berryeval.core.origin import Origin
from berryeval.errors import ArgumentError

__all__ = [
    "COUNTED",
    "JUDGES",
    "JudgedRow",
    "Judges",
    "check_judges",
    "collect_judged",
    "reduce_grades",
]

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
"""What counts by each rule, in words."""


class JudgedRow(NamedTuple):
    """One grade, by whom, and on what."""

    place: int | None
    """The line or row, from 1, where it is known."""
    query_id: bytes
    doc_id: bytes
    grade: float
    judge: bytes | None = None
    subtopic: bytes | None = None
    source: bytes | None = None
    """Where the grade comes from, as the file says."""


_Label: TypeAlias = "tuple[bytes | None, bytes | None]"
"""Subtopic and judge."""

_Grades: TypeAlias = "float | dict[_Label, float]"
"""One grade without a label, as nearly all are, or grades by label."""


def check_judges(judges: object, argument: str = "judges") -> None:
    """Raise unless it names a rule."""
    if judges not in JUDGES:
        raise ArgumentError(argument, " or ".join(map(repr, JUDGES)), repr(judges))


def collect_judged(
    rows: Iterable[JudgedRow],
    origin: Origin,
    duplicates: Duplicates = "error",
    judges: Judges = "first",
) -> Judgments:
    """Make judgments of rows.

    The same query, document, subtopic and judge twice is a duplicate. Where several judges graded
    a document, the rule `judges` says which grade counts, and `Judgments.reduced` how often it had
    to. The grade of a document is the highest over its subtopics.
    """
    found: dict[bytes, dict[bytes, _Grades]] = {}
    opinions: dict[bytes, dict[bytes, list[Opinion]]] = {}
    for place, query_id, doc_id, grade, judge, subtopic, source in rows:
        if judge is not None or source is not None:
            own = opinions.setdefault(query_id, {})
            own.setdefault(doc_id, []).append(Opinion(judge, grade, source))
        documents = found.setdefault(query_id, {})
        before = documents.get(doc_id)
        if before is None and judge is None and subtopic is None:
            documents[doc_id] = grade
            continue
        label = (subtopic, judge)
        if not isinstance(before, dict):
            before = documents[doc_id] = {} if before is None else {(None, None): before}
        if label not in before:
            before[label] = grade
        elif duplicates == "error":
            raise origin.duplicate("judgments", query_id, doc_id, place)
        else:
            before[label] = max(before[label], grade)
    judgments = _reduce(found, judges)
    judgments.opinions = opinions
    return judgments


def _reduce(found: dict[bytes, dict[bytes, _Grades]], judges: Judges) -> Judgments:
    rows = Grouping()
    subtopics: Subtopics = {}
    n_reduced = 0
    for query_id, documents in found.items():
        rows.add_query(query_id)
        for doc_id, grades in documents.items():
            if not isinstance(grades, dict):
                rows.add(query_id, doc_id, grades)
                continue
            by_subtopic: dict[bytes | None, list[float]] = {}
            for (subtopic, _), grade in grades.items():
                by_subtopic.setdefault(subtopic, []).append(grade)
            n_reduced += any(len(several) > 1 for several in by_subtopic.values())
            reduced = {
                subtopic: reduce_grades(several, judges)
                for subtopic, several in by_subtopic.items()
            }
            rows.add(query_id, doc_id, max(reduced.values()))
            named = {key: grade for key, grade in reduced.items() if key is not None}
            if named:
                subtopics.setdefault(query_id, {})[doc_id] = named
    judgments = Judgments.collect(rows)
    judgments.subtopics = subtopics
    if n_reduced:
        judgments.reduced = (judges, n_reduced)
    return judgments


def reduce_grades(grades: Sequence[float], judges: Judges) -> float:
    """Return the grade that counts, of those that judges gave one document, the first one first.

    A negative grade says that a judge did not judge, and counts only where all are negative. Of
    grades that are equally frequent the majority is the lowest.

    Examples
    --------
    >>> [reduce_grades([2, 0, 0], rule) for rule in JUDGES]
    [2, 0, 2, 0.6666666666666666, 0]
    """
    said = [grade for grade in grades if grade >= 0] or grades
    if judges == "first":
        return said[0]
    if judges == "latest":
        return said[-1]
    if judges == "max":
        return max(said)
    if judges == "mean":
        total = 0.0
        for grade in said:
            total += grade
        return total / len(said)
    counts = Counter(said)
    return min(counts, key=lambda grade: (-counts[grade], grade))
