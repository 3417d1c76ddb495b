"""Rows of Arrow streams, through which data frames of all libraries pass their data.

The native extension reads a stream by itself. Without it, pyarrow does, which is slower and the
specification. Both reject the same input, with the same messages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

from berryeval.backend import backend
from berryeval.core.arrow_table import import_pyarrow
from berryeval.core.column_names import (
    LABEL_COLUMNS,
    SUBTOPIC_WEIGHT,
    Kind,
    find_name,
    wanted_names,
)
from berryeval.core.grade import MAX_GRADE
from berryeval.core.grouped import Duplicates, NativeColumns
from berryeval.core.id_column import encode_id
from berryeval.core.judging import JudgedRow
from berryeval.core.origin import Origin
from berryeval.errors import BerryEvalError

__all__ = [
    "NUMBER",
    "find_labels",
    "find_places",
    "group_stream",
    "iter_batches",
    "iter_stream",
    "largest",
    "null_error",
    "number_error",
]

NUMBER = {"judgments": "grade", "run": "score"}


def largest(kind: Kind) -> float:
    """Return the largest allowed number."""
    return MAX_GRADE if kind == "judgments" else float("inf")


def find_places(names: list[str], kind: Kind, origin: Origin) -> tuple[int, int, int]:
    """Return which columns hold the query, the document, and the grade or score."""
    places = []
    for known in wanted_names(kind):
        name = find_name(names, known)
        if name is None:
            shown = ", ".join(map(repr, names)) or "none"
            raise origin.error(f"a column {known[0]!r}", shown)
        if names.count(name) > 1:
            raise origin.error(f"one column {name!r}", f"{names.count(name)} of them")
        places.append(names.index(name))
    return places[0], places[1], places[2]


def find_labels(names: list[str]) -> list[int | None]:
    """Return which columns hold the judge, the subtopic and the source; None if none does."""
    found = [find_name(names, known) for known in LABEL_COLUMNS]
    return [None if name is None else names.index(name) for name in found]


def null_error(origin: Origin, column: str, place: int) -> Exception:
    """Return the error for a row that lacks a value."""
    return origin.error(f"a value in column {column!r}", "none", place)


def number_error(origin: Origin, kind: Kind, number: float, place: int) -> Exception:
    """Return the error for a number that is not a grade or score."""
    return origin.error(f"a number as {NUMBER[kind]}", repr(number), place)


def group_stream(
    stream: object, kind: Kind, origin: Origin, duplicates: Duplicates, n_expected: int
) -> NativeColumns | None:
    """Group the rows of a stream natively; None if that is not possible, and nothing has been read.

    `stream` is the capsule that ``__arrow_c_stream__`` returns. Judgments with a column of
    judges, subtopics or sources are for the twin.
    """
    if backend().name != "native":
        return None
    native = import_module("berryeval._native")
    try:
        names: list[str] = native.arrow_names(stream)
        if kind == "judgments" and any(place is not None for place in find_labels(names)):
            return None
        places = find_places(names, kind, origin)
        columns, complaint = native.arrow_group(
            stream, places, largest(kind), duplicates == "keep-best", n_expected
        )
    except BerryEvalError:
        raise
    except ValueError as error:
        raise origin.error("columns that can be read", _first_line(error)) from error
    if complaint is not None:
        raise _error_of(complaint, [names[place] for place in places], kind, origin)
    found: NativeColumns | None = columns
    return found


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]


def _error_of(
    complaint: tuple[str, int, int, Any], columns: list[str], kind: Kind, origin: Origin
) -> Exception:
    problem, column, row, what = complaint
    if problem == "null":
        return null_error(origin, columns[column], row + 1)
    if problem == "number":
        return number_error(origin, kind, what, row + 1)
    if problem == "duplicate":
        query_id, doc_id = what
        return origin.duplicate(kind, query_id, doc_id, row + 1)
    return origin.error("an id", "''", row + 1)


def iter_stream(stream: object, kind: Kind, origin: Origin) -> Iterator[JudgedRow]:
    """Iterate over the rows of a stream with pyarrow."""
    return _iter_stream(import_pyarrow("Reading this frame"), stream, kind, origin)


def _iter_stream(
    pyarrow: Any,  # noqa: ANN401 - a module
    stream: object,
    kind: Kind,
    origin: Origin,
) -> Iterator[JudgedRow]:
    try:
        reader = pyarrow.RecordBatchReader.from_stream(_Given(stream))
        yield from iter_batches(reader, reader.schema, kind, origin)
    except BerryEvalError:
        raise
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise origin.error("columns that can be read", _first_line(error)) from error


class _Given:
    """Passes on a stream that has already been opened."""

    def __init__(self, stream: object) -> None:
        self._stream = stream

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._stream


def iter_batches(
    batches: Any,  # noqa: ANN401 - of pyarrow, which has no types
    schema: Any,  # noqa: ANN401
    kind: Kind,
    origin: Origin,
) -> Iterator[JudgedRow]:
    """Iterate over the rows of record batches."""
    names: list[str] = schema.names
    query, document, number = find_places(names, kind, origin)
    labels = [] if kind == "run" else find_labels(names)
    read_query, read_document = (
        _id_reader(schema.field(place).type, names[place], origin) for place in (query, document)
    )
    label_readers = [
        None if place is None else _label_reader(schema.field(place).type, names[place], origin)
        for place in labels
    ]
    read_number = _number_reader(schema.field(number).type, names[number], origin)
    most = largest(kind)
    row = 0
    for batch in batches:
        nothing = [None] * batch.num_rows
        columns = zip(
            read_query(batch.column(query)),
            read_document(batch.column(document)),
            read_number(batch.column(number)),
            *(
                nothing if read is None else read(batch.column(place))
                for place, read in zip(labels, label_readers, strict=True)
            ),
            strict=True,
        )
        for query_id, doc_id, value, *labelled in columns:
            row += 1
            for place, found in ((query, query_id), (document, doc_id), (number, value)):
                if found is None:
                    raise null_error(origin, names[place], row)
            if not query_id or not doc_id:
                raise origin.error("an id", "''", row)
            if not abs(value) <= most:  # NaN compares false
                raise number_error(origin, kind, float(value), row)
            yield JudgedRow(row, query_id, doc_id, float(value), *labelled)


_Read = Callable[[Any], "list[Any]"]


def _id_reader(type_: Any, column: str, origin: Origin) -> _Read:  # noqa: ANN401
    """Return a function that converts a column to ids as bytes."""
    types = import_pyarrow("Reading Arrow").types
    if types.is_dictionary(type_):
        read = _id_reader(type_.value_type, column, origin)
        return lambda values: read(values.dictionary_decode())
    if types.is_integer(type_):
        return lambda values: [
            None if value is None else b"%d" % value for value in values.to_pylist()
        ]
    if types.is_null(type_) or _is_bytes(types, type_):
        return lambda values: values.to_pylist()
    if types.is_string(type_):
        return lambda values: values.cast("binary").to_pylist()
    if types.is_large_string(type_):
        return lambda values: values.cast("large_binary").to_pylist()
    if str(type_) == "string_view":
        return lambda values: [
            None if value is None else encode_id(value) for value in values.to_pylist()
        ]
    raise origin.error(f"ids (text or whole numbers) in column {column!r}", str(type_))


def _label_reader(type_: Any, column: str, origin: Origin) -> _Read:  # noqa: ANN401
    """Return a function that converts a column of judges, sources, notes or times to bytes."""
    types = import_pyarrow("Reading Arrow").types
    if types.is_timestamp(type_) or types.is_date(type_):
        return lambda values: [
            None if value is None else value.isoformat().encode() for value in values.to_pylist()
        ]
    if types.is_floating(type_) and find_name([column], SUBTOPIC_WEIGHT):
        return lambda values: [
            None if value is None else repr(value).encode() for value in values.to_pylist()
        ]
    return _id_reader(type_, column, origin)


def _is_bytes(types: Any, type_: Any) -> bool:  # noqa: ANN401
    is_bytes = types.is_binary(type_) or types.is_large_binary(type_)
    return is_bytes or str(type_) == "binary_view"


def _number_reader(type_: Any, column: str, origin: Origin) -> _Read:  # noqa: ANN401
    types = import_pyarrow("Reading Arrow").types
    if types.is_decimal(type_):
        return lambda values: values.cast("float64").to_pylist()
    kinds = (types.is_integer, types.is_floating, types.is_boolean, types.is_null)
    if any(is_kind(type_) for is_kind in kinds):
        return lambda values: values.to_pylist()
    raise origin.error(f"numbers in column {column!r}", str(type_))
