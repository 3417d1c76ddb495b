"""Columns of ids and numbers as a compact stream of bytes that is fast to read.

A stream starts with a line of JSON that names each column, its kind and its size in bytes; the
columns follow, and all of it is deflated. Ids are stored as lengths followed by bytes. The bytes
of numbers are grouped by significance, so that similar bytes are adjacent: scores then need about
two thirds of the space.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from array import array
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np

from berryeval.core.id_column import IdColumn

__all__ = ["Column", "decode", "encode", "hash_of_columns"]

Column: TypeAlias = "IdColumn | array[float] | array[int]"

_LEVEL = 1
"""Higher levels take several times as long and save a few percent."""

_CODES = {"d": "<f8", "Q": "<u8"}


def encode(columns: Mapping[str, Column]) -> Iterator[bytes]:
    """Iterate over the stream, in pieces of any size."""
    parts = {name: list(_parts(column)) for name, column in columns.items()}
    kinds = {name: _kind(column) for name, column in columns.items()}
    head = [[name, kinds[name], [len(part) for part in parts[name]]] for name in columns]
    deflate = zlib.compressobj(_LEVEL)
    yield deflate.compress(json.dumps(head).encode() + b"\n")
    for name in columns:
        for part in parts[name]:
            yield deflate.compress(part)
    yield deflate.flush()


def decode(pieces: Iterable[bytes]) -> dict[str, Column]:
    """Return the columns of a stream; raise ValueError if it is invalid, damaged or cut off."""
    inflate = zlib.decompressobj()
    try:
        content = b"".join([*map(inflate.decompress, pieces), inflate.flush()])
    except zlib.error as error:
        raise ValueError(str(error)) from None
    if not inflate.eof:
        raise ValueError("it is cut off")
    line, _, rest = content.partition(b"\n")
    view = memoryview(rest)
    columns: dict[str, Column] = {}
    for name, kind, sizes in json.loads(line):
        parts = []
        for size in sizes:
            parts.append(view[:size])
            view = view[size:]
        columns[name] = _column(kind, parts)
    return columns


def hash_of_columns(columns: Mapping[str, Column]) -> str:
    """Return the SHA-256 of columns, as hexadecimal digits, independent of compression."""
    digest = hashlib.sha256()
    for name, column in columns.items():
        arrays = (column.offsets, column.data) if isinstance(column, IdColumn) else (column,)
        for part in arrays:
            plain = part if isinstance(part, bytes) else _numbers(part).tobytes()
            digest.update(f"{name} {len(plain)}\n".encode())
            digest.update(plain)
    return digest.hexdigest()


def _kind(column: Column) -> str:
    return "ids" if isinstance(column, IdColumn) else column.typecode


def _parts(column: Column) -> Iterator[bytes]:
    if isinstance(column, IdColumn):
        yield _by_significance(np.diff(_numbers(column.offsets)))
        yield column.data
    else:
        yield _by_significance(_numbers(column))


def _column(kind: str, parts: list[memoryview]) -> Column:
    if kind == "ids":
        lengths = _in_order(parts[0], "Q")
        offsets = np.concatenate([np.zeros(1, "u8"), np.cumsum(lengths, dtype="u8")])
        return IdColumn(bytes(parts[1]), _array("Q", offsets))
    return _array(kind, _in_order(parts[0], kind))


def _numbers(column: array[float] | array[int]) -> np.ndarray:
    return np.frombuffer(column, dtype=column.typecode).astype(_CODES[column.typecode], copy=False)


def _by_significance(numbers: np.ndarray) -> bytes:
    return np.ascontiguousarray(numbers.view("u1").reshape(-1, 8).T).tobytes()


def _in_order(part: memoryview, kind: str) -> np.ndarray:
    planes = np.frombuffer(part, "u1").reshape(8, -1)
    return np.ascontiguousarray(planes.T).reshape(-1).view(_CODES[kind])


def _array(kind: str, numbers: np.ndarray) -> array[Any]:
    found: array[Any] = array(kind)
    found.frombytes(numbers.astype(kind, copy=False).tobytes())
    return found
