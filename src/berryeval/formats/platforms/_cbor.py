"""The part of CBOR (RFC 8949) that ranx's files consist of: maps, texts and numbers."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator

__all__ = ["CborReader", "write_map"]

_UNSIGNED, _NEGATIVE, _TEXT, _MAP, _FLOAT = 0, 1, 3, 5, 7
_FLOATS = {25: ("e", 2), 26: ("f", 4), 27: ("d", 8)}
_LENGTHS = {24: 1, 25: 2, 26: 4, 27: 8}
_SHORT = 24


class CborReader:
    """Reads values one after another. Raises `ValueError` for anything else than expected."""

    def __init__(self, content: bytes) -> None:
        self._content = memoryview(content)
        self._position = 0

    @property
    def is_done(self) -> bool:
        """Whether nothing is left."""
        return self._position == len(self._content)

    def map_size(self) -> int:
        """Return the number of entries of the map that comes next."""
        major, detail = self._head()
        if major != _MAP:
            raise ValueError(f"expected a map at byte {self._position - 1}")
        return self._length(detail)

    def text(self) -> bytes:
        """Return the text that comes next, as bytes."""
        major, detail = self._head()
        if major != _TEXT:
            raise ValueError(f"expected text at byte {self._position - 1}")
        return bytes(self._take(self._length(detail)))

    def number(self) -> float:
        """Return the number that comes next."""
        major, detail = self._head()
        if major == _UNSIGNED:
            return float(self._length(detail))
        if major == _NEGATIVE:
            return float(-1 - self._length(detail))
        if major == _FLOAT and detail in _FLOATS:
            code, size = _FLOATS[detail]
            number: float = struct.unpack(f">{code}", self._take(size))[0]
            return number
        raise ValueError(f"expected a number at byte {self._position - 1}")

    def _head(self) -> tuple[int, int]:
        (first,) = self._take(1)
        return first >> 5, first & 31

    def _length(self, detail: int) -> int:
        if detail < _SHORT:
            return detail
        if detail not in _LENGTHS:
            raise ValueError(f"expected a length at byte {self._position - 1}")
        return int.from_bytes(self._take(_LENGTHS[detail]), "big")

    def _take(self, size: int) -> memoryview:
        found = self._content[self._position : self._position + size]
        if len(found) < size:
            raise ValueError("it ends too early")
        self._position += size
        return found


def write_map(
    queries: Iterable[tuple[bytes, list[tuple[bytes, float]]]], n_queries: int
) -> Iterator[bytes]:
    """Iterate over the pieces of a map of maps of numbers.

    Raises `UnicodeDecodeError` for ids that are not UTF-8.
    """
    yield _head_of(_MAP, n_queries)
    for query_id, documents in queries:
        yield _text_of(query_id) + _head_of(_MAP, len(documents))
        for doc_id, number in documents:
            yield _text_of(doc_id) + b"\xfb" + struct.pack(">d", number)


def _text_of(text: bytes) -> bytes:
    text.decode()  # raises for bytes that are no text
    return _head_of(_TEXT, len(text)) + text


def _head_of(major: int, length: int) -> bytes:
    if length < _SHORT:
        return bytes([major << 5 | length])
    detail, size = next((d, s) for d, s in _LENGTHS.items() if length < 1 << (8 * s))
    return bytes([major << 5 | detail]) + length.to_bytes(size, "big")
