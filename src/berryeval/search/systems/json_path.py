"""Paths into JSON: ``hits.hits[*]._id``.

A path consists of names, separated by dots; ``[*]`` stands for every item of a list, ``[0]`` for
one of them, and ``["a name"]`` for a name with dots or brackets. A leading ``$.`` is optional.
"""

from __future__ import annotations

import json
import re
from typing import TypeAlias

from berryeval.errors import ArgumentError

__all__ = ["EVERY", "JsonPath", "find_values", "parse_path"]

EVERY = "*"
JsonPath: TypeAlias = "tuple[str | int, ...]"
"""Names, positions in lists, and `EVERY`."""

_STEP = re.compile(r'\.?([^.\[\]]+)|\[(\*)\]|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]')


def parse_path(text: str, argument: str) -> JsonPath:
    """Return the steps of a path.

    Raises
    ------
    ArgumentError
        If it cannot be parsed.

    Examples
    --------
    >>> parse_path("hits.hits[*]._id", "ids")
    ('hits', 'hits', '*', '_id')
    """
    rest = re.sub(r"^\$(?=[.\[]|$)", "", text)
    steps: list[str | int] = []
    while rest:
        match = _STEP.match(rest)
        if match is None or (rest.startswith(".") and not steps and text == rest):
            example = "a path such as 'hits[*].id'"
            raise ArgumentError(argument, example, repr(text))
        name, every, place, quoted = match.groups()
        steps.append(name or every or (int(place) if place else json.loads(quoted)))
        rest = rest[match.end() :]
    return tuple(steps)


def find_values(data: object, path: JsonPath) -> list[object]:
    """Return the values at a path, in order.

    Raises
    ------
    LookupError
        If a step of the path is missing; the message describes it.
    """
    found = [data]
    for step in path:
        found = [item for value in found for item in _items(value, step)]
    return found


def _items(value: object, step: str | int) -> list[object]:
    if isinstance(value, list):
        if step == EVERY:
            return value
        if isinstance(step, int) and step < len(value):
            return [value[step]]
    elif isinstance(value, dict) and step in value:
        return [value[step]]
    raise LookupError(_missing(step, value))


def _missing(step: str | int, value: object) -> str:
    wanted = "a list" if step == EVERY else f"an item {step!r}"
    if isinstance(value, dict):
        there = ", ".join(map(repr, list(value)[:6])) or "no keys"
        return f"expected {wanted}, found an object with {there}"
    return f"expected {wanted}, found {type(value).__name__}"
