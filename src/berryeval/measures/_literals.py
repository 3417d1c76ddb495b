"""The values in the brackets of a measure: ``rel=2, gain={1:3,2:9}, dcg='exp-log2'``."""

from __future__ import annotations

import re
from collections.abc import Callable

__all__ = ["Unreadable", "read_parameters", "split_outside"]

_CLOSING = {"(": ")", "[": "]", "{": "}"}
_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?")
_WORDS: dict[str, object] = {"true": True, "false": False, "none": None}


class Unreadable(Exception):  # noqa: N818 - becomes a MeasureSyntaxError at once
    """What was expected in the brackets, and what was found."""

    def __init__(self, expected: str, got: str) -> None:
        super().__init__(expected, got)
        self.expected = expected
        self.got = got


def split_outside(text: str, ends: Callable[[int], bool]) -> list[str]:
    """Split a text at the characters for which `ends` is true, but not within brackets or quotes.

    Raises `Unreadable` for an unbalanced bracket or quote.
    """
    parts: list[str] = []
    start = 0
    waiting: list[str] = []
    for i, letter in enumerate(text):
        if waiting and letter == waiting[-1]:
            waiting.pop()
        elif waiting and waiting[-1] in "'\"":
            pass
        elif letter in _CLOSING:
            waiting.append(_CLOSING[letter])
        elif letter in "'\"":
            waiting.append(letter)
        elif letter in ")]}":
            raise Unreadable("an opening bracket", f"{letter!r} alone")
        elif not waiting and ends(i):
            parts.append(text[start:i])
            start = i + 1
    if waiting:
        raise Unreadable(f"a closing {waiting[-1]!r}", "the end")
    return [*parts, text[start:]]


def read_parameters(text: str) -> dict[str, object]:
    """Read the content of the brackets, separated by commas; raise `Unreadable` otherwise."""
    parameters: dict[str, object] = {}
    for part in _items(text):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not name.isidentifier():
            raise Unreadable("parameter=value", repr(part.strip()))
        if name in parameters:
            raise Unreadable(f"one value for {name}", "two")
        parameters[name] = _read_value(value)
    return parameters


def _items(text: str) -> list[str]:
    """Split a list at its commas; an empty text has no items."""
    return split_outside(text, lambda i: text[i] == ",") if text.strip() else []


def _read_value(text: str) -> object:
    """Read a table, a list, or an item of a list."""
    if text[:1] == "{":
        pairs = [item.split(":") for item in _items(text[1:-1])]
        if any(len(pair) != 2 for pair in pairs):  # noqa: PLR2004 - grade and gain
            raise Unreadable("grade:gain", repr(text))
        return [(_read_single(grade), _read_single(gain)) for grade, gain in pairs]
    if text[:1] == "[":
        return [_read_single(item) for item in _items(text[1:-1])]
    return _read_single(text)


def _read_single(text: str) -> object:
    text = text.strip()
    if _NUMBER.fullmatch(text):
        number = float(text)
        return int(number) if number.is_integer() else number
    if text[:1] in ("'", '"') and text[-1:] == text[:1] and len(text) > 1:
        return text[1:-1]
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if re.fullmatch(r"[A-Za-z][\w-]*", text):
        return text
    raise Unreadable("a value", repr(text))
