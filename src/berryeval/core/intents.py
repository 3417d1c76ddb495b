"""Grades by intent: the value of a document for each meaning or aspect of a query.

An intent is a subtopic of a query together with its weight. Measures of single grades treat an
`IntentGrade` as a plain number; intent-aware ones look at its parts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from berryeval.core.strata import Stratum

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["IntentGrade", "Part", "grades_by_intent"]


class Part(NamedTuple):
    """The grade of a document for one intent."""

    intent: bytes
    weight: float
    """The weight of the intent relative to other intents of the query."""
    grade: float


class IntentGrade(float):
    """The grade of a document, and its grades by intent.

    Examples
    --------
    >>> grade = IntentGrade(2.0, b"d1", (Part(b"animal", 1.0, 2.0), Part(b"car", 1.0, 0.0)))
    >>> grade + 1, [part.intent for part in grade.parts if part.grade >= 1]
    (3.0, [b'animal'])
    """

    __slots__ = ("doc_id", "parts", "stratum")

    doc_id: bytes
    """Decides between documents of equal gain in an ideal ranking."""
    parts: tuple[Part, ...]
    """Grades by intent, in byte order, each once; empty if the document is judged for no intent."""
    stratum: Stratum | None
    """The stratum of the document, taken from the grade it was created from, if it has one."""

    def __new__(cls, grade: float, doc_id: bytes = b"", parts: tuple[Part, ...] = ()) -> Self:
        """Make a number with parts."""
        made = super().__new__(cls, grade)
        made.doc_id = doc_id
        made.parts = parts
        made.stratum = getattr(grade, "stratum", None)
        return made


def grades_by_intent(
    grades: Mapping[bytes, float],
    subtopics: Mapping[bytes, Mapping[bytes, float]],
    weights: Mapping[bytes, float],
) -> dict[bytes, float]:
    """Return the grades of a query's documents with their parts.

    Parameters
    ----------
    grades : mapping from bytes to float
        The grade of each document.
    subtopics : mapping of mappings
        Document, subtopic, grade; documents without subtopics may be missing.
    weights : mapping from bytes to float
        The weight of each subtopic. Default: 1.
    """
    return {
        doc_id: IntentGrade(
            grade,
            doc_id,
            tuple(
                Part(intent, weights.get(intent, 1.0), its_grade)
                for intent, its_grade in sorted(subtopics.get(doc_id, {}).items())
            ),
        )
        for doc_id, grade in grades.items()
    }
