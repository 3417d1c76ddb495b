"""Judgments of several judges and on several subtopics, brought down to one grade a document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Literal, NamedTuple, TypeAlias

from berryeval.core.grouped import Duplicates, Grouping
from berryeval.core.id_column import decode_id
from berryeval.core.judgments import Judgments, Subtopics
from berryeval.core.origin import Origin
from berryeval.errors import ArgumentError

__all__ = ["JUDGES", "JudgedRow", "Judges", "check_judges", "collect_judged"]

Judges: TypeAlias = Literal["max", "mean", "majority"]
"""How the grades of several judges become one."""

JUDGES = ("max", "mean", "majority")


class JudgedRow(NamedTuple):
    """One grade, by whom, and on what."""

    place: int | None
    """The line or row, from 1, where it is known."""
    query_id: bytes
    doc_id: bytes
    grade: float
    judge: bytes | None = None
    subtopic: bytes | None = None


_Label: TypeAlias = "tuple[bytes | None, bytes | None]"
"""Subtopic and judge."""

_Grades: TypeAlias = "float | dict[_Label, float]"
"""One grade without a label, as nearly all are, or grades by label."""


def check_judges(judges: object) -> None:
    """Raise unless it names a rule, or is None."""
    if judges is not None and judges not in JUDGES:
        raise ArgumentError("judges", " or ".join(map(repr, JUDGES)), repr(judges))


def collect_judged(
    rows: Iterable[JudgedRow],
    origin: Origin,
    duplicates: Duplicates = "error",
    judges: Judges | None = None,
) -> Judgments:
    """Make judgments of rows.

    The same query, document, subtopic and judge twice is a duplicate. The grades of several
    judges for one document become one by the rule `judges`; without a rule they are an error.
    The grade of a document is the highest over its subtopics.
    """
    found: dict[bytes, dict[bytes, _Grades]] = {}
    for place, query_id, doc_id, grade, judge, subtopic in rows:
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
    return _reduce(found, origin, judges)


def _reduce(
    found: dict[bytes, dict[bytes, _Grades]], origin: Origin, judges: Judges | None
) -> Judgments:
    rows = Grouping()
    subtopics: Subtopics = {}
    for query_id, documents in found.items():
        rows.add_query(query_id)
        for doc_id, grades in documents.items():
            if not isinstance(grades, dict):
                rows.add(query_id, doc_id, grades)
                continue
            by_subtopic: dict[bytes | None, list[float]] = {}
            for (subtopic, _), grade in grades.items():
                by_subtopic.setdefault(subtopic, []).append(grade)
            reduced = {
                subtopic: _one_grade(several, judges, origin, (query_id, doc_id))
                for subtopic, several in by_subtopic.items()
            }
            rows.add(query_id, doc_id, max(reduced.values()))
            named = {key: grade for key, grade in reduced.items() if key is not None}
            if named:
                subtopics.setdefault(query_id, {})[doc_id] = named
    judgments = Judgments.collect(rows)
    judgments.subtopics = subtopics
    return judgments


def _one_grade(
    grades: list[float], judges: Judges | None, origin: Origin, pair: tuple[bytes, bytes]
) -> float:
    if len(grades) == 1:
        return grades[0]
    if judges is None:
        query, document = (repr(decode_id(name)) for name in pair)
        raise origin.error(
            "one judge, or a rule (judges: max, mean or majority)",
            f"{len(grades)} judges of document {document} for query {query}",
        )
    # Whoever gave a negative grade did not judge, and has no say unless all did the same.
    said = [grade for grade in grades if grade >= 0] or grades
    if judges == "max":
        return max(said)
    if judges == "mean":
        total = 0.0
        for grade in said:
            total += grade
        return total / len(said)
    counts = Counter(said)
    return min(counts, key=lambda grade: (-counts[grade], grade))
