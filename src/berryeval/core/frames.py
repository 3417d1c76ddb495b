"""Data frames: pandas, polars, pyarrow, and any other library that provides Arrow streams.

A frame requires no library but its own: most provide an Arrow stream (``__arrow_c_stream__``),
which the native extension reads. Without the extension, pyarrow reads it; without both, the columns
are read as lists.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol, TypeGuard

from berryeval.core.arrow_stream import (
    find_labels,
    find_places,
    group_stream,
    iter_stream,
    largest,
    null_error,
    number_error,
)
from berryeval.core.column_names import DOCUMENT, LENGTH, RANK, SUBTOPIC_WEIGHT, Kind, find_name
from berryeval.core.grouped import Duplicates, Grouped, NativeColumns
from berryeval.core.id_column import encode_id
from berryeval.core.judging import JudgedRow
from berryeval.core.origin import Origin
from berryeval.core.score_order import ScoredRow
from berryeval.errors import ArgumentError, InputTypeError, MissingExtraError

__all__ = [
    "ArrowStream",
    "can_be_streamed_again",
    "is_frame",
    "iter_head",
    "lengths_of_frame",
    "read_frame",
    "stream_of",
]


class ArrowStream(Protocol):
    """An object that provides an Arrow stream, as most data frames do."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return a capsule with the stream."""


def is_frame(value: object) -> bool:
    """Whether it has columns that can be read."""
    if isinstance(value, (Mapping, Grouped)):  # a run is no frame of judgments
        return False
    if type(value).__name__ == "LazyFrame":  # in polars, which warns about any access to it
        raise InputTypeError("frame", "a data frame", "LazyFrame (try .collect())")
    return hasattr(value, "__arrow_c_stream__") or _has_columns(value)


def can_be_streamed_again(value: object) -> TypeGuard[ArrowStream]:
    """Whether its Arrow stream can be requested again: frames allow that, readers do not."""
    is_whole = hasattr(value, "__len__") or hasattr(value, "num_rows")
    return is_whole and hasattr(value, "__arrow_c_stream__") and not isinstance(value, Grouped)


def _has_columns(value: object) -> bool:
    return hasattr(value, "columns") and hasattr(value, "__getitem__")


def read_frame(
    frame: object, kind: Kind, duplicates: Duplicates, origin: Origin
) -> NativeColumns | Iterator[JudgedRow]:
    """Return the columns that the native extension builds from a frame, or else its rows."""
    stream = stream_of(frame, origin)
    if stream is not None:
        columns = group_stream(stream, kind, origin, duplicates, _n_rows(frame))
        if columns is not None:
            return columns
    return _iter_rows(frame, stream, kind, origin)


def iter_head(frame: Any, n_rows: int) -> Iterator[ScoredRow]:  # noqa: ANN401 - of any library
    """Iterate over the first rows of a run in a frame; none if they cannot be read separately.

    Ranks are those of a column ``rank``, if there is one.
    """
    if hasattr(frame, "schema") and hasattr(frame, "slice") and hasattr(frame, "column"):  # pyarrow
        names = [*frame.schema.names]
        head = frame.slice(0, n_rows)
        columns = [head.column(place).to_pylist() for place in _ranked_places(names)]
    elif hasattr(frame, "head") and _has_columns(frame):
        keys = [*frame.columns]
        head = frame.head(n_rows)
        columns = [head[keys[place]].to_list() for place in _ranked_places([*map(str, keys)])]
    else:
        return
    for query_id, score, *ranks in zip(*columns, strict=True):
        rank = ranks[0] if ranks else None
        yield query_id, rank if isinstance(rank, int) else None, float(score)


def lengths_of_frame(frame: Any) -> dict[Any, Any]:  # noqa: ANN401 - of any library
    """Return the column of lengths by that of document ids; neither is checked yet."""
    if hasattr(frame, "schema") and hasattr(frame, "column"):  # pyarrow
        names = [*frame.schema.names]
        columns = [frame.column(place).to_pylist() for place in _sized_places(names)]
    elif _has_columns(frame):
        keys = [*frame.columns]
        columns = [frame[keys[place]].to_list() for place in _sized_places([*map(str, keys)])]
    else:
        raise InputTypeError("lengths", "a data frame with columns", type(frame).__name__)
    found = dict(zip(*columns, strict=True))
    if len(found) < len(columns[0]):
        raise ArgumentError("lengths", "each document once", "a document twice")
    return found


def _sized_places(names: list[str]) -> list[int]:
    """Return the positions of the columns for document ids and lengths."""
    places = []
    for known in (DOCUMENT, LENGTH):
        name = find_name(names, known)
        if name is None:
            shown = ", ".join(map(repr, names)) or "none"
            raise ArgumentError("lengths", f"a column {known[0]!r}", shown)
        places.append(names.index(name))
    return places


def _ranked_places(names: list[str]) -> list[int]:
    """Return the positions of the columns for queries, scores and, if there are any, ranks."""
    query, _, score = find_places(names, "run", Origin("run", is_file=False))
    rank = find_name(names, RANK)
    return [query, score] if rank is None else [query, score, names.index(rank)]


def _n_rows(frame: Any) -> int:  # noqa: ANN401 - a frame of any library
    n_rows = getattr(frame, "num_rows", None)
    if isinstance(n_rows, int):
        return n_rows
    return len(frame) if hasattr(frame, "__len__") else 0


def stream_of(frame: Any, origin: Origin) -> object:  # noqa: ANN401
    """Return the frame as an Arrow stream; None if it has none."""
    if not hasattr(frame, "__arrow_c_stream__"):
        return None
    try:
        stream: object = frame.__arrow_c_stream__()
    except (ImportError, OverflowError, TypeError, ValueError) as error:
        # pandas without pyarrow, or with columns of mixed types; the columns give more details.
        if not _has_columns(frame):
            raise origin.error("a data frame that can be read", repr(error)) from error
        return None
    return stream


def _iter_rows(frame: object, stream: object, kind: Kind, origin: Origin) -> Iterator[JudgedRow]:
    if stream is not None:
        try:
            return iter_stream(stream, kind, origin)
        except MissingExtraError:
            if not _has_columns(frame):
                raise
    return _iter_columns(frame, kind, origin)


def _iter_columns(frame: Any, kind: Kind, origin: Origin) -> Iterator[JudgedRow]:  # noqa: ANN401
    """Iterate over the rows of a frame whose columns can be read as lists."""
    if not _has_columns(frame):
        raise InputTypeError(origin.name, "a data frame", type(frame).__name__)
    names = [str(name) for name in frame.columns]
    keys = list(frame.columns)
    places = find_places(names, kind, origin)
    labels = [] if kind == "run" else find_labels(names)
    lists = [frame[keys[place]].to_list() for place in places]
    nothing = [None] * len(lists[0])
    more = [nothing if place is None else frame[keys[place]].to_list() for place in labels]
    most = largest(kind)
    for row, (query, document, number, *of_row) in enumerate(
        zip(*lists, *more, strict=True), start=1
    ):
        for place, value in zip(places, (query, document, number), strict=True):
            if _is_missing(value):
                raise null_error(origin, names[place], row)
        query_id, doc_id = (
            _id_of(value, names[place], row, origin)
            for place, value in zip(places, (query, document), strict=False)
        )
        try:
            value = float("nan") if isinstance(number, (str, bytes)) else float(number)
        except (OverflowError, TypeError, ValueError):
            value = float("nan")
        if not abs(value) <= most:  # NaN compares false
            raise number_error(origin, kind, number, row)
        labelled = (
            None if place is None or _is_missing(name) else _label(name, names[place], row, origin)
            for place, name in zip(labels, of_row, strict=True)
        )
        yield JudgedRow(row, query_id, doc_id, value, *labelled)


def _is_missing(value: Any) -> bool:  # noqa: ANN401
    # pandas.NA cannot be compared; NaN and NaT are not equal to themselves.
    if value is None or type(value).__name__ == "NAType":
        return True
    try:
        return bool(value != value)  # noqa: PLR0124
    except ValueError:  # an array in a cell: unusable, but not missing
        return False


def _label(value: object, column: str, row: int, origin: Origin) -> bytes:
    """Return a judge, a source, a note or a time as bytes."""
    if isinstance(value, float) and find_name([column], SUBTOPIC_WEIGHT):
        return repr(float(value)).encode()
    if hasattr(value, "isoformat"):  # a date or a time, of any library
        return str(value.isoformat()).encode()
    return _id_of(value, column, row, origin)


def _id_of(value: object, column: str, row: int, origin: Origin) -> bytes:
    if isinstance(value, bytes):
        found = value
    elif isinstance(value, str):
        found = encode_id(value)
    elif isinstance(value, int) and not isinstance(value, bool):
        found = b"%d" % value
    else:
        expected = f"ids (text or whole numbers) in column {column!r}"
        raise origin.error(expected, type(value).__name__, row)
    if not found:
        raise origin.error("an id", "''", row)
    return found
