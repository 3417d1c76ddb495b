"""Writes weights and strata into a file of queries, and leaves everything else unchanged."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from berryeval.core.column_names import find_name
from berryeval.core.files import write_whole
from berryeval.core.id_column import decode_id
from berryeval.core.inputs import release_input
from berryeval.errors import FormatError
from berryeval.formats.delimited import iter_fields, separator_of, split_header, write_rows
from berryeval.formats.jsonl import parse_object
from berryeval.formats.keys import id_bytes
from berryeval.formats.lines import PathLike, iter_lines, path_name
from berryeval.formats.queries._records import ID, as_number, has_keys

__all__ = ["write_weights"]

_Changes: TypeAlias = "Mapping[str, Mapping[str, float | str]]"
"""The values to write for each key, by query id."""

_INDENT = re.compile(rb"\n( +)\S")


def write_weights(
    source: PathLike,
    weights: Mapping[str, float],
    target: PathLike | None = None,
    *,
    strata: Mapping[str, str] | None = None,
) -> None:
    """Write queries with these weights and no others, in the same format and order.

    The source is JSON, JSON lines or a table with a header; it is replaced if there is no target.
    Weights and strata are by query id: queries without one lose the one they had. If strata are
    omitted, they are unchanged. Raises `FormatError` if the format has no place for weights, or the
    file cannot be written.
    """
    changes: dict[str, Mapping[str, float | str]] = {
        "weight": {query_id: as_number(weight) for query_id, weight in weights.items()}
    }
    if strata is not None:
        changes["stratum"] = strata
    pieces = [*_pieces(source, changes)]
    if target is None:
        release_input(source)
    write_whole(source if target is None else target, pieces)


def _pieces(source: PathLike, changes: _Changes) -> Iterator[bytes]:
    lines = [line for _, line in iter_lines(source)]
    first = next((line for line in lines if line.strip()), b"")
    record = parse_object(first)
    if record is not None and has_keys(record):
        return _json_lines(lines, source, changes)
    if first.lstrip().startswith((b"{", b"[")):
        return iter([_json(b"".join(lines), source, changes)])
    if has_keys([name.strip('" \r\n') for name in split_header(decode_id(first))]):
        return _table(source, changes, separator_of(decode_id(first)))
    message = (
        "expected JSON, JSON lines or a table with a header; other formats cannot store weights"
    )
    raise FormatError(message, path_name(source))


def _json_lines(lines: list[bytes], source: PathLike, changes: _Changes) -> Iterator[bytes]:
    for line in lines:
        if not line.strip():
            yield line
            continue
        record = json.loads(line)
        before = dict(record)
        _change(record, source, changes)
        yield line if record == before else _dumped(record) + b"\n"


def _json(content: bytes, source: PathLike, changes: _Changes) -> bytes:
    loaded = json.loads(content)
    for record in loaded["queries"] if isinstance(loaded, dict) else loaded:
        _change(record, source, changes)
    indent = _INDENT.search(content)
    return _dumped(loaded, indent=len(indent[1]) if indent else None) + b"\n"


def _change(record: dict[str, Any], source: PathLike, changes: _Changes) -> None:
    name = find_name(record, ID)
    assert name is not None
    query_id = decode_id(id_bytes(record[name], source, None))
    for key, values in changes.items():
        if query_id in values:
            record[key] = values[query_id]
        else:
            record.pop(key, None)


def _dumped(value: object, indent: int | None = None) -> bytes:
    try:
        return json.dumps(value, indent=indent, ensure_ascii=False).encode()
    except UnicodeEncodeError:  # a lone surrogate, which JSON can only contain escaped
        return json.dumps(value, indent=indent).encode()


def _table(source: PathLike, changes: _Changes, separator: str) -> Iterator[bytes]:
    (_, header), *rows = iter_fields(source)
    names = [name.strip().lower() for name in header]
    found = find_name(names, ID)
    assert found is not None
    id_column = names.index(found)
    new = [key for key in changes if key not in names]
    columns = {key: [*names, *new].index(key) for key in changes}
    written = [[*header, *new]]
    for _, fields in rows:
        row = [*fields, *("" for _ in new)]
        for key, values in changes.items():
            row[columns[key]] = str(values.get(fields[id_column], ""))
        written.append(row)
    return write_rows(written, separator)
