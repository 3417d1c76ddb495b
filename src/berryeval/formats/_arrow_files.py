"""Files that pyarrow opens."""

from __future__ import annotations

import os
from collections.abc import Iterator
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
from berryeval.formats.lines import PathLike, is_plain_file, iter_lines, path_name
from berryeval.formats.rows import iter_labelled

__all__ = ["needed_columns", "open_source", "rows_of", "table_of", "tag_of"]

_TAG = b"tag"


@contextmanager
def open_source(path: PathLike, what: str) -> Iterator[Any]:
    """Open a file for pyarrow, decompressed, and turn its errors into ours."""
    pyarrow = import_pyarrow(what)
    name = path_name(path)
    try:
        if is_plain_file(path):
            # Not mapped: a file that is truncated meanwhile would end the process.
            with pyarrow.OSFile(os.fspath(path)) as source:
                yield source
        else:
            # The end of the file comes first in these formats, so all of it has to be there.
            content = b"".join(line for _, line in iter_lines(path))
            yield pyarrow.BufferReader(content)
    except BerryEvalError:
        raise
    except (pyarrow.ArrowException, OSError, ValueError, TypeError, LookupError) as error:
        # Damaged files lead pyarrow into errors of many kinds.
        message = str(error).partition("\n")[0] or type(error).__name__
        reason = "".join(filter(str.isprintable, message)).rstrip(" .:")
        kind = what.rsplit(maxsplit=1)[-1]
        message = f"cannot be read: damaged or truncated {kind} ({reason}); write the file again"
        raise FormatError(message, name) from error


def needed_columns(names: list[str], kind: Kind, path: PathLike) -> list[str]:
    """Return the columns that are read; others may be large."""
    places = find_places(names, kind, Origin(path_name(path)))
    labels = find_labels(names) if kind == "judgments" else ()
    found = [names[place] for place in (*places, *labels) if place is not None]
    rank = find_name(names, RANK) if kind == "run" else None
    return found if rank is None else [*found, rank]


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
    """Return the tag that `table_of` noted; None if there is none."""
    tag = (schema.metadata or {}).get(_TAG)
    return None if tag is None else decode_id(tag)


def rows_of(table: Any, kind: Kind, path: PathLike) -> Iterator[JudgedRow]:  # noqa: ANN401
    """Iterate over the rows of a table."""
    return iter_batches(table.to_batches(), table.schema, kind, Origin(path_name(path)))
