"""Parquet: columns called as those of a table with a header (`berryeval.core.column_names`).

Ids may be text, bytes, categories or whole numbers. Other columns are ignored. Needs pyarrow.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from berryeval.core.arrow_table import import_pyarrow
from berryeval.core.column_names import QUERY, Kind, find_name
from berryeval.core.frames import iter_head
from berryeval.core.grouped import Grouped
from berryeval.core.judging import JudgedRow
from berryeval.core.score_order import ScoredRow
from berryeval.formats._arrow_files import TextCheck, needed_columns, open_source, rows_of, table_of
from berryeval.formats.capabilities import with_every_column
from berryeval.formats.limits import are_texts_limited, check_rows
from berryeval.formats.lines import PathLike, path_name
from berryeval.formats.rows import Row

__all__ = [
    "HOLDS",
    "column_names",
    "iter_judged",
    "iter_ranked",
    "iter_rows",
    "read_table",
    "sniff",
    "to_lines",
]

HOLDS = with_every_column("judgments", "run")

_WHAT = "Reading Parquet"
_MAGIC = b"PAR1"
_FIRST_LETTER = 0x20
_N_CHECKED = 1024


def sniff(first_line: bytes) -> bool:
    """Whether a file that begins so may be one.

    What follows the magic is no letter: a query may be called PAR1, too.
    """
    after = first_line[len(_MAGIC) : len(_MAGIC) + 1]
    is_binary = bool(after) and after[0] < _FIRST_LETTER and not after.isspace()
    return first_line.startswith(_MAGIC) and is_binary


def read_table(path: PathLike, kind: Kind) -> Any:  # noqa: ANN401 - a pyarrow.Table
    """Read the columns that are needed."""
    with open_source(path, _WHAT) as source:
        from pyarrow import parquet

        schema = parquet.read_schema(source)
        columns = needed_columns(schema.names, kind, path)
        query = find_name(columns, QUERY)
        # A query's id stands in many rows: read it once, and the rows point to it.
        file = parquet.ParquetFile(source, read_dictionary=[query])
        check_rows(file.metadata.num_rows, path_name(path))
        if are_texts_limited():
            _check_texts(source, columns, path)
        return file.read(columns=columns)


def _check_texts(source: Any, columns: list[str], path: PathLike) -> None:  # noqa: ANN401
    """Decode a few rows at a time: a file may repeat a long text in every row."""
    from pyarrow import parquet

    texts = TextCheck(columns, path)
    file = parquet.ParquetFile(source)
    for batch in file.iter_batches(_N_CHECKED, columns=columns, use_threads=False):
        texts.add(batch)


def column_names(path: PathLike) -> list[str]:
    """Return the names of all columns."""
    with open_source(path, _WHAT) as source:
        from pyarrow import parquet

        names: list[str] = parquet.read_schema(source).names
        return names


def iter_ranked(path: PathLike) -> Iterator[ScoredRow]:
    """Iterate over query, stated rank and score of a run."""
    table = read_table(path, "run")
    return iter_head(table, table.num_rows)


def iter_judged(path: PathLike) -> Iterator[JudgedRow]:
    """Iterate over judgments with their judges, subtopics and sources."""
    return rows_of(read_table(path, "judgments"), "judgments", path)


def iter_rows(path: PathLike, kind: Kind) -> Iterator[Row]:
    """Iterate over the rows of a file, which has no lines."""
    for row in rows_of(read_table(path, kind), kind, path):
        yield None, row.query_id, row.doc_id, row.grade


def to_lines(data: Grouped) -> Iterator[bytes]:
    """Return the whole file, in one piece."""
    pyarrow = import_pyarrow("Writing Parquet")
    from pyarrow import parquet

    output = pyarrow.BufferOutputStream()
    parquet.write_table(table_of(data), output, compression="zstd")
    yield output.getvalue()
