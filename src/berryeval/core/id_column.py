"""A column of ids in one contiguous block of memory."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import accumulate, pairwise
from operator import index
from typing import overload

from berryeval.errors import ArgumentError, InputTypeError

__all__ = ["IdColumn", "as_id", "decode_id", "encode_id", "shown_id"]

_LONGEST_SHOWN = 80


def encode_id(doc_id: str, argument: str = "id") -> bytes:
    """Return the bytes of an id or text; bytes that were not UTF-8 when read are restored."""
    try:
        return doc_id.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        got = ascii(doc_id[:_LONGEST_SHOWN])
        raise ArgumentError(argument, "text that UTF-8 can encode", got) from None


def as_id(value: object, argument: str) -> str:
    """Return an id as text; a whole number means its decimal text, as over HTTP and in files.

    Raises `InputTypeError` for anything else. A float is often a whole number in a column with
    missing values: 7 and 7.0 would be different ids.
    """
    if isinstance(value, str):
        return value
    # Before numpy 2.3, its booleans also support __index__.
    is_truth = isinstance(value, bool) or getattr(getattr(value, "dtype", None), "kind", "") == "b"
    if not is_truth:
        with suppress(TypeError):
            return str(index(value))  # type: ignore[arg-type]  # numpy's integers have one, too
    got = f"{type(value).__name__} {value!r}"
    raise InputTypeError(argument, "text or a whole number", got[:_LONGEST_SHOWN])


def decode_id(doc_id: bytes) -> str:
    """Return an id as text; bytes that are not UTF-8 survive a round trip as surrogates."""
    return doc_id.decode("utf-8", "surrogateescape")


def shown_id(doc_id: str | bytes) -> str:
    """Return an id as messages show it: in quotes, on one line, shortened if very long."""
    text = decode_id(doc_id) if isinstance(doc_id, bytes) else doc_id
    return repr(text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…")


class IdColumn(Sequence[str]):
    """Ids as text, stored as bytes: each takes its own bytes plus eight.

    `data` has all ids; `offsets` the beginning of each, and at last the end of the last one.
    """

    __slots__ = ("data", "offsets")

    def __init__(self, data: bytes, offsets: array[int]) -> None:
        self.data = data
        self.offsets = offsets

    @classmethod
    def of(cls, ids: Iterable[bytes]) -> IdColumn:
        """Make a column of ids given as bytes."""
        pieces = list(ids)
        offsets = array("Q", accumulate(map(len, pieces), initial=0))
        return cls(b"".join(pieces), offsets)

    def bytes_at(self, index: int) -> bytes:
        """Return one id as bytes; `index` counts from 0."""
        return self.data[self.offsets[index] : self.offsets[index + 1]]

    def iter_bytes(self, start: int = 0, stop: int | None = None) -> Iterator[bytes]:
        """Iterate over ids as bytes."""
        data, end = self.data, len(self) if stop is None else stop
        for first, last in pairwise(self.offsets[start : end + 1]):
            yield data[first:last]

    def __iter__(self) -> Iterator[str]:
        return map(decode_id, self.iter_bytes())

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(f"row {index} of a column of {len(self)}")
        return decode_id(self.bytes_at(index % len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, IdColumn):
            return NotImplemented
        return self.data == other.data and self.offsets == other.offsets

    __hash__ = None  # type: ignore[assignment]  # as lists: what compares by content is not a key

    def __repr__(self) -> str:
        shown = ", ".join(repr(doc_id) for doc_id in self[:3])
        return f"<IdColumn of {len(self)}: {shown}{', …' if len(self) > 3 else ''}>"  # noqa: PLR2004
