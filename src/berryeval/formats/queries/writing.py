"""Writing queries in the format that a name asks for."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from berryeval.core.files import format_of_ending, uncompressed_name, write_whole
from berryeval.core.query import Query
from berryeval.formats.lines import PathLike
from berryeval.formats.queries import delimited
from berryeval.formats.queries.reading import QUERY_FORMATS, check_query_format

__all__ = ["write_queries"]

_ENDINGS = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".csv": "table",
    ".tsv": "table",
}


def write_queries(queries: Iterable[Query], path: PathLike, *, format: str | None = None) -> None:
    """Write queries to a file, whole or not at all.

    Parameters
    ----------
    queries : iterable of Query
        What to write.
    path : path
        The file; ``-`` is standard output. A name that ends in ``.gz`` or ``.zst`` is
        compressed.
    format : str, optional
        One of `QUERY_FORMATS`. Without it the name decides: ``.jsonl``, ``.json``, ``.csv`` and
        ``.tsv``; any other is TREC topics.

    Raises
    ------
    FormatError
        If the file cannot be written.
    InputError
        If a query has something that the format cannot hold.
    """
    ending = os.path.splitext(uncompressed_name(path))[1].lower()  # noqa: PTH122
    if format is None:
        chosen = format_of_ending(path, _ENDINGS, "topics", argument="output", choice="a format")
    else:
        chosen = check_query_format(format)
    lines: Iterator[bytes]
    if chosen == "table":
        lines = delimited.to_lines(queries, separator="\t" if ending == ".tsv" else ",")
    else:
        lines = QUERY_FORMATS[chosen].to_lines(queries)
    write_whole(path, lines)
