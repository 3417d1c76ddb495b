"""The numbers that documents are graded with."""

from __future__ import annotations

import math

from berryeval.errors import ArgumentError, InputTypeError

__all__ = ["MAX_GRADE", "check_grade", "check_level"]

MAX_GRADE = 1e290
"""A billion of these still add up to a finite number."""


def check_grade(grade: object, argument: str) -> float:
    """Return a grade as a float, or raise unless it is a finite number.

    `argument` says in a message which grade it is. Whatever Python can turn into a float is a
    number, True and False among them; text is not.
    """
    if isinstance(grade, (str, bytes)) or not hasattr(grade, "__float__"):
        raise InputTypeError(argument, "a number", f"{type(grade).__name__} {grade!r}")
    try:
        number = float(grade)
    except OverflowError:
        number = math.inf
    except (TypeError, ValueError):  # an array of several numbers, a signalling NaN
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
