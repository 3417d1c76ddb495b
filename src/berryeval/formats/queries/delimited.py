"""Tables, separated by commas or tabs.

With a header, such as ``query_id,text,category,difficulty,description,tags,weight,group,stratum``;
tags are separated by semicolons. Conversations have ``session``, which is their group, and
``turn``. Or without one: two columns with a tab between them,
``id<TAB>text``, as in MS MARCO, where quotes have no meaning.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from berryeval.core.id_column import decode_id
from berryeval.core.query import Query
from berryeval.errors import FormatError, InputError
from berryeval.formats.delimited import iter_records, split_header, write_rows
from berryeval.formats.lines import PathLike, iter_lines, path_name
from berryeval.formats.queries._records import has_keys, query_of, to_record

__all__ = ["iter_queries", "sniff", "to_lines"]

_COLUMNS = ("query_id", "text", "category", "difficulty", "description", "tags")
_FURTHER = ("weight", "group", "stratum", "turn")
"""Columns that are written only if a query has a value."""


def sniff(first_line: bytes) -> bool:
    """Whether a first line fits: it names the columns, or has one tab."""
    return _is_header(first_line) or first_line.count(b"\t") == 1


def _is_header(line: bytes) -> bool:
    names = split_header(decode_id(line))
    return has_keys([name.strip().strip('"') for name in names])


def iter_queries(path: PathLike, *, strict: bool = False) -> Iterator[tuple[int | None, Query]]:
    """Iterate over the queries of a file, with their lines."""
    first = next((line for _, line in iter_lines(path) if line.strip()), b"")
    return _iter_table(path, strict=strict) if _is_header(first) else _iter_pairs(path)


def _iter_table(path: PathLike, *, strict: bool) -> Iterator[tuple[int | None, Query]]:
    for line, fields in iter_records(path):
        # An empty field is a label that the query does not have. A text may be empty.
        labels = {name: field for name, field in fields if field}
        record: dict[str, object] = {name: labels.get(name, "") for name, _ in fields}
        for name in ("category", "difficulty", "description", "group", "session", "stratum"):
            record[name] = labels.get(name)
        record["weight"] = _number(labels.get("weight"))
        record["turn"] = _number(labels.get("turn"))
        record["tags"] = [tag for tag in labels.get("tags", "").split(";") if tag]
        yield line, query_of(record, path, line, strict=strict)


def _number(text: str | None) -> float | str | None:
    """Return the number in a field; the text itself if it is not a number."""
    if text is None or "_" in text:  # float() takes 1_000
        return text
    try:
        return float(text)
    except ValueError:
        return text


def _iter_pairs(path: PathLike) -> Iterator[tuple[int | None, Query]]:
    for number, line in iter_lines(path):
        if not line.strip():
            continue
        query_id, tab, text = decode_id(line.rstrip(b"\r\n")).partition("\t")
        if not query_id or not tab:
            raise FormatError.unexpected(
                "an id, a tab and a text",
                repr(decode_id(line).strip()[:40]),
                path_name(path),
                number,
            )
        yield number, Query(query_id, text)


def to_lines(queries: Iterable[Query], separator: str = ",") -> Iterator[bytes]:
    """Iterate over the lines of a file, with a header; raise for a tag with a semicolon."""
    return write_rows(_to_rows(queries), separator)


def _to_rows(queries: Iterable[Query]) -> Iterator[list[str]]:
    queries = list(queries)
    further = [
        name for name in _FURTHER if any(getattr(query, name) is not None for query in queries)
    ]
    columns = [*_COLUMNS, *further]
    yield columns
    for query in queries:
        for tag in query.tags:
            if ";" in tag or not tag:
                raise InputError(f"a table cannot hold the tag {tag!r} of {query.query_id!r}")
        record = to_record(query, "query_id", "text") | {"tags": ";".join(query.tags)}
        yield [str(record.get(name, "")) for name in columns]
