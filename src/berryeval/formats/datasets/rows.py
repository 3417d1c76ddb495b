"""Rows of a table, of JSON lines, or of a JSON list."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from berryeval.formats.delimited import iter_records
from berryeval.formats.jsonl import iter_objects
from berryeval.formats.lines import PathLike, read_content

__all__ = ["iter_records_of"]


def iter_records_of(path: PathLike) -> Iterator[tuple[int | None, Mapping[str, Any]]]:
    """Iterate over the rows of a file, with their lines."""
    start = read_content(path)[:1024].lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith((b"{", b"[")):
        yield from iter_objects(path)
    else:
        for line, fields in iter_records(path):
            yield line, dict(fields)
