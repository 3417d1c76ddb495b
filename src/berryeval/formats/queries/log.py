"""Query logs: queries, and optionally their counts.

One of:

- JSON lines, ``{"query": "reset password", "count": 12}``;
- a table with a header, ``query,count``, separated by commas or tabs;
- two columns without a header, ``reset password<TAB>12``;
- plain text, one query per line.

A missing count is 1. Other keys and columns are ignored, and so are empty lines.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from berryeval.core.column_names import find_name
from berryeval.core.id_column import decode_id
from berryeval.errors import FormatError
from berryeval.formats.delimited import iter_records, split_header
from berryeval.formats.jsonl import iter_objects, parse_object
from berryeval.formats.keys import shown_keys
from berryeval.formats.lines import PathLike, iter_lines, path_name, readable_again
from berryeval.formats.queries._records import TEXT

__all__ = ["iter_log"]

COUNT = ("count", "n", "frequency", "freq", "hits", "searches")


def iter_log(path: PathLike) -> Iterator[tuple[str, float]]:
    """Iterate over the queries of a log with their counts.

    Raises `FormatError` with file and line for a line without a query, and for a count that is not
    a finite number of at least 0.
    """
    path = readable_again(path)
    first = next((line for _, line in iter_lines(path) if line.strip()), None)
    if first is None:
        raise FormatError.unexpected("a query log", "nothing", path_name(path))
    if parse_object(first) is not None:
        for line, record in iter_objects(path):
            yield _entry(record, path, line)
    elif _is_header(decode_id(first)):
        for line, fields in iter_records(path):
            yield _entry(dict(fields), path, line)
    else:
        yield from _iter_plain(path, has_counts=first.count(b"\t") == 1)


def _is_header(line: str) -> bool:
    return find_name([name.strip('" \r\n') for name in split_header(line)], TEXT) is not None


def _iter_plain(path: PathLike, *, has_counts: bool) -> Iterator[tuple[str, float]]:
    for line, content in iter_lines(path):
        text = decode_id(content).strip()
        if not text:
            continue
        query, tab, count = text.rpartition("\t") if has_counts else (text, "", "")
        if has_counts and not tab:
            raise FormatError.unexpected(
                "a query, a tab and a count", repr(text[:40]), path_name(path), line
            )
        yield query, _count(count, path, line) if has_counts else 1.0


def _entry(record: Mapping[str, object], path: PathLike, line: int) -> tuple[str, float]:
    name, count = find_name(record, TEXT), find_name(record, COUNT)
    text = None if name is None else record[name]
    if not isinstance(text, str):
        shown = shown_keys(record)
        raise FormatError.unexpected(f"a query under {TEXT[0]!r}", shown, path_name(path), line)
    return text, 1.0 if count is None else _count(record[count], path, line)


def _count(value: object, path: PathLike, line: int) -> float:
    number = math.nan
    if isinstance(value, (str, int, float)) and not isinstance(value, bool):
        try:
            number = float(value)
        except (ValueError, OverflowError):
            number = math.nan
    if not 0 <= number < math.inf or "_" in str(value):  # float() takes 1_000
        raise FormatError.unexpected(
            "a count, a finite number of at least 0", repr(str(value)[:40]), path_name(path), line
        )
    return number
