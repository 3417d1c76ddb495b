"""One ranked list and its judgments, read from sets, mappings or records."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, TypeAlias

from berryeval.core.grade import check_grade
from berryeval.errors import ArgumentError, InputTypeError

__all__ = ["JudgedList", "JudgmentsLike", "RelevanceJudgment", "iterate", "read_ranked_ids"]


@dataclass(frozen=True, slots=True)
class RelevanceJudgment:
    """The grade of one document for one query.

    Examples
    --------
    >>> RelevanceJudgment("d7", 2)
    RelevanceJudgment(doc_id='d7', grade=2)
    """

    doc_id: Hashable
    grade: float = 1
    """Higher is better. From 1 on the document is relevant, unless a measure has another level; 0
    means judged and not relevant, and below 0 counts as not judged."""


JudgmentsLike: TypeAlias = (
    "Mapping[Any, float] | AbstractSet[Any] | Iterable[RelevanceJudgment] | Iterable[Hashable]"
)
"""A mapping from id to grade, `RelevanceJudgment` records, or the ids of relevant documents."""

_NO_GRADE = -1.0


@dataclass(frozen=True, slots=True)
class JudgedList:
    """A ranked list as the kernels expect it; `berryeval.kernels` describes the two lists."""

    grades: list[float]
    judged: list[float]

    @classmethod
    def of(
        cls, retrieved: Iterable[Hashable], judgments: JudgmentsLike, argument: str = "judgments"
    ) -> JudgedList:
        """Look every id up once. `argument` is what a message calls the judgments."""
        grade_of = _read_judgments(judgments, argument)
        seen: set[Hashable] = set()
        grades = []
        for doc_id in read_ranked_ids(retrieved):
            grades.append(_NO_GRADE if doc_id in seen else grade_of.get(doc_id, _NO_GRADE))
            seen.add(doc_id)
        return cls(grades, sorted(grade_of.values(), reverse=True))


def _read_judgments(judgments: JudgmentsLike, argument: str) -> dict[Hashable, float]:
    """Return the grade of each judged document."""
    if isinstance(judgments, Mapping):
        return {
            doc_id: check_grade(grade, f"grade of {doc_id!r}")
            for doc_id, grade in judgments.items()
        }
    expected = "a set of ids, a mapping from id to grade, or RelevanceJudgment records"
    if hasattr(judgments, "to_dict"):  # a Series iterates over values; its ids are the index
        raise InputTypeError(argument, expected, f"{type(judgments).__name__} (try .to_dict())")
    grade_of: dict[Hashable, float] = {}
    n_records = n_ids = 0
    for item in iterate(judgments, argument, expected):
        if isinstance(item, RelevanceJudgment):
            n_records += 1
            doc_id = _check_id(item.doc_id, argument)
            if doc_id in grade_of:
                raise ArgumentError(argument, "one judgment per document", f"two of {doc_id!r}")
            grade_of[doc_id] = check_grade(item.grade, f"grade of {doc_id!r}")
        else:
            n_ids += 1
            grade_of[_check_id(item, argument)] = 1.0
    if n_records and n_ids:
        raise InputTypeError(argument, expected, "ids and records mixed")
    return grade_of


def read_ranked_ids(retrieved: Iterable[Hashable]) -> Iterator[Hashable]:
    """Iterate over the ids of a ranking, in their order."""
    expected = "document ids, best first"
    if isinstance(retrieved, (AbstractSet, Mapping)):
        got = f"{type(retrieved).__name__}, which has no order"
        raise InputTypeError("retrieved", expected, got)
    return (_check_id(doc_id, "retrieved") for doc_id in iterate(retrieved, "retrieved", expected))


def iterate(values: Any, argument: str, expected: str) -> Iterator[Any]:  # noqa: ANN401
    """Iterate over anything but text, which would yield single letters."""
    # Iterating over a table would yield the names of its columns.
    try:
        if not isinstance(values, (str, bytes)) and not hasattr(values, "columns"):
            return iter(values)
    except TypeError:
        pass
    got = "None" if values is None else type(values).__name__
    raise InputTypeError(argument, expected, got)


def _check_id(doc_id: Hashable, argument: str) -> Hashable:
    try:
        hash(doc_id)
    except TypeError:
        got = f"{type(doc_id).__name__}, which is not hashable"
        raise InputTypeError(argument, "ids that can be looked up", got) from None
    return doc_id
