"""Grades of documents: numbers, and the labels of a scale."""

from __future__ import annotations

import math

from berryeval.errors import ArgumentError, InputTypeError

__all__ = ["HIGHEST", "MAX_GRADE", "check_grade", "check_labels", "check_level", "default_labels"]

MAX_GRADE = 1e290
"""A billion of these still add up to a finite number."""


def check_grade(grade: object, argument: str) -> float:
    """Return a grade as a float, or raise unless it is a finite number.

    `argument` names the grade in messages. Anything that converts to a float is a number,
    including True and False; text is not.
    """
    if isinstance(grade, (str, bytes)) or not hasattr(grade, "__float__"):
        raise InputTypeError(argument, "a number", f"{type(grade).__name__} {grade!r}")
    try:
        number = float(grade)
    except OverflowError:
        number = math.inf
    except (TypeError, ValueError):  # an array, a signalling NaN
        raise InputTypeError(argument, "a number", f"{type(grade).__name__} {grade!r}") from None
    if not abs(number) <= MAX_GRADE:  # NaN compares false
        raise ArgumentError(argument, f"a finite number of at most {MAX_GRADE:g}", str(number))
    return number


def check_level(level: object) -> float:
    """Return the lowest relevant grade as a float, or raise unless it is at least 0."""
    if isinstance(level, bool):
        raise InputTypeError("level", "a number, at least 0", f"bool {level}")
    number = check_grade(level, "level")
    if number < 0.0:
        raise ArgumentError("level", "a number, at least 0", f"{number:g}")
    return number


HIGHEST = 9
"""The highest grade of a scale: every grade has one key of the keyboard."""

_LONGEST = 60

_LABELS = {
    1: ("Not relevant", "Relevant"),
    2: ("Not relevant", "Partly relevant", "Relevant"),
    3: ("Not relevant", "Marginal", "Partly answers it", "Answers it"),
}


def default_labels(highest: int) -> tuple[str, ...]:
    """Return the default labels of the grades from 0 to the highest.

    Examples
    --------
    >>> default_labels(1)
    ('Not relevant', 'Relevant')
    >>> default_labels(4)
    ('Grade 0', 'Grade 1', 'Grade 2', 'Grade 3', 'Grade 4')
    """
    return _LABELS.get(highest) or tuple(f"Grade {grade}" for grade in range(highest + 1))


def check_labels(labels: object, argument: str = "labels") -> tuple[str, ...]:
    """Return the labels of a scale; raise unless there are 2 to 10 of them, each a short text."""
    if isinstance(labels, str) or not isinstance(labels, (list, tuple)):
        raise InputTypeError(argument, "a list of texts", type(labels).__name__)
    if not 1 < len(labels) <= HIGHEST + 1:
        expected = f"2 to {HIGHEST + 1} labels, from grade 0 up"
        raise ArgumentError(argument, expected, f"{len(labels)}")
    for grade, label in enumerate(labels):
        where = f"{argument}[{grade}]"
        if not isinstance(label, str):
            raise InputTypeError(where, "a text", type(label).__name__)
        if not 0 < len(label.strip()) <= _LONGEST:
            raise ArgumentError(where, f"1 to {_LONGEST} characters", f"{len(label.strip())}")
    return tuple(label.strip() for label in labels)
