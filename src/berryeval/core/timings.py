"""How long queries took."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any

from berryeval.core.id_column import as_id, shown_id
from berryeval.errors import ArgumentError, InputTypeError

__all__ = ["MAX_MILLISECONDS", "check_timings"]

MAX_MILLISECONDS = 1e12
"""Thirty years; larger values are rejected."""

_EXPECTED = "milliseconds, from 0 to 1e12"


def check_timings(timings: Mapping[Any, float], argument: str = "timings") -> dict[str, float]:
    """Return the milliseconds of each query by its id.

    Raises `InputTypeError` or `ArgumentError` for what is not a number, and for numbers below 0 or
    above `MAX_MILLISECONDS`.
    """
    if not isinstance(timings, Mapping):
        raise InputTypeError(argument, "a mapping from query id", type(timings).__name__)
    found: dict[str, float] = {}
    for query_id, number in timings.items():
        key = as_id(query_id, argument)
        name = f"{argument}[{shown_id(key)}]"
        if isinstance(number, bool) or not isinstance(number, Real):
            raise InputTypeError(name, _EXPECTED, type(number).__name__)
        if not 0.0 <= number <= MAX_MILLISECONDS:
            raise ArgumentError(name, _EXPECTED, repr(number))
        found[key] = float(number)
    return found
