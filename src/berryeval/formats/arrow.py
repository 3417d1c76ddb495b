"""Arrow IPC, files (also called Feather) and streams. Columns as in Parquet. Requires pyarrow."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from berryeval.core.arrow_table import import_pyarrow
from berryeval.core.column_names import Kind
from berryeval.core.frames import iter_head
from berryeval.core.grouped import Grouped
from berryeval.core.judging import JudgedRow
from berryeval.core.score_order import ScoredRow
from berryeval.formats._arrow_files import (
    N_HEAD,
    TextCheck,
    as_stream,
    needed_columns,
    open_source,
    ranked_columns,
    rows_of,
    scored_columns,
    table_of,
)
from berryeval.formats.capabilities import with_every_column
from berryeval.formats.limits import check_rows
from berryeval.formats.lines import PathLike, path_name
from berryeval.formats.rows import Row

__all__ = [
    "HOLDS",
    "column_names",
    "iter_judged",
    "iter_ranked",
    "iter_rows",
    "open_batches",
    "read_table",
    "sniff",
    "to_lines",
]

HOLDS = with_every_column("judgments", "run")

_WHAT = "Reading Arrow"
_FILE = b"ARROW1\0\0"
_STREAM = b"\xff\xff\xff\xff"


def sniff(first_line: bytes) -> bool:
    """Whether a file with this beginning may be one."""
    return first_line.startswith((_FILE, _STREAM))


def read_table(path: PathLike, kind: Kind) -> Any:  # noqa: ANN401 - a pyarrow.Table
    """Read the columns that are needed."""
    with open_source(path, _WHAT) as source:
        from pyarrow import Table, schema

        reader = _reader(source)
        columns = needed_columns(reader.schema.names, kind, path)
        fields = [reader.schema.field(name) for name in columns]
        chosen = schema(fields, reader.schema.metadata)
        return Table.from_batches(_iter_checked(reader, path, columns), chosen)


@contextmanager
def open_batches(path: PathLike) -> Iterator[Any]:
    """Open a run as an Arrow stream of query, document and score, in little memory."""
    with open_source(path, _WHAT) as source:
        reader = _reader(source)
        columns = scored_columns(reader.schema.names, path)
        fields = [reader.schema.field(name) for name in columns]
        with as_stream(fields, _iter_checked(reader, path, columns)) as stream:
            yield stream


def column_names(path: PathLike) -> list[str]:
    """Return the names of all columns."""
    with open_source(path, _WHAT) as source:
        names: list[str] = _reader(source).schema.names
        return names


def _iter_batches(reader: Any, path: PathLike) -> Iterator[Any]:  # noqa: ANN401 - of pyarrow
    """Iterate over all batches; a few bytes may stand for very many rows."""
    is_file = hasattr(reader, "num_record_batches")
    n_rows = 0
    for batch in map(reader.get_batch, range(reader.num_record_batches)) if is_file else reader:
        n_rows += batch.num_rows
        check_rows(n_rows, path_name(path))
        yield batch


def _iter_checked(reader: Any, path: PathLike, columns: list[str]) -> Iterator[Any]:  # noqa: ANN401
    """Iterate over the batches that are safe to read: damaged offsets may point outside."""
    texts = TextCheck(columns, path)
    for batch in _iter_batches(reader, path):
        taken = batch.select(columns)
        taken.validate()
        texts.add(taken)  # before any text is looked at: all may be views of a long one
        taken.validate(full=True)
        yield taken


def _reader(source: Any) -> Any:  # noqa: ANN401 - of pyarrow
    from pyarrow import ipc

    is_file = source.read(len(_FILE)) == _FILE
    source.seek(0)
    return ipc.open_file(source) if is_file else ipc.open_stream(source)


def iter_ranked(path: PathLike) -> Iterator[ScoredRow]:
    """Iterate over query, stated rank and score of a run, as far as the caller wants."""
    with open_source(path, _WHAT) as source:
        reader = _reader(source)
        columns = ranked_columns(reader.schema.names, path)
        for batch in _iter_checked(reader, path, columns):
            for first in range(0, batch.num_rows, N_HEAD):
                yield from iter_head(batch.slice(first), N_HEAD)


def iter_judged(path: PathLike) -> Iterator[JudgedRow]:
    """Iterate over judgments with their judges, subtopics and sources."""
    return rows_of(read_table(path, "judgments"), "judgments", path)


def iter_rows(path: PathLike, kind: Kind) -> Iterator[Row]:
    """Iterate over the rows of a file, which has no lines."""
    for row in rows_of(read_table(path, kind), kind, path):
        yield None, row.query_id, row.doc_id, row.grade


def to_lines(data: Grouped, *, is_stream: bool = False) -> Iterator[bytes]:
    """Return the whole file, in one piece."""
    pyarrow = import_pyarrow("Writing Arrow")
    from pyarrow import ipc

    table = table_of(data)
    output = pyarrow.BufferOutputStream()
    make = ipc.new_stream if is_stream else ipc.new_file
    with make(output, table.schema) as writer:
        writer.write_table(table)
    yield output.getvalue()
