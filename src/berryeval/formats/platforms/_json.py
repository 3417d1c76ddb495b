"""JSON documents of platforms, read with the path of every value for messages."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from berryeval.core.column_names import Kind
from berryeval.errors import FormatError
from berryeval.formats.keys import id_bytes
from berryeval.formats.lines import BOM, PathLike, path_name, read_content
from berryeval.formats.rows import parse_number

__all__ = ["Node", "as_number", "dump", "load", "parse", "write_list"]

_LONGEST = 60
_EXACT = 2**53  # below it, a float that looks like a whole number is exact


class Node:
    """A value of a document, and its path: ``requests[3].ratings[0]._id``."""

    __slots__ = ("_file", "value", "where")

    def __init__(self, value: Any, file: PathLike, where: str = "") -> None:  # noqa: ANN401
        self.value = value
        self.where = where
        self._file = file

    def __getitem__(self, key: str) -> Node:
        """Return a value of an object, or raise if it is missing or null."""
        found = self.get(key)
        if found is None:
            some = ", ".join(map(repr, self.value))[:_LONGEST] or "no keys"
            raise self._error(f"a key {key!r}", some)
        return found

    def get(self, key: str) -> Node | None:
        """Return a value of an object; None if it is missing or null."""
        value = self._object().get(key)
        if value is None:
            return None
        return Node(value, self._file, f"{self.where}.{key}" if self.where else key)

    def first(self, *keys: str) -> Node | None:
        """Return the value of the first key that exists; None if there is none."""
        return next((found for key in keys if (found := self.get(key)) is not None), None)

    def items(self) -> Iterator[tuple[str, Node]]:
        """Iterate over the keys and values of an object."""
        for key, value in self._object().items():
            yield key, Node(value, self._file, f"{self.where}[{json.dumps(key)}]")

    def entries(self) -> Iterator[Node]:
        """Iterate over the values of a list."""
        if not isinstance(self.value, list):
            raise self.unexpected("a list")
        for number, value in enumerate(self.value):
            yield Node(value, self._file, f"{self.where}[{number}]")

    def text(self) -> str:
        """Return a text."""
        if not isinstance(self.value, str):
            raise self.unexpected("text")
        return self.value

    def ids(self) -> Iterator[tuple[bytes, Node]]:
        """Iterate over an object whose keys are ids."""
        for key, value in self.items():
            yield self.key(key).id(), value

    def key(self, key: str) -> Node:
        """Return a key of an object as a value."""
        return Node(key, self._file, f"a key of {self.where or 'the object'}")

    def optional(self, key: str) -> bytes | None:
        """Return a text of an object as bytes; None if it is missing, null or empty."""
        found = self.get(key)
        return None if found is None or found.value == "" else found.id()

    def id(self) -> bytes:
        """Return an id: text that is not empty, or a whole number."""
        try:
            return id_bytes(self.value, self._file, None)
        except FormatError:
            raise self.unexpected("an id") from None

    def number(self, kind: Kind) -> float:
        """Return a grade or a score, which may be written as text."""
        if not isinstance(self.value, bool) and isinstance(self.value, (int, float, str)):
            try:
                return parse_number(self.value, kind, self._file, None)
            except FormatError:
                pass
        raise self.unexpected("a number")

    def has_any(self, *keys: str) -> bool:
        """Whether an object has something under one of the keys."""
        return any(map(self._object().get, keys))

    def is_object(self) -> bool:
        """Whether it is an object."""
        return isinstance(self.value, dict)

    def unexpected(self, expected: str) -> FormatError:
        """Return the error for a value of the wrong kind."""
        shown = json.dumps(self.value)
        shown = shown if len(shown) <= _LONGEST else shown[: _LONGEST - 1] + "…"
        return self._error(expected, shown)

    def _error(self, expected: str, found: str) -> FormatError:
        where = f"{self.where}: " if self.where else ""
        message = f"{where}expected {expected}, found {found}"
        return FormatError(message, path_name(self._file), expected=expected, found=found)

    def _object(self) -> dict[str, Any]:
        if not isinstance(self.value, dict):
            raise self.unexpected("an object")
        return self.value


def load(path: PathLike) -> Node:
    """Load a document. Raises `FormatError` for broken JSON and for keys that occur twice."""
    return parse(read_content(path).removeprefix(BOM), path)


def parse(content: bytes, path: PathLike, line: int | None = None) -> Node:
    """Return the document in the content of a file, or in a line of it."""
    try:
        return Node(json.loads(content, object_pairs_hook=_each_once), path)
    except _TwiceError as error:
        raise FormatError(str(error), path_name(path), line) from None
    except (ValueError, RecursionError) as error:
        message = f"expected a JSON document ({error})"
        raise FormatError(message, path_name(path), line) from None


class _TwiceError(Exception):
    pass


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        twice = next(key for key, n in counts.items() if n > 1)
        raise _TwiceError(f"key {twice!r:.60} occurs twice in an object")
    return found


def dump(value: object) -> bytes:
    """Return JSON on one line."""
    return json.dumps(value).encode()


def write_list(facts: Mapping[str, object], key: str, entries: Iterable[object]) -> Iterator[bytes]:
    """Iterate over the lines of an object with some facts, and last a list: one entry per line."""
    start = b"".join(b"%s: %s,\n " % (dump(name), dump(value)) for name, value in facts.items())
    yield b"{%s%s: [" % (start, dump(key))
    for number, entry in enumerate(entries):
        yield (b",\n  " if number else b"\n  ") + dump(entry)
    yield b"\n]}\n"


def as_number(number: float) -> float:
    """Return a number as JSON has it: a whole one without a point."""
    return int(number) if float(number).is_integer() and abs(number) < _EXACT else number
