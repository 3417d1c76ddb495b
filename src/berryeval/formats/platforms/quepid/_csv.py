"""Rows of Quepid's CSV files."""

from __future__ import annotations

from collections.abc import Iterator

from berryeval.core.id_column import decode_id, encode_id
from berryeval.errors import FormatError
from berryeval.formats.delimited import iter_fields, split_header
from berryeval.formats.lines import PathLike, path_name

__all__ = ["QUERY_AND_DOCUMENT", "header_of", "iter_table", "protected", "required_id"]

QUERY_AND_DOCUMENT = (["query", "docid"], ["query", "doc_id"])
_FORMULAS = ("-", "=", "+", "@")


def header_of(line: bytes) -> list[str]:
    """Return the names of the columns, in lower case."""
    text = decode_id(line)
    if "," not in text:
        return []
    return [name.strip().strip('"').lower() for name in split_header(text)]


def iter_table(path: PathLike) -> Iterator[tuple[int, list[str]]]:
    """Iterate over lines and fields, the header's first; all have as many fields."""
    width = None
    for line, fields in iter_fields(path):
        width = len(fields) if width is None else width
        if len(fields) != width:
            raise FormatError.unexpected(
                f"{width} columns", str(len(fields)), path_name(path), line
            )
        yield line, fields


def protected(text: str) -> str:
    """Return a text that no spreadsheet treats as a formula: Quepid puts a blank before it."""
    return f" {text}" if text.startswith(_FORMULAS) else text


def required_id(text: str, column: str, path: PathLike, line: int) -> bytes:
    """Return a query or document, without the blank of `protected`."""
    if text[:1] == " " and text[1:].startswith(_FORMULAS):
        text = text[1:]
    if not text:
        raise FormatError.unexpected(f"a value in column {column!r}", "none", path_name(path), line)
    return encode_id(text)
