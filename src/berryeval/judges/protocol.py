"""The protocol of a judge, which grades how well a document serves a query.

A judge sees the query, its intent, the document, the guideline and the scale. It sees neither the
system that returned the document, nor its rank, nor the grades of others.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any, Protocol, TypeAlias

from berryeval.core.documents import Document
from berryeval.core.grade import HIGHEST, default_labels
from berryeval.core.query import Query
from berryeval.errors import ArgumentError

__all__ = [
    "LONGEST_GUIDELINE",
    "Answer",
    "Guideline",
    "Judge",
    "Opinion",
    "Pair",
    "Scale",
    "guideline_text",
    "hash_of",
]

LONGEST_GUIDELINE = 40_000
"""Characters of a guideline, as many as are rendered as Markdown."""

_SHORT = 16
_LONGEST_REASON = 1000


def hash_of(value: object) -> str:
    """Return a short hash of anything that JSON can represent; keys are sorted.

    Examples
    --------
    >>> hash_of({"a": 1, "b": 2}) == hash_of({"b": 2, "a": 1})
    True
    """
    text = json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_SHORT]


def guideline_text(text: str) -> str:
    r"""Return the text of a guideline as it is stored, compared and shown.

    Line ends and space around the text mean nothing: files, forms and archives differ in them.

    Raises
    ------
    ArgumentError
        If it is too long.

    Examples
    --------
    >>> guideline_text("Judge from\r\nthe text.\n")
    'Judge from\nthe text.'
    """
    found = text.replace("\r\n", "\n").replace("\r", "\n").strip()
    if len(found) > LONGEST_GUIDELINE:
        expected = f"a text of at most {LONGEST_GUIDELINE:,} characters"
        raise ArgumentError("guideline", expected, f"{len(found):,}")
    return found


@dataclass(frozen=True)
class Scale:
    """The grades that a judge may give: whole numbers from 0 to the highest.

    Parameters
    ----------
    highest : int
        The highest grade, at least 1.
    labels : tuple of str, optional
        The meanings of the grades, from 0 up. Default: those that people see if a set declares
        none (`berryeval.core.grade.default_labels`); a scale above 9 has none.

    Raises
    ------
    ArgumentError
        If the highest grade is below 1, or there is not one label per grade.

    Examples
    --------
    >>> Scale(2).contains(2), Scale(2).contains(3), Scale(2).contains(1.5)
    (True, False, False)
    >>> Scale(1).labels
    ('Not relevant', 'Relevant')
    """

    highest: int
    labels: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if self.highest < 1:
            raise ArgumentError("scale", "a highest grade of at least 1", str(self.highest))
        if self.labels is None and self.highest <= HIGHEST:
            object.__setattr__(self, "labels", default_labels(self.highest))
        if self.labels is not None and len(self.labels) != self.highest + 1:
            expected = f"{self.highest + 1} labels, one per grade from 0"
            raise ArgumentError("labels", expected, str(len(self.labels)))

    def contains(self, grade: float) -> bool:
        """Return whether a grade is one of the scale."""
        return 0 <= grade <= self.highest and float(grade).is_integer()


@dataclass(frozen=True)
class Guideline:
    """How to assign grades: the text that people judge by, and the scale.

    Examples
    --------
    >>> first = Guideline("Judge from the text.", Scale(3))
    >>> first == Guideline("Judge from the text.\\r\\n", Scale(3))
    True
    >>> first.digest == Guideline("Judge from the text.", Scale(2)).digest
    False
    """

    text: str
    scale: Scale

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", guideline_text(self.text))

    @property
    def digest(self) -> str:
        """A hash of the text and the scale; an admission expires when it changes."""
        return hash_of([self.text, self.scale.highest, self.scale.labels])


@dataclass(frozen=True)
class Opinion:
    """The answer of a judge about one pair.

    Parameters
    ----------
    grade : float or None
        A grade of the scale; None means that the judge cannot judge this pair.
    reason : str
        Why, in a sentence; may be empty.
    confidence : float or None
        From 0 to 1, as the judge states it. It is stored and never used as a probability.
    """

    grade: float | None
    reason: str = ""
    confidence: float | None = None

    @classmethod
    def of(cls, value: object, scale: Scale) -> Opinion:
        """Read an opinion: an `Opinion`, a grade, None, or a mapping with ``grade``.

        A grade outside the scale, or anything that is not a number, means that the judge cannot
        judge; the reason says what came instead. A confidence that is not a number from 0 to 1 is
        dropped.

        Examples
        --------
        >>> Opinion.of(2, Scale(3))
        Opinion(grade=2.0, reason='', confidence=None)
        >>> Opinion.of({"grade": 7, "reason": "fits"}, Scale(3))
        Opinion(grade=None, reason='expected a grade from 0 to 3, got 7', confidence=None)
        """
        if isinstance(value, Opinion):
            fields: Mapping[str, Any] = vars(value)
        else:
            fields = value if isinstance(value, Mapping) else {"grade": value}
        grade = fields.get("grade")
        if grade is not None and not (_is_number(grade) and scale.contains(grade)):
            got = repr(grade)[:60]
            return cls(None, f"expected a grade from 0 to {scale.highest}, got {got}")
        reason = " ".join(str(fields.get("reason") or "").split())[:_LONGEST_REASON]
        confidence: Any = fields.get("confidence")
        if not _is_number(confidence) or not 0 <= confidence <= 1:
            confidence = None
        return cls(
            None if grade is None else float(grade),
            reason,
            None if confidence is None else float(confidence),
        )


def _is_number(value: Any) -> bool:  # noqa: ANN401 - unchecked JSON
    is_real = isinstance(value, Real) and not isinstance(value, bool)
    return is_real and math.isfinite(float(value))


@dataclass(frozen=True)
class Answer:
    """An opinion, and its cost.

    Parameters
    ----------
    opinion : Opinion
        The opinion.
    model : str or None
        The model that answered, according to the server, which may be more specific than the one
        requested.
    n_calls : int
        Calls, including those that were repeated because of an invalid answer.
    input_tokens, output_tokens : int
        Tokens of all calls, as the server counts them, or estimated if it does not.
    """

    opinion: Opinion
    model: str | None = None
    n_calls: int = 1
    input_tokens: int = 0
    output_tokens: int = 0


@dataclass(frozen=True)
class Pair:
    """A query and a document to judge."""

    query: Query
    document: Document

    @property
    def key(self) -> tuple[str, str]:
        """The ids of query and document."""
        return self.query.query_id, self.document.doc_id

    @property
    def content(self) -> list[str]:
        """Everything that the judge sees of the pair."""
        intent = self.query.description or ""
        return [self.query.text, intent, self.document.title, self.document.text]


Given: TypeAlias = "Opinion | Answer | Mapping[str, Any] | float | None"


class Judge(Protocol):
    """Anything that can judge.

    ``judge`` may be a coroutine function. It may return an `Opinion`, a grade, None if it cannot
    judge, or a mapping with ``grade``, ``reason`` and ``confidence``. It is called from several
    threads at once.
    """

    name: str
    """The name under which its grades are stored."""

    def judge(
        self, query: Query, intent: str | None, document: Document, guideline: str, scale: Scale
    ) -> Given | Awaitable[Given]:
        """Grade a document for a query.

        Parameters
        ----------
        query : Query
            The query, with its text and its id.
        intent : str or None
            The information need behind the query, if the set describes it.
        document : Document
            The document, with title and text.
        guideline : str
            How to assign grades; the guideline that people use.
        scale : Scale
            The grades, and their meanings.
        """

    def fingerprint(self) -> Mapping[str, str]:
        """Return what its grades depend on: model, settings, template.

        If any of it changes, the judge is another judge, and has to be admitted again.
        """
