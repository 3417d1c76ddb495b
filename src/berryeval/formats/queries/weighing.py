"""Writing weights into a file of queries, and leaving everything else in it as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from berryeval.core.column_names import find_name
from berryeval.core.files import write_whole
from berryeval.core.id_column import decode_id
from berryeval.core.inputs import release_input
from berryeval.errors import FormatError
from berryeval.formats._lines import PathLike, iter_lines, path_name
from berryeval.formats.delimited import iter_fields, separator_of, split_header, write_rows
from berryeval.formats.jsonl import parse_object
from berryeval.formats.keys import id_bytes
from berryeval.formats.queries._records import ID, as_number, has_keys

__all__ = ["write_weights"]

_KEY = "weight"
_INDENT = re.compile(rb"\n( +)\S")


def write_weights(
    source: PathLike, weights: Mapping[str, float], target: PathLike | None = None
) -> None:
    """Write queries once more, with these weights and no others, in the same format and order.

    Parameters
    ----------
    source : path
        A file that `read_queries` reads: JSON, JSON lines or a table with a header.
    weights : mapping
        The weight of queries, by id. Queries without one lose the weight that they had.
    target : path, optional
        Where to write. If omitted, the source is replaced.

    Raises
    ------
    FormatError
        If the format has no place for weights, or the file cannot be written.
    """
    pieces = [*_pieces(source, weights)]
    if target is None:
        release_input(source)
    write_whole(source if target is None else target, pieces)


def _pieces(source: PathLike, weights: Mapping[str, float]) -> Iterator[bytes]:
    lines = [line for _, line in iter_lines(source)]
    first = next((line for line in lines if line.strip()), b"")
    record = parse_object(first)
    if record is not None and has_keys(record):
        return _json_lines(lines, source, weights)
    if first.lstrip().startswith((b"{", b"[")):
        return iter([_json(b"".join(lines), source, weights)])
    if has_keys([name.strip('" \r\n') for name in split_header(decode_id(first))]):
        return _table(source, weights, separator_of(decode_id(first)))
    message = "expected JSON, JSON lines or a table with a header; others have no place for weights"
    raise FormatError(message, path_name(source))


def _json_lines(
    lines: list[bytes], source: PathLike, weights: Mapping[str, float]
) -> Iterator[bytes]:
    for line in lines:
        if not line.strip():
            yield line
            continue
        record = json.loads(line)
        before = dict(record)
        _weigh(record, source, weights)
        yield line if record == before else _dumped(record) + b"\n"


def _json(content: bytes, source: PathLike, weights: Mapping[str, float]) -> bytes:
    loaded = json.loads(content)
    for record in loaded["queries"] if isinstance(loaded, dict) else loaded:
        _weigh(record, source, weights)
    indent = _INDENT.search(content)
    return _dumped(loaded, indent=len(indent[1]) if indent else None) + b"\n"


def _weigh(record: dict[str, Any], source: PathLike, weights: Mapping[str, float]) -> None:
    name = find_name(record, ID)
    assert name is not None
    weight = weights.get(decode_id(id_bytes(record[name], source, None)))
    if weight is None:
        record.pop(_KEY, None)
    else:
        record[_KEY] = as_number(weight)


def _dumped(value: object, indent: int | None = None) -> bytes:
    try:
        return json.dumps(value, indent=indent, ensure_ascii=False).encode()
    except UnicodeEncodeError:  # half a character, which JSON can hold only escaped
        return json.dumps(value, indent=indent).encode()


def _table(source: PathLike, weights: Mapping[str, float], separator: str) -> Iterator[bytes]:
    (_, header), *rows = iter_fields(source)
    names = [name.strip().lower() for name in header]
    found = find_name(names, ID)
    assert found is not None
    id_column = names.index(found)
    column = names.index(_KEY) if _KEY in names else len(names)
    written = [[*header, _KEY] if column == len(names) else header]
    for _, fields in rows:
        weight = weights.get(fields[id_column])
        shown = "" if weight is None else str(as_number(weight))
        written.append([*fields[:column], shown, *fields[column + 1 :]])
    return write_rows(written, separator)
