"""Judgments and runs as Arrow tables."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any

from berryeval.core.arrow_stream import import_pyarrow
from berryeval.core.grouped import Grouped
from berryeval.core.id_column import IdColumn
from berryeval.core.judgments import Judgments

__all__ = ["to_arrow"]

_MOST_EXACT = 2.0**53


def to_arrow(data: Grouped) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return a pyarrow.Table with the columns query_id, doc_id, and relevance or score.

    Ids are text, or bytes where one is no UTF-8. Grades are whole numbers where all are.
    """
    pa = import_pyarrow("Making an Arrow table")
    if not isinstance(data, Judgments):
        names = ["query_id", "doc_id", "score"]
        return pa.table([*_ids(pa, data), _numbers(pa, data.values)], names=names)
    names = ["query_id", "doc_id", "relevance"]
    if not data.subtopics:
        return pa.table([*_ids(pa, data), _grades(pa, data.values)], names=names)
    rows = list(data.iter_grades())
    subtopics = [None if row[2] is None else row[2] for row in rows]
    columns = [
        _texts(pa, IdColumn.of(row[0] for row in rows)),
        _texts(pa, IdColumn.of(row[1] for row in rows)),
        _grades(pa, array("d", (row[3] for row in rows))),
        _nullable_texts(pa, subtopics),
    ]
    return pa.table(columns, names=[*names, "subtopic"])


def _ids(pa: Any, data: Grouped) -> list[Any]:  # noqa: ANN401
    import numpy as np

    counts = np.diff(np.frombuffer(data.starts, np.uint64)).astype(np.int64)
    numbers = np.repeat(np.arange(data.n_queries), counts)
    return [_texts(pa, data.query_ids).take(pa.array(numbers)), _texts(pa, data.doc_ids)]


def _texts(pa: Any, ids: IdColumn) -> Any:  # noqa: ANN401
    buffers = [None, pa.py_buffer(ids.offsets), pa.py_buffer(ids.data)]
    texts = pa.Array.from_buffers(pa.large_string(), len(ids), buffers)
    try:
        texts.validate(full=True)
    except pa.ArrowInvalid:
        return pa.Array.from_buffers(pa.large_binary(), len(ids), buffers)
    return texts


def _nullable_texts(pa: Any, texts: Sequence[bytes | None]) -> Any:  # noqa: ANN401
    found = pa.array(texts, pa.large_binary())
    try:
        return found.cast(pa.large_string())
    except pa.ArrowInvalid:
        return found


def _numbers(pa: Any, values: array[float]) -> Any:  # noqa: ANN401
    return pa.Array.from_buffers(pa.float64(), len(values), [None, pa.py_buffer(values)])


def _grades(pa: Any, values: array[float]) -> Any:  # noqa: ANN401
    if all(value.is_integer() and abs(value) <= _MOST_EXACT for value in values):
        return pa.array([int(value) for value in values], pa.int64())
    return _numbers(pa, values)
