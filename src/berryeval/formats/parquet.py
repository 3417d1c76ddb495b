"""Parquet: columns called as those of a table with a header (`berryeval.core.column_names`).

Ids may be text, bytes, categories or whole numbers. Other columns are ignored. A folder of files is
one table, see `berryeval.formats.parquet_folder`. Requires pyarrow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from berryeval.core.arrow_table import import_pyarrow
from berryeval.core.column_names import DOCUMENT, QUERY, Kind, find_name
from berryeval.core.frames import iter_head
from berryeval.core.grouped import Grouped
from berryeval.core.inputs import note_input
from berryeval.core.judging import JudgedRow
from berryeval.core.score_order import ScoredRow
from berryeval.errors import FormatError
from berryeval.formats._arrow_files import (
    N_HEAD,
    TextCheck,
    as_stream,
    judged_columns,
    open_source,
    ranked_columns,
    rows_of,
    scored_columns,
    table_of,
)
from berryeval.formats.capabilities import with_every_column
from berryeval.formats.limits import are_texts_limited, check_rows
from berryeval.formats.lines import PathLike, path_name
from berryeval.formats.parquet_folder import files_in, is_parquet_folder
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

_WHAT = "Reading Parquet"
_MAGIC = b"PAR1"
_FIRST_LETTER = 0x20
_BATCH_ROWS = 65_536
_MIN_BYTES = 5  # minimum per id: four for its length, and one
_BUFFER = 1 << 20  # bytes of a column that are read at once, however large its row groups are
_N_CHECKED = 1024


def sniff(first_line: bytes) -> bool:
    """Whether a file with this beginning may be one.

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
        reason = str(error).partition("\n")[0]
        raise FormatError.unexpected(
            "files with columns of the same types", f"others ({reason})", path_name(path)
        ) from error


def _read_file(path: PathLike, kind: Kind) -> Any:  # noqa: ANN401
    with open_source(path, _WHAT) as source:
        choose = ranked_columns if kind == "run" else judged_columns
        file, columns = _open_columns(source, path, choose)
        return file.read(columns=columns)


@contextmanager
def open_batches(path: PathLike) -> Iterator[Any]:
    """Open a run as an Arrow stream of query, document and score.

    Little of it is in memory at a time. The files of a folder follow each other; the stream fails
    at the first one whose columns have other types than those of the first file.
    """
    is_folder = is_parquet_folder(path)
    first, *others = files_in(path) if is_folder else [path]
    with open_source(first, _WHAT) as source:
        file, columns = _open_columns(source, first, scored_columns)
        repeated = [find_name(columns, QUERY)]
        document = find_name(columns, DOCUMENT)
        if _is_in_dictionary(file.metadata, document):  # reading indices takes a third of the time
            repeated.append(document)
            file = _open_file(source, repeated)
        fields = [field for field in file.schema_arrow if field.name in columns]
        names = [field.name for field in fields]

        def batches() -> Iterator[Any]:
            yield from _iter_batches(file, names)
            n_rows = file.metadata.num_rows
            for other in others:
                with open_source(other, _WHAT) as opened:
                    n_rows += _open_columns(opened, other, scored_columns)[0].metadata.num_rows
                    check_rows(n_rows, path_name(path))
                    yield from _iter_batches(_open_file(opened, repeated), names)

        if is_folder:
            for each in (first, *others):
                note_input(each)
        with as_stream(fields, batches()) as stream:
            yield stream


def _iter_batches(file: Any, columns: list[str]) -> Iterator[Any]:  # noqa: ANN401 - of pyarrow
    """Go group by group: pyarrow keeps the dictionaries of all groups that it reads at once."""
    for group in range(file.num_row_groups):
        yield from file.iter_batches(_BATCH_ROWS, row_groups=[group], columns=columns)


def _open_columns(
    source: Any,  # noqa: ANN401 - of pyarrow
    path: PathLike,
    choose: Callable[[list[str], PathLike], list[str]],
) -> tuple[Any, list[str]]:
    """Return a file to be read in parts, and the names of the required columns."""
    from pyarrow import parquet

    columns = choose(parquet.read_schema(source).names, path)
    # A query's id is in many rows: it is read once, and the rows point to it.
    file = _open_file(source, [find_name(columns, QUERY)])
    check_rows(file.metadata.num_rows, path_name(path))
    if are_texts_limited():
        _check_texts(source, columns, path)
    return file, columns


def _check_texts(source: Any, columns: list[str], path: PathLike) -> None:  # noqa: ANN401
    """Decode a few rows at a time: a file may repeat a long text in every row."""
    from pyarrow import parquet

    texts = TextCheck(columns, path)
    file = parquet.ParquetFile(source)
    for batch in file.iter_batches(_N_CHECKED, columns=columns, use_threads=False):
        texts.add(batch)


def _open_file(source: Any, repeated: list[str | None]) -> Any:  # noqa: ANN401 - of pyarrow
    from pyarrow import parquet

    return parquet.ParquetFile(source, read_dictionary=repeated, buffer_size=_BUFFER)


def _is_in_dictionary(metadata: Any, column: str | None) -> bool:  # noqa: ANN401 - of pyarrow
    """Whether the first row group has a column as indices into a dictionary, nearly all of it."""
    if metadata.num_row_groups == 0:
        return False
    group = metadata.row_group(0)
    chunks = map(group.column, range(group.num_columns))
    found = next((one for one in chunks if one.path_in_schema == column), None)
    if found is None or not {"RLE_DICTIONARY", "PLAIN_DICTIONARY"} & {*found.encodings}:
        return False
    return bool(found.total_uncompressed_size < _MIN_BYTES * found.num_values)


def column_names(path: PathLike) -> list[str]:
    """Return the names of all columns; of a folder, those of its first file."""
    path = files_in(path)[0] if is_parquet_folder(path) else path
    with open_source(path, _WHAT) as source:
        from pyarrow import parquet

        names: list[str] = parquet.read_schema(source).names
        return names


def iter_ranked(path: PathLike) -> Iterator[ScoredRow]:
    """Iterate over query, stated rank and score of a run, as far as the caller wants."""
    for each in files_in(path) if is_parquet_folder(path) else [path]:
        with open_source(each, _WHAT) as source:
            file, columns = _open_columns(source, each, ranked_columns)
            for batch in file.iter_batches(N_HEAD, columns=columns):
                yield from iter_head(batch, N_HEAD)


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
