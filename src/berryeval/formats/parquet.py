"""Parquet: columns called as those of a table with a header (`berryeval.core.column_names`).

Ids may be text, bytes, categories or whole numbers. Other columns are ignored. A folder of files is
one table, see `berryeval.formats.parquet_folder`. Needs pyarrow.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from berryeval.core.arrow_table import import_pyarrow
from berryeval.core.column_names import QUERY, Kind, find_name
from berryeval.core.frames import iter_head
from berryeval.core.grouped import Grouped
from berryeval.core.inputs import note_input
from berryeval.core.judging import JudgedRow
from berryeval.core.score_order import ScoredRow
from berryeval.errors import FormatError
from berryeval.formats._arrow_files import needed_columns, open_source, rows_of, table_of
from berryeval.formats.capabilities import with_every_column
from berryeval.formats.limits import check_rows
from berryeval.formats.lines import PathLike, path_name
from berryeval.formats.parquet_folder import files_in, is_parquet_folder
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


def sniff(first_line: bytes) -> bool:
    """Whether a file that begins so may be one.

    What follows the magic is no letter: a query may be called PAR1, too.
    """
    after = first_line[len(_MAGIC) : len(_MAGIC) + 1]
    is_binary = bool(after) and after[0] < _FIRST_LETTER and not after.isspace()
    return first_line.startswith(_MAGIC) and is_binary


def read_table(path: PathLike, kind: Kind) -> Any:  # noqa: ANN401 - a pyarrow.Table
    """Read the columns that are needed, of a file or of all files in a folder."""
    if not is_parquet_folder(path):
        return _read_file(path, kind)
    pyarrow = import_pyarrow(_WHAT)
    tables, n_rows = [], 0
    for file in files_in(path):
        note_input(file)
        tables.append(_read_file(file, kind))
        n_rows += tables[-1].num_rows
        check_rows(n_rows, path_name(path))
    try:
        return pyarrow.concat_tables(tables, promote_options="permissive")
    except pyarrow.ArrowException as error:
        told = str(error).partition("\n")[0]
        message = f"expected files with columns of the same types, found others ({told})"
        raise FormatError(message, path_name(path)) from error


def _read_file(path: PathLike, kind: Kind) -> Any:  # noqa: ANN401
    with open_source(path, _WHAT) as source:
        from pyarrow import parquet

        schema = parquet.read_schema(source)
        columns = needed_columns(schema.names, kind, path)
        query = find_name(columns, QUERY)
        # A query's id stands in many rows: read it once, and the rows point to it.
        file = parquet.ParquetFile(source, read_dictionary=[query])
        check_rows(file.metadata.num_rows, path_name(path))
        return file.read(columns=columns)


def column_names(path: PathLike) -> list[str]:
    """Return the names of all columns; of a folder, those of its first file."""
    path = files_in(path)[0] if is_parquet_folder(path) else path
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
