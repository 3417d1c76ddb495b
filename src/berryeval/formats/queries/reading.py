"""Reading queries from a file whose format is told, or found out."""

from __future__ import annotations

import os
from types import ModuleType

from berryeval.core.id_column import shown_id
from berryeval.core.query import Query, find_split_group
from berryeval.errors import ArgumentError, FormatError
from berryeval.formats import beir
from berryeval.formats.lines import PathLike, iter_lines, path_name
from berryeval.formats.queries import delimited, json_file, jsonl, trec_topics

__all__ = ["QUERY_FORMATS", "check_query_format", "read_queries"]

QUERY_FORMATS: dict[str, ModuleType] = {
    "topics": trec_topics,
    "jsonl": jsonl,
    "json": json_file,
    "table": delimited,
}
"""The formats by name, in the order in which a file is tried for them."""


def read_queries(path: PathLike, *, format: str | None = None, strict: bool = False) -> list[Query]:
    """Read queries from a file.

    Parameters
    ----------
    path : path
        The file, compressed or not. A folder is read as BEIR's: its ``queries.jsonl``.
    format : str, optional
        One of `QUERY_FORMATS`; found out from the first line unless given. Standard input, ``-``,
        can be looked at only once, so its format has to be told.
    strict : bool
        Whether a key or column that has no meaning is an error, as in a golden set. Files of
        other tools often have more of them.

    Raises
    ------
    FormatError
        With file and line, for what cannot be read, for a query that comes twice, for a group that
        lies in two strata, and, if strict, for an unknown key.
    """
    if beir.is_folder(path):
        path = beir.queries_path(path)
    chosen = _sniff(path) if format is None else check_query_format(format)
    found: dict[str, Query] = {}
    lines: dict[str, int | None] = {}
    for line, query in QUERY_FORMATS[chosen].iter_queries(path, strict=strict):
        if query.query_id in found:
            message = f"query {shown_id(query.query_id)} occurs twice"
            raise FormatError(message, path_name(path), line)
        found[query.query_id], lines[query.query_id] = query, line
    split = find_split_group(found.values())
    if split is not None:
        query, places = split
        group = shown_id(query.group or "")
        message = f"expected the queries of group {group} in one stratum, found {places}"
        raise FormatError(message, path_name(path), lines[query.query_id])
    return list(found.values())


def check_query_format(name: str) -> str:
    """Return the name of a format, or raise if there is none."""
    if name not in QUERY_FORMATS:
        raise ArgumentError("format", " or ".join(map(repr, QUERY_FORMATS)), repr(name))
    return name


def _sniff(path: PathLike) -> str:
    if os.fspath(path) == "-":
        raise ArgumentError("format", " or ".join(map(repr, QUERY_FORMATS)), "none for '-'")
    line = next((line for _, line in iter_lines(path) if line.strip()), None)
    if line is None:
        raise FormatError("expected queries, found nothing", path_name(path))
    for name, module in QUERY_FORMATS.items():
        if module.sniff(line):
            return name
    shown = line.decode("utf-8", "replace").strip()[:40]
    message = f"expected queries in JSON, a table or TREC topics, found {shown!r}"
    raise FormatError(message, path_name(path), 1)
