"""Reading queries from a file in any format, and writing them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from types import ModuleType

from berryeval.core.files import format_of_ending, uncompressed_name, write_whole
from berryeval.core.id_column import shown_id
from berryeval.core.query import Query, find_split_group
from berryeval.errors import ArgumentError, FormatError
from berryeval.formats import beir
from berryeval.formats.beginning import Beginning
from berryeval.formats.lines import PathLike, iter_lines, path_name, readable_again
from berryeval.formats.platforms import load, may_be_one
from berryeval.formats.queries import delimited, json_file, jsonl, trec_topics

__all__ = [
    "PLATFORM_QUERY_FORMATS",
    "QUERY_FORMATS",
    "check_query_format",
    "read_queries",
    "sniff_queries",
    "write_queries",
]

QUERY_FORMATS: dict[str, ModuleType] = {
    "topics": trec_topics,
    "jsonl": jsonl,
    "json": json_file,
    "table": delimited,
}
"""The formats by name, in the order of detection."""

PLATFORM_QUERY_FORMATS = ("srw-query-set", "quepid-case", "quepid-snapshot")
"""Formats of platforms that have queries; the first can be written, too."""

_ENDINGS = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".csv": "table",
    ".tsv": "table",
}


def read_queries(path: PathLike, *, format: str | None = None, strict: bool = False) -> list[Query]:
    """Read queries from a file.

    Parameters
    ----------
    path : path
        The file, compressed or not. A folder is read as BEIR's: its ``queries.jsonl``.
    format : str, optional
        One of `QUERY_FORMATS` or `PLATFORM_QUERY_FORMATS`. Default: detected from the beginning.
    strict : bool
        Whether an unknown key or column is an error, as in a golden set.

    Raises
    ------
    FormatError
        With file and line, for invalid content, for a repeated query, for a group in two strata,
        and, if strict, for an unknown key.
    """
    if os.path.isdir(path):  # noqa: PTH112
        path = beir.queries_path(path)
    path = readable_again(path)
    chosen = _sniff(path) if format is None else check_query_format(format)
    found: dict[str, Query] = {}
    lines: dict[str, int | None] = {}
    for line, query in _iter_queries(path, chosen, strict=strict):
        if query.query_id in found:
            message = f"query {shown_id(query.query_id)} occurs twice"
            raise FormatError(message, path_name(path), line)
        found[query.query_id], lines[query.query_id] = query, line
    split = find_split_group(found.values())
    if split is not None:
        query, places = split
        group = shown_id(query.group or "")
        raise FormatError.unexpected(
            f"the queries of group {group} in one stratum",
            places,
            path_name(path),
            lines[query.query_id],
        )
    return list(found.values())


def _iter_queries(
    path: PathLike, chosen: str, *, strict: bool
) -> Iterator[tuple[int | None, Query]]:
    if chosen in PLATFORM_QUERY_FORMATS:
        return ((None, query) for query in load(chosen).iter_queries(path))
    queries: Iterator[tuple[int | None, Query]]
    queries = QUERY_FORMATS[chosen].iter_queries(path, strict=strict)
    return queries


def check_query_format(name: str) -> str:
    """Return the name of a format, or raise if it is unknown."""
    known = (*QUERY_FORMATS, *PLATFORM_QUERY_FORMATS)
    if name not in known:
        raise ArgumentError("format", " or ".join(map(repr, known)), repr(name))
    return name


def _sniff(path: PathLike) -> str:
    found = sniff_queries(path)
    if found is not None:
        return found
    line = _first_line(path)
    if line is None:
        raise FormatError.unexpected("queries", "nothing", path_name(path))
    shown = line.decode("utf-8", "replace").strip()[:40]
    is_table = any(separator in shown for separator in ",;\t")
    way_out = "a table needs a first line with names, such as id,question" * is_table
    expected = "queries in JSON, a table or TREC topics"
    raise FormatError.unexpected(expected, repr(shown), path_name(path), 1, way_out=way_out)


def _first_line(path: PathLike) -> bytes | None:
    return next((line for _, line in iter_lines(path) if line.strip()), None)


def sniff_queries(path: PathLike) -> str | None:
    """Return the format of a file of queries by its beginning; None if it does not fit any."""
    line = _first_line(path)
    if line is None:
        return None
    if may_be_one(line):
        beginning = Beginning(path)
        for name in PLATFORM_QUERY_FORMATS:
            if load(name).sniff(beginning):
                return name
    for name, module in QUERY_FORMATS.items():
        if module.sniff(line):
            return name
    return None


def write_queries(queries: Iterable[Query], path: PathLike, *, format: str | None = None) -> None:
    """Write queries to a file, completely or not at all.

    Parameters
    ----------
    queries : iterable of Query
        The queries.
    path : path
        The file; ``-`` is standard output. A name that ends in ``.gz`` or ``.zst`` is
        compressed.
    format : str, optional
        One of `QUERY_FORMATS`, or ``srw-query-set``. Default: by the name, ``.jsonl``, ``.json``,
        ``.csv`` or ``.tsv``; any other is TREC topics.

    Raises
    ------
    FormatError
        If the file cannot be written.
    InputError
        If the format cannot represent a query.
    """
    ending = os.path.splitext(uncompressed_name(path))[1].lower()  # noqa: PTH122
    if format is None:
        chosen = format_of_ending(path, _ENDINGS, "topics", argument="output", choice="a format")
    else:
        chosen = check_query_format(format)
    lines: Iterator[bytes]
    if chosen in PLATFORM_QUERY_FORMATS:
        if chosen != PLATFORM_QUERY_FORMATS[0]:
            raise ArgumentError("format", "one that queries are written in", repr(chosen))
        lines = load(chosen).queries_to_lines(queries)
    elif chosen == "table":
        lines = delimited.to_lines(queries, separator="\t" if ending == ".tsv" else ",")
    else:
        lines = QUERY_FORMATS[chosen].to_lines(queries)
    write_whole(path, lines)
