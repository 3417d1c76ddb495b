"""The parameters of measures: their checks, and their text form."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import Field, fields
from typing import Any

from berryeval.core.grade import MAX_GRADE, check_grade
from berryeval.core.lengths import MAX_LENGTH
from berryeval.errors import ArgumentError, InputTypeError

__all__ = ["CHECKS", "JUDGED_ONLY", "parameter_fields", "parameter_names", "written"]

JUDGED_ONLY = "judged_only"
"""The parameter of every measure that looks at rankings; kernels do not take it."""

_ABOVE_0 = math.nextafter(0.0, 1.0)


def _number(argument: str, value: object, expected: str, low: float, high: float) -> float:
    """Return a number from `low` to `high`, or raise with what was expected."""
    if isinstance(value, bool):
        raise InputTypeError(argument, expected, f"bool {value}")
    number = check_grade(value, argument)
    if not low <= number <= high:
        raise ArgumentError(argument, expected, written(number))
    return number


def _within(argument: str, expected: str, low: float, high: float) -> Callable[[object], float]:
    return lambda value: _number(argument, value, expected, low, high)


_check_max_grade = _within("max_grade", "a number above 0", _ABOVE_0, MAX_GRADE)


def _check_optional_max_grade(value: object) -> float | None:
    return None if value is None else _check_max_grade(value)


_check_percentile = _within("percentile", "a number above 0 and up to 100", _ABOVE_0, 100.0)


def _check_optional_percentile(value: object) -> float | None:
    return None if value is None else _check_percentile(value)


def _check_gain(value: object) -> object:
    """Return ``linear``, ``exp2``, or pairs of grade and gain in the order of the grades."""
    expected = "'linear', 'exp2' or a gain for each grade, such as {1: 3, 2: 9}"
    if isinstance(value, str):
        if value not in ("linear", "exp2"):
            raise ArgumentError("gain", expected, repr(value))
        return value
    items = value.items() if isinstance(value, Mapping) else value
    try:
        pairs = [(grade, gain) for grade, gain in items]  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        raise InputTypeError("gain", expected, f"{type(value).__name__} {value!r}") from None
    table = {
        _number("gain", grade, "grades of at least 0", 0.0, MAX_GRADE): check_grade(gain, "gain")
        for grade, gain in pairs
    }
    if not table:
        raise ArgumentError("gain", expected, "an empty table")
    if len(table) < len(pairs):
        raise ArgumentError("gain", "one gain for each grade", "two of the same grade")
    return tuple(sorted(table.items()))


def _check_worth(value: object) -> tuple[float, ...]:
    expected = "four numbers: of a hit, a useless document, a missed one, any other"
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        raise InputTypeError("worth", expected, f"{type(value).__name__} {value!r}")
    numbers = tuple(check_grade(number, "worth") for number in value)
    if len(numbers) != 4:  # noqa: PLR2004 - retrieved or not, relevant or not
        raise ArgumentError("worth", expected, f"{len(numbers)} numbers")
    return numbers


def _check_n_documents(value: object) -> int:
    expected = "a whole number, at least 0"
    number = _number("n_documents", value, expected, 0.0, MAX_GRADE)
    if not number.is_integer():
        raise ArgumentError("n_documents", expected, written(number))
    return int(number)


def _check_rounding(value: object) -> object:
    if value not in ("up", "nearest"):
        raise ArgumentError("rounding", "'up' or 'nearest'", repr(value))
    return value


def _check_flag(argument: str) -> Callable[[object], bool]:
    def check(value: object) -> bool:
        if not isinstance(value, bool):
            raise InputTypeError(argument, "True or False", f"{type(value).__name__} {value!r}")
        return value

    return check


CHECKS: dict[str, Callable[[object], Any]] = {
    "rel": _within("rel", "a number, at least 0", 0.0, MAX_GRADE),
    "alpha": _within("alpha", "a number from 0 to 1", 0.0, 1.0),
    "beta": _within("beta", "a number from 0 to 1e100", 0.0, 1e100),
    "x": _within("x", "a number, at least 0", 0.0, MAX_GRADE),
    "recall": _within("recall", "a number from 0 to 1", 0.0, 1.0),
    "times": _within("times", "a number, above 0 and at most 1000", 1e-9, 1000.0),
    "p": _within("p", "a number between 0 and 1", _ABOVE_0, math.nextafter(1.0, 0.0)),
    "max_grade": _check_max_grade,
    "optional max_grade": _check_optional_max_grade,
    "gain": _check_gain,
    "worth": _check_worth,
    "n_documents": _check_n_documents,
    "rounding": _check_rounding,
    "T": _within("T", "a number, above 0 and at most 1000", 1e-9, 1000.0),
    "min_grade": _within("min_grade", "a number, at least 0", 0.0, MAX_GRADE),
    "normalise": _check_flag("normalise"),
    "optional percentile": _check_optional_percentile,
    "halflife": _within("halflife", "seconds above 0", 1e-9, MAX_GRADE),
    "scan": _within("scan", "seconds, from 0 to 1e9", 0.0, 1e9),
    "page": _within("page", "seconds, from 0 to 1e9", 0.0, 1e9),
    "pace": _within("pace", "seconds, from 0 to 1e9", 0.0, 1e9),
    "click": _within("click", "a number from 0 to 1", 0.0, 1.0),
    "stray": _within("stray", "a number from 0 to 1", 0.0, 1.0),
    "save": _within("save", "a number from 0 to 1", 0.0, 1.0),
    "L": _within("L", "a length above 0", 1e-9, MAX_LENGTH),
    "snippet": _within("snippet", "a length, at least 0", 0.0, MAX_LENGTH),
    "read": _within("read", "a number from 0 to 1", 0.0, 1.0),
    JUDGED_ONLY: _check_flag(JUDGED_ONLY),
}
"""By parameter name, a function that returns the value in its canonical form, or raises."""


def parameter_fields(measure: type[Any]) -> tuple[Field[Any], ...]:
    """Return the parameters of a measure, judged_only last; k only if it takes a cutoff."""
    own = [one for one in fields(measure) if one.name != "k" or measure.at == "k"]
    return tuple(sorted(own, key=lambda one: one.name == JUDGED_ONLY))


def parameter_names(measure: type[Any]) -> tuple[str, ...]:
    """Return the names of the parameters of a measure, in the same order."""
    return tuple(one.name for one in parameter_fields(measure))


def written(value: object) -> str:
    """Return a value as written in the name of a measure: ``0.8``, ``exp2``, ``{1:3,2:9}``."""
    if isinstance(value, float):
        text = repr(value)
        return text.removesuffix(".0")
    if isinstance(value, tuple):
        if value and isinstance(value[0], tuple):
            return "{" + ",".join(f"{written(a)}:{written(b)}" for a, b in value) + "}"
        return "[" + ",".join(map(written, value)) + "]"
    return str(value)
