"""One JSON object, ``{"queries": [{"id": "Q001", "query": "…", "category": "…"}]}``.

The list may also be the whole file. Keys other than id, query, category, difficulty, description,
tags, weight, group (or session), stratum and turn are ignored, and are errors in a golden set.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from berryeval.core.query import Query
from berryeval.errors import FormatError
from berryeval.formats.keys import check_keys
from berryeval.formats.lines import PathLike, iter_lines, path_name
from berryeval.formats.queries._records import query_of, to_record

__all__ = ["iter_queries", "sniff", "to_lines"]


def sniff(first_line: bytes) -> bool:
    """Whether a file with this beginning may be one."""
    return first_line.lstrip().startswith((b"{", b"["))


def iter_queries(path: PathLike, *, strict: bool = False) -> Iterator[tuple[int | None, Query]]:
    """Iterate over the queries of a file. The position of a query in the file is unknown."""
    content = b"".join(line for _, line in iter_lines(path))
    try:
        records = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"expected JSON ({error})", path_name(path)) from None
    if isinstance(records, dict):
        if strict:
            check_keys(records, ("queries",), "at the top level", path)
        records = records.get("queries")
    if not isinstance(records, list):
        raise FormatError.unexpected(
            "a list of queries, alone or as 'queries' of an object", "none", path_name(path)
        )
    for record in records:
        if not isinstance(record, dict):
            raise FormatError.unexpected(
                "a query as an object", type(record).__name__, path_name(path)
            )
        yield None, query_of(record, path, None, strict=strict)


def to_lines(queries: Iterable[Query]) -> Iterator[bytes]:
    """Iterate over the lines of a file: one for each query, between brackets."""
    yield b'{"queries": ['
    for number, query in enumerate(queries):
        record = json.dumps(to_record(query, "id", "query")).encode()
        yield (b",\n" if number else b"\n") + record
    yield b"\n]}\n"
