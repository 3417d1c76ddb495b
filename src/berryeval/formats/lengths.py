"""Lengths of documents: one document per line, with its id and its length.

JSON lines have an object per line, ``{"doc_id": "d1", "length": 120}``; files of documents that
have a ``length`` are read, too, and so is a BEIR folder whose corpus has one. Tables have a header
that names the columns ``doc_id`` and ``length``. Lines without a header have two columns, separated
by white space: ``d1 120``. Other keys and columns are ignored.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator

from berryeval.core.column_names import DOCUMENT, LENGTH, find_name
from berryeval.core.id_column import decode_id, shown_id
from berryeval.core.lengths import MAX_LENGTH
from berryeval.errors import FormatError
from berryeval.formats import beir
from berryeval.formats.delimited import iter_records, split_header
from berryeval.formats.jsonl import iter_objects
from berryeval.formats.keys import id_bytes, shown_keys
from berryeval.formats.lines import PathLike, iter_lines, path_name, readable_again

__all__ = ["read_lengths"]

_ID = (*DOCUMENT, "_id", "id")


def read_lengths(path: PathLike) -> dict[str, float]:
    """Read the length of each document.

    Raises
    ------
    FormatError
        With file and line, for what cannot be read, for a length that is not a number of at least
        0, and for a document that occurs twice.
    """
    if os.path.isdir(path):  # noqa: PTH112
        path = beir.corpus_path(path)
    path = readable_again(path)
    found: dict[str, float] = {}
    for line, doc_id, length in _iter_rows(path):
        if doc_id in found:
            message = f"document {shown_id(doc_id)} occurs twice"
            raise FormatError(message, path_name(path), line)
        found[doc_id] = _number(length, path, line)
    if not found:
        raise FormatError.unexpected("the length of at least one document", "none", path_name(path))
    return found


def _iter_rows(path: PathLike) -> Iterator[tuple[int, str, object]]:
    first = next((line for _, line in iter_lines(path) if line.strip()), b"")
    if first.lstrip()[:1] == b"{":
        for line, record in iter_objects(path):
            yield _fields(record, path, line, "key")
    elif find_name(split_header(decode_id(first.strip())), LENGTH) is not None:
        for line, fields in iter_records(path):
            yield _fields(dict(fields), path, line, "column")
    else:
        for line, text in iter_lines(path):
            columns = text.split()
            if columns and len(columns) != 2:  # noqa: PLR2004 - id and length
                raise FormatError.unexpected(
                    "a document and its length", f"{len(columns)} columns", path_name(path), line
                )
            if columns:
                yield line, decode_id(columns[0]), columns[1]


def _fields(
    record: dict[str, object] | dict[str, str], path: PathLike, line: int, what: str
) -> tuple[int, str, object]:
    name, length = find_name(record, _ID), find_name(record, LENGTH)
    for wanted, found in (("doc_id", name), ("length", length)):
        if found is None:
            shown = shown_keys(record)
            raise FormatError.unexpected(f"a {what} {wanted!r}", shown, path_name(path), line)
    assert name is not None
    assert length is not None
    return line, decode_id(id_bytes(record[name], path, line)), record[length]


def _number(value: object, path: PathLike, line: int) -> float:
    text = decode_id(value) if isinstance(value, bytes) else str(value)
    try:
        number = math.nan if isinstance(value, bool) or "_" in text else float(text)
    except (OverflowError, ValueError):
        number = math.nan
    if not 0.0 <= number <= MAX_LENGTH:
        raise FormatError.unexpected(
            "a number from 0 to 1e18 as length", repr(text[:40]), path_name(path), line
        )
    return number
