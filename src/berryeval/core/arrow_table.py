"""Judgments and runs as Arrow tables."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any

from berryeval.core.id_column import IdColumn
from berryeval.errors import MissingExtraError

__all__ = [
    "import_pyarrow",
    "table_of_grades",
    "table_of_opinions",
    "table_of_scores",
    "table_of_subtopics",
    "with_strata_column",
]

_WHAT = "Making an Arrow table"

_MAX_EXACT = 2.0**53


def import_pyarrow(what: str) -> Any:  # noqa: ANN401 - a module
    """Import pyarrow, or raise an error that names the extra to install."""
    try:
        return import_module("pyarrow")
    except ImportError:
        raise MissingExtraError(what, "frames") from None


def table_of_scores(
    query_ids: IdColumn, starts: array[int], doc_ids: IdColumn, scores: array[float]
) -> Any:  # noqa: ANN401 - pyarrow has no types
    """Return a pyarrow.Table with the columns query_id, doc_id and score.

    Ids are text, or bytes where one is no UTF-8.
    """
    pa = import_pyarrow(_WHAT)
    columns = [*_ids(pa, query_ids, starts, doc_ids), _numbers(pa, scores)]
    return pa.table(columns, names=["query_id", "doc_id", "score"])


def table_of_grades(
    query_ids: IdColumn, starts: array[int], doc_ids: IdColumn, grades: array[float]
) -> Any:  # noqa: ANN401
    """Return a pyarrow.Table with the columns query_id, doc_id and relevance.

    Ids are as in `table_of_scores`; grades are whole numbers where all are.
    """
    pa = import_pyarrow(_WHAT)
    columns = [*_ids(pa, query_ids, starts, doc_ids), _grades(pa, grades)]
    return pa.table(columns, names=["query_id", "doc_id", "relevance"])


def table_of_subtopics(
    grades: Iterable[tuple[bytes, bytes, bytes | None, float]],
    weights: Mapping[bytes, Mapping[bytes, float]],
) -> Any:  # noqa: ANN401
    """Return a pyarrow.Table of query, document, subtopic and grade, as `table_of_grades`.

    `weights` are those of subtopics by query; if there are any, they are a column, too.
    """
    pa = import_pyarrow(_WHAT)
    rows = list(grades)
    columns = [
        _texts(pa, IdColumn.of(row[0] for row in rows)),
        _texts(pa, IdColumn.of(row[1] for row in rows)),
        _grades(pa, array("d", (row[3] for row in rows))),
        _nullable_texts(pa, [row[2] for row in rows]),
    ]
    table = pa.table(columns, names=["query_id", "doc_id", "relevance", "subtopic"])
    if not weights:
        return table
    found = [None if row[2] is None else weights.get(row[0], {}).get(row[2]) for row in rows]
    return table.append_column("subtopic_weight", pa.array(found, pa.float64()))


def with_strata_column(table: Any, strata: Sequence[bytes | None]) -> Any:  # noqa: ANN401
    """Return a pyarrow.Table with one more column, stratum."""
    return table.append_column("stratum", _nullable_texts(import_pyarrow(_WHAT), strata))


def table_of_opinions(opinions: Iterable[tuple[bytes, bytes, Mapping[str, Any]]]) -> Any:  # noqa: ANN401
    """Return a pyarrow.Table of query, document, and what an opinion on them consists of.

    `opinions` have the grade as ``relevance``, and texts as bytes, numbers as float, or None under
    other names. A column of which no row has a value is left out.
    """
    pa = import_pyarrow(_WHAT)
    rows = list(opinions)
    columns = {
        "query_id": _texts(pa, IdColumn.of(row[0] for row in rows)),
        "doc_id": _texts(pa, IdColumn.of(row[1] for row in rows)),
        "relevance": _grades(pa, array("d", (row[2]["relevance"] for row in rows))),
    }
    for name in rows[0][2] if rows else ():
        texts = [] if name in columns else [row[2][name] for row in rows]
        if any(isinstance(text, float) for text in texts):
            columns[name] = pa.array(texts, pa.float64())
        elif any(text is not None for text in texts):
            columns[name] = _nullable_texts(pa, texts)
    return pa.table(columns)


def _ids(pa: Any, query_ids: IdColumn, starts: array[int], doc_ids: IdColumn) -> list[Any]:  # noqa: ANN401
    import numpy as np

    counts = np.diff(np.frombuffer(starts, np.uint64)).astype(np.int64)
    numbers = np.repeat(np.arange(len(query_ids)), counts)
    return [_texts(pa, query_ids).take(pa.array(numbers)), _texts(pa, doc_ids)]


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
    if all(value.is_integer() and abs(value) <= _MAX_EXACT for value in values):
        return pa.array([int(value) for value in values], pa.int64())
    return _numbers(pa, values)
