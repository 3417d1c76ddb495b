"""Times of queries: one object per line, ``{"query_id": "q1", "ms": 12.5}``.

`berryeval retrieve --timings` writes them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from berryeval.core.timings import MAX_MILLISECONDS
from berryeval.errors import FormatError
from berryeval.formats.lines import PathLike, iter_lines, path_name

__all__ = ["read_timings", "timings_to_lines"]


def read_timings(path: PathLike) -> dict[str, float]:
    """Read the milliseconds of each query: lines ``{"query_id": "q1", "ms": 12.5}``.

    Raises `FormatError` with the line of an invalid object.
    """
    found: dict[str, float] = {}
    for number, line in iter_lines(path):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            query_id, value = row["query_id"], row["ms"]
        except (ValueError, KeyError, TypeError, RecursionError):
            query_id, value = None, None
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not isinstance(query_id, str) or not is_number or not 0 <= value <= MAX_MILLISECONDS:
            shown = line.decode("utf-8", "replace").strip()[:40]
            expected = '{"query_id": "q1", "ms": 12.5}'
            raise FormatError.unexpected(expected, repr(shown), path_name(path), number)
        if query_id in found:
            raise FormatError.unexpected(
                "each query once", f"{query_id!r} again", path_name(path), number
            )
        found[query_id] = float(value)
    if not found:
        raise FormatError.unexpected("the time of at least one query", "none", path_name(path))
    return found


def timings_to_lines(milliseconds: Mapping[str, float]) -> Iterator[bytes]:
    """Iterate over the lines of a file, in microseconds' precision."""
    for query_id, value in milliseconds.items():
        yield json.dumps({"query_id": query_id, "ms": round(value, 3)}).encode() + b"\n"
