"""Files that pyarrow opens."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from berryeval.core.arrow_stream import find_labels, find_places, iter_batches
from berryeval.core.arrow_table import import_pyarrow, table_of_opinions
from berryeval.core.column_names import RANK, Kind, find_name
from berryeval.core.grouped import Grouped
from berryeval.core.id_column import decode_id, encode_id
from berryeval.core.judging import JudgedRow
from berryeval.core.judgments import Judgments
from berryeval.core.origin import Origin
from berryeval.core.run import Run
from berryeval.errors import BerryEvalError, FormatError
from berryeval.formats.limits import are_texts_limited, check_content, check_id
from berryeval.formats.lines import PathLike, is_plain_file, iter_lines, path_name
from berryeval.formats.rows import iter_labelled

__all__ = [
    "N_HEAD",
    "TextCheck",
    "as_stream",
    "judged_columns",
    "needed_columns",
    "open_source",
    "ranked_columns",
    "rows_of",
    "scored_columns",
    "table_of",
    "tag_of",
]

N_HEAD = 1000
"""Rows that are read at once where often the first ones are enough."""

_TAG = b"tag"
_N_IDS = 2


@contextmanager
def open_source(path: PathLike, what: str) -> Iterator[Any]:
    """Open a file for pyarrow, decompressed, and turn its errors into ours."""
    pyarrow = import_pyarrow(what)
    name = path_name(path)
    try:
        if is_plain_file(path):
            # Not mapped: truncating the file in the meantime would kill the process.
            with pyarrow.OSFile(os.fspath(path)) as source:
                yield source
        else:
            # The end of the file comes first in these formats, so all of it has to be there.
            content = b"".join(line for _, line in iter_lines(path))
            yield pyarrow.BufferReader(content)
    except BerryEvalError:
        raise
    except (pyarrow.ArrowException, OSError, ValueError, TypeError, LookupError) as error:
        # Damaged files make pyarrow raise errors of many kinds.
        message = str(error).partition("\n")[0] or type(error).__name__
        reason = "".join(filter(str.isprintable, message)).rstrip(" .:")
        kind = what.rsplit(maxsplit=1)[-1]
        message = f"cannot be read: damaged or truncated {kind} ({reason}); write the file again"
        raise FormatError(message, name) from error


@contextmanager
def as_stream(fields: list[Any], batches: Iterable[Any]) -> Iterator[Any]:
    """Return record batches as an Arrow stream.

    Arrow turns what is raised while it asks for a batch into an error of its own; an interrupt is
    raised after the block.
    """
    from pyarrow import RecordBatchReader, schema

    stated = schema(fields)
    interrupts: list[KeyboardInterrupt] = []

    def watched() -> Iterator[Any]:
        try:
            for batch in batches:
                if not batch.schema.equals(stated):  # the reader would take one type for another
                    raise TypeError(f"expected {stated}, found {batch.schema}")
                yield batch
        except KeyboardInterrupt as interrupt:
            interrupts.append(interrupt)
            raise

    yield RecordBatchReader.from_batches(stated, watched())
    if interrupts:
        raise interrupts[0]


def needed_columns(names: list[str], kind: Kind, path: PathLike) -> list[str]:
    """Return the columns that are read; others may be large."""
    return ranked_columns(names, path) if kind == "run" else judged_columns(names, path)


def judged_columns(names: list[str], path: PathLike) -> list[str]:
    """Return the columns of judgments, including those with judges, subtopics and sources."""
    places = find_places(names, "judgments", Origin(path_name(path)))
    return [names[place] for place in (*places, *find_labels(names)) if place is not None]


def ranked_columns(names: list[str], path: PathLike) -> list[str]:
    """Return the columns of a run, including ranks."""
    rank = find_name(names, RANK)
    scored = scored_columns(names, path)
    return scored if rank is None else [*scored, rank]


def scored_columns(names: list[str], path: PathLike) -> list[str]:
    """Return the columns of a run that its scores depend on."""
    return [names[place] for place in find_places(names, "run", Origin(path_name(path)))]


class TextCheck:
    """Checks the lengths of texts before a few bytes are expanded to very many rows.

    Parameters
    ----------
    names : list of str
        The columns that are read; the first two are ids.
    path : PathLike
        Their file.
    """

    def __init__(self, names: list[str], path: PathLike) -> None:
        self._names = names
        self._name = path_name(path)
        self._n_bytes = 0

    def add(self, batch: Any) -> None:  # noqa: ANN401 - a pyarrow.RecordBatch
        """Check the next rows; raise `FormatError` or `SizeError`."""
        if not are_texts_limited():
            return
        for place, name in enumerate(self._names):
            if name not in batch.schema.names:
                continue
            longest, n_bytes = _lengths(batch.column(name))
            if place < _N_IDS:
                check_id(longest, self._name)
            self._n_bytes += n_bytes
            check_content(self._n_bytes, self._name)


def _lengths(column: Any) -> tuple[int, int]:  # noqa: ANN401 - a pyarrow.Array
    """Return the bytes of the longest text of a column, and an upper bound of those of all."""
    import pyarrow as pa
    from pyarrow import compute, types

    if types.is_dictionary(column.type):
        longest, _ = _lengths(column.dictionary)
        return longest, longest * len(column)
    if types.is_run_end_encoded(column.type):
        longest, _ = _lengths(column.values)
        return longest, longest * len(column)
    if types.is_string_view(column.type) or types.is_binary_view(column.type):
        # Every row is 16 bytes, which begin with the length of its text.
        views = column.buffers()[1]
        lengths = pa.Array.from_buffers(pa.int32(), views.size // 4, [None, views])
        first = 4 * column.offset
        lengths = lengths.take(pa.array(range(first, first + 4 * len(column), 4)))
    elif column.type in (pa.string(), pa.large_string(), pa.binary(), pa.large_binary()):
        lengths = compute.binary_length(column)
    else:
        return 0, 0  # numbers are short, and other types are not read
    return compute.max(lengths).as_py() or 0, compute.sum(lengths).as_py() or 0


def table_of(data: Grouped) -> Any:  # noqa: ANN401 - a pyarrow.Table
    """Return judgments or a run as a table, with the run's tag in the metadata of its schema.

    Judgments with judges, sources, times or notes have one row per opinion.
    """
    if isinstance(data, Judgments) and data.opinions:
        return table_of_opinions(iter_labelled(data))
    table = data.to_arrow()
    tag = data.tag if isinstance(data, Run) else None
    return table if tag is None else table.replace_schema_metadata({_TAG: encode_id(tag)})


def tag_of(schema: Any) -> str | None:  # noqa: ANN401 - a pyarrow.Schema
    """Return the tag that `table_of` stored; None if there is none."""
    tag = (schema.metadata or {}).get(_TAG)
    return None if tag is None else decode_id(tag)


def rows_of(table: Any, kind: Kind, path: PathLike) -> Iterator[JudgedRow]:  # noqa: ANN401
    """Iterate over the rows of a table."""
    return iter_batches(table.to_batches(), table.schema, kind, Origin(path_name(path)))
