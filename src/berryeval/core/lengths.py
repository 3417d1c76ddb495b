"""Lengths of documents, which measures of reading use in addition to grades.

A length is a number of at least 0, in the unit of the measure: words, characters, tokens. Measures
of single grades treat a `SizedGrade` as a plain number; those that look at lengths read its length.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any

from berryeval.core.documents import Documents
from berryeval.core.id_column import as_id, encode_id, shown_id
from berryeval.errors import ArgumentError, InputTypeError

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = [
    "MAX_LENGTH",
    "SizedGrade",
    "check_length",
    "check_lengths",
    "length_of",
    "sized_grades",
]

MAX_LENGTH = 1e18
"""Longer documents are a mistake, and sums of lengths stay finite."""

_EXPECTED = "a number from 0 to 1e18"


class SizedGrade(float):
    """The grade of a document as measures see it, and the length of the document.

    Examples
    --------
    >>> grade = SizedGrade(2.0, 120.0)
    >>> grade + 1, grade.length
    (3.0, 120.0)
    """

    __slots__ = ("length",)

    length: float
    """NaN if it is unknown."""

    def __new__(cls, grade: float, length: float) -> Self:
        """Make a number with a length."""
        made = super().__new__(cls, grade)
        made.length = length
        return made


def length_of(grade: float) -> float:
    """Return the length of the document that has this grade; NaN if it is unknown."""
    return grade.length if isinstance(grade, SizedGrade) else math.nan


def sized_grades(
    grades: Iterable[float], doc_ids: Iterable[bytes], lengths: Mapping[bytes, float]
) -> list[SizedGrade]:
    """Return the grades of documents with the lengths of these documents."""
    return [
        SizedGrade(grade, lengths.get(doc_id, math.nan))
        for grade, doc_id in zip(grades, doc_ids, strict=True)
    ]


def check_lengths(
    lengths: Documents | Mapping[Any, float], argument: str = "lengths"
) -> dict[bytes, float]:
    """Return the length of each document by its id as bytes.

    Raises `InputTypeError` or `ArgumentError` for documents without lengths, for what is not a
    number, and for numbers below 0 or above `MAX_LENGTH`.
    """
    if isinstance(lengths, Documents):
        if lengths.length is None:
            expected = "documents of which each has a length, or lengths by id"
            raise ArgumentError(argument, expected, "documents without a length")
        return _named(lengths, lengths.length)
    if not isinstance(lengths, Mapping):
        raise InputTypeError(argument, "a mapping from document id", type(lengths).__name__)
    found: dict[bytes, float] = {}
    given: Mapping[Any, Any] = lengths
    for doc_id, number in given.items():
        key = as_id(doc_id, argument)
        found[encode_id(key)] = check_length(number, f"{argument}[{shown_id(key)}]")
    return found


def check_length(number: object, argument: str = "length") -> float:
    """Return a length, or raise unless it is a number from 0 to `MAX_LENGTH`."""
    if not isinstance(number, Real) or isinstance(number, bool):
        raise InputTypeError(argument, _EXPECTED, type(number).__name__)
    length = float(number)
    if not 0.0 <= length <= MAX_LENGTH:
        raise ArgumentError(argument, _EXPECTED, repr(number))
    return length


def _named(doc_ids: Iterable[str], lengths: Sequence[int]) -> dict[bytes, float]:
    return {
        encode_id(doc_id): float(length) for doc_id, length in zip(doc_ids, lengths, strict=True)
    }
