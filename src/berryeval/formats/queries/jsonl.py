"""JSON lines: one object per line, ``{"_id": "Q001", "text": "…", "category": "…"}``.

The id may be called ``query_id``, ``id`` or ``_id``, the text ``query`` or ``text``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from berryeval.core.query import Query
from berryeval.formats.jsonl import iter_objects, parse_object
from berryeval.formats.lines import PathLike
from berryeval.formats.queries._records import has_keys, query_of, to_record

__all__ = ["iter_queries", "sniff", "to_lines"]


def sniff(first_line: bytes) -> bool:
    """Whether a file with this beginning may be one: its first line is a query."""
    record = parse_object(first_line)
    return record is not None and has_keys(record)


def iter_queries(path: PathLike, *, strict: bool = False) -> Iterator[tuple[int | None, Query]]:
    """Iterate over the queries of a file, with their lines."""
    for line, record in iter_objects(path):
        yield line, query_of(record, path, line, strict=strict)


def to_lines(queries: Iterable[Query]) -> Iterator[bytes]:
    """Iterate over the lines of a file."""
    for query in queries:
        yield json.dumps(to_record(query, "_id", "text")).encode() + b"\n"
