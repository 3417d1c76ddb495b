"""Queries as records of keys and values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from berryeval.core.column_names import find_name
from berryeval.core.id_column import decode_id
from berryeval.core.query import Query, check_turn, check_weight
from berryeval.core.text import replace_lone_surrogates
from berryeval.errors import ArgumentError, FormatError, InputTypeError
from berryeval.formats.keys import check_keys, id_bytes, shown_keys
from berryeval.formats.lines import PathLike, path_name

__all__ = ["ID", "TEXT", "as_number", "has_keys", "query_of", "to_record"]

# BEIR uses _id and text.
ID = ("query_id", "id", "_id", "qid", "query-id", "queryid", "q_id", "topic")
TEXT = ("query", "text", "query_text", "question", "title")
_LABELS = ("category", "difficulty", "description")
_NAMES = ("group", "stratum")
_GROUP = ("group", "session")
_KNOWN = (*_LABELS, "tags", "weight", *_NAMES, "session", "turn", *ID, *TEXT)
_EXACT = 2**53  # below it, a float that looks like a whole number is exact
_SHOWN = 160
"""Characters of an invalid value in a message."""


def has_keys(names: Mapping[str, object] | list[str]) -> bool:
    """Whether an id and a text are among the names."""
    return find_name(names, ID) is not None and find_name(names, TEXT) is not None


def query_of(
    record: Mapping[str, object], path: PathLike, line: int | None, *, strict: bool = False
) -> Query:
    """Return the query of a record, or raise with file and line; if strict, for any other key."""
    name, text = find_name(record, ID), find_name(record, TEXT)
    for known, found in ((ID, name), (TEXT, text)):
        if found is None:
            shown = shown_keys(record)
            raise FormatError.unexpected(f"a key {known[0]!r}", shown, path_name(path), line)
    assert name is not None
    assert text is not None
    if strict:
        others = (key for key in record if key not in (name, text))
        check_keys(others, _KNOWN, f"query {record[name]!r}", path, line)
    labels = {key: _label(record.get(key), key, path, line) for key in _LABELS}
    # A session is a group: its queries are not independent.
    group = next((key for key in _GROUP if record.get(key) is not None), "group")
    return Query(
        decode_id(id_bytes(record[name], path, line)),
        _text(record[text], text, path, line),
        **labels,
        tags=_tags(record.get("tags"), path, line),
        weight=_weight(record.get("weight"), path, line),
        group=_name(record.get(group), group, path, line),
        stratum=_name(record.get("stratum"), "stratum", path, line),
        turn=_turn(record.get("turn"), path, line),
    )


def to_record(query: Query, id_key: str, text_key: str) -> dict[str, Any]:
    """Return a query as keys and values, without empty ones."""
    record: dict[str, Any] = {id_key: query.query_id, text_key: query.text}
    for key in _LABELS:
        if getattr(query, key) is not None:
            record[key] = getattr(query, key)
    if query.tags:
        record["tags"] = list(query.tags)
    if query.weight is not None:
        record["weight"] = as_number(query.weight)
    for key in (*_NAMES, "turn"):
        if getattr(query, key) is not None:
            record[key] = getattr(query, key)
    return record


def as_number(weight: float) -> float:
    """Return a weight as it is written: a whole number without a point."""
    return int(weight) if weight.is_integer() and weight < _EXACT else weight


def _text(value: object, key: str, path: PathLike, line: int | None) -> str:
    if isinstance(value, str):
        return replace_lone_surrogates(value)
    raise FormatError.unexpected(f"text as {key}", type(value).__name__, path_name(path), line)


def _label(value: object, key: str, path: PathLike, line: int | None) -> str | None:
    return None if value is None else _text(value, key, path, line)


def _weight(value: object, path: PathLike, line: int | None) -> float | None:
    if value is None:
        return None
    try:
        return check_weight(value)
    except (ArgumentError, InputTypeError) as error:
        raise _unexpected(f"{error.expected} as weight", value, path, line) from None


def _turn(value: object, path: PathLike, line: int | None) -> int | None:
    if value is None:
        return None
    try:
        return check_turn(value)
    except (ArgumentError, InputTypeError) as error:
        raise _unexpected(f"{error.expected} as turn", value, path, line) from None


def _name(value: object, key: str, path: PathLike, line: int | None) -> str | None:
    if value is None or type(value) is int:
        return None if value is None else str(value)
    text = _text(value, key, path, line)
    if not text:
        raise FormatError.unexpected(f"a name as {key}", "''", path_name(path), line)
    return text


def _tags(value: object, path: PathLike, line: int | None) -> tuple[str, ...]:
    if value is None:
        return ()
    if isinstance(value, list) and all(isinstance(tag, str) for tag in value):
        return tuple(map(replace_lone_surrogates, value))
    raise _unexpected("a list of text as tags", value, path, line)


def _unexpected(expected: str, value: object, path: PathLike, line: int | None) -> FormatError:
    return FormatError.unexpected(expected, repr(value)[:_SHOWN], path_name(path), line)
