"""A measure of your own: a Python function with a name."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal, TypeAlias

from berryeval.errors import ArgumentError, InputTypeError, UnknownMeasureError
from berryeval.measures._base import Measure, declare, find_measure, register_defined
from berryeval.measures.parse import parse_measures

__all__ = ["CustomMeasure", "ScoreFunction", "define_measure"]

ScoreFunction: TypeAlias = Callable[[Sequence[float], Sequence[float]], float]
"""Scores one query, given grades in rank order and the grades of all judged documents."""

_ROUNDING = 1e-9
"""How far a value may be outside its bounds, because of the arithmetic of the function."""
_NAME = re.compile(r"[A-Za-z]\w*")


@declare
class CustomMeasure(Measure):
    """A measure created by `define_measure`; its k truncates the ranking before it is scored."""

    function: ClassVar[ScoreFunction]

    def _score(self, grades: Sequence[float], judged: Sequence[float]) -> float:
        value = type(self).function(grades[: self.k], judged)
        try:
            number = float(value)
        except (TypeError, ValueError):
            got = f"{type(value).__name__} {value!r}"
            raise InputTypeError(f"value of {self}", "a number", got) from None
        if math.isnan(number):
            raise ArgumentError(f"value of {self}", "a number", "NaN")
        low, high = self.bounds
        if not low - _ROUNDING <= number <= high + _ROUNDING:
            expected = f"a number within its bounds, {low:g} to {high:g}"
            raise ArgumentError(f"value of {self}", expected, f"{number:g}")
        return number

    def __reduce__(self) -> tuple[Any, ...]:
        # The class exists only where define_measure was called: it is found by name.
        return _restored, (self.name, self.k, self.judged_only)


def _restored(name: str, k: int | None, judged_only: bool) -> Measure:
    return find_measure(name)(k, judged_only=judged_only)


def define_measure(
    name: str,
    function: ScoreFunction,
    *,
    bounds: tuple[float, float] = (0.0, 1.0),
    higher_is_better: bool = True,
    aggregate: Literal["mean", "sum", "geometric"] = "mean",
    title: str | None = None,
    definition: str | None = None,
) -> type[Measure]:
    """Create a measure from a function, so that its name can be used like any other.

    Parameters
    ----------
    name : str
        Letters, digits and underscores, beginning with a letter. No other measure may have this
        name, ignoring case.
    function : callable
        Takes the grades in rank order, where a document without a grade is below 0, and the
        grades of all judged documents, highest first; returns a number. It must give the
        same number for the same grades, and may be called from several threads. ``name@10``
        passes it the first 10 grades.
    bounds : tuple of float
        The lowest and the highest value; another value is an error. Intervals stay within them.
    higher_is_better : bool
        Whether a higher value is the better one.
    aggregate : {"mean", "sum", "geometric"}
        How the values of many queries become one.
    title, definition : str, optional
        The full name and the definition of the measure.

    Returns
    -------
    type of Measure
        Call it, with or without k, to get the measure.

    Raises
    ------
    ArgumentError
        If the name is taken or cannot be read, or a bound is not a number.

    Notes
    -----
    A measure can be pickled; the process that reads it has to define it, too.

    Examples
    --------
    >>> def first_is_relevant(grades, judged):
    ...     return float(len(grades) > 0 and grades[0] >= 1)
    >>> FirstHit = define_measure("FirstHit", first_is_relevant)
    >>> from berryeval.measures import parse_measure
    >>> parse_measure("FirstHit").score([2, 0], [2, 1])
    1.0
    """
    _check_name(name)
    if not callable(function):
        raise InputTypeError("function", "a function of grades and judged", repr(function))
    low, high = bounds
    if not low < high:  # also if one is NaN
        raise ArgumentError("bounds", "a lower and a higher number", repr(bounds))
    if aggregate not in ("mean", "sum", "geometric"):
        raise ArgumentError("aggregate", "'mean', 'sum' or 'geometric'", repr(aggregate))
    measure = type(
        name,
        (CustomMeasure,),
        {
            "__doc__": definition or f"{name}, a measure of the user's own.",
            "__module__": __name__,
            "name": name,
            "title": title or name,
            "bounds": (float(low), float(high)),
            "higher_is_better": higher_is_better,
            "aggregate": aggregate,
            "definition": definition or "Defined by the user.",
            "use_when": "You defined it for your own purpose.",
            "avoid_when": "Others need to reproduce the number.",
            "edge_cases": (
                "Its function decides; NaN, or a value outside its bounds, is an error.",
            ),
            "function": staticmethod(function),
        },
    )
    return register_defined(measure)


def _check_name(name: object) -> None:
    expected = "a name of letters, digits and underscores, beginning with a letter"
    if not isinstance(name, str):
        raise InputTypeError("name", expected, f"{type(name).__name__} {name!r}")
    if not _NAME.fullmatch(name):
        raise ArgumentError("name", expected, repr(name))
    try:
        taken = parse_measures(name)
    except UnknownMeasureError:
        return
    raise ArgumentError("name", "a name that is not in use", f"{name!r}, which is {taken[0]}")
