"""Reads the answers of language models: one JSON object, regardless of the text around it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from berryeval.judges.protocol import Opinion, Scale

__all__ = ["InvalidAnswerError", "find_object", "read_opinion"]

_LONGEST = 20_000
"""Characters of an answer that are searched; valid ones are much shorter."""


class InvalidAnswerError(ValueError):
    """An answer is invalid; the message is sent to the model."""


def find_object(text: str, key: str) -> Mapping[str, Any]:
    """Return the only JSON object with a key in a text, such as one in a code block.

    Raises
    ------
    InvalidAnswerError
        If there is none, or if several differ: one of them may be quoted from a document.
    """
    found = [value for value in _iter_objects(text[:_LONGEST]) if key in value]
    if not found:
        raise InvalidAnswerError(f'expected a JSON object with "{key}", found none')
    if any(value != found[0] for value in found):
        raise InvalidAnswerError("expected one JSON object, found several")
    return found[0]


def _iter_objects(text: str) -> Iterator[dict[str, Any]]:
    """Iterate over the outermost objects in a text."""
    decoder = json.JSONDecoder()
    start = text.find("{")
    while start >= 0:
        try:
            value, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            end = start + 1
        else:
            yield value
        start = text.find("{", end)


def read_opinion(text: str, scale: Scale, code: str) -> Opinion:
    """Return the opinion in the answer of a model.

    Parameters
    ----------
    text : str
        The answer, in any language; only the JSON object counts.
    scale : Scale
        The grades that are valid. A number as text, such as ``"2"``, is accepted.
    code : str
        The answer code of the prompt. An object without it was not written for this pair.

    Raises
    ------
    InvalidAnswerError
        If there is no valid opinion.

    Examples
    --------
    >>> read_opinion('```json\\n{"code": "a1", "grade": 2, "reason": "fits"}\\n```', Scale(3), "a1")
    Opinion(grade=2.0, reason='fits', confidence=None)
    """
    found = dict(find_object(text, "grade"))
    if found.get("code") != code:
        raise InvalidAnswerError(f'expected "code": "{code}", found another one or none')
    grade = found["grade"]
    if isinstance(grade, str) and grade.strip().isdecimal():
        found["grade"] = int(grade)
    opinion = Opinion.of(found, scale)
    if opinion.grade is None and grade is not None:
        raise InvalidAnswerError(f"expected a whole number from 0 to {scale.highest} as grade")
    return opinion
