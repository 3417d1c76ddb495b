"""TREC files, read by the native extension: the quick twin of `berryeval.formats.trec`."""

from __future__ import annotations

from collections.abc import Iterable

from berryeval.core.column_names import Kind
from berryeval.core.grouped import NativeColumns
from berryeval.formats.lines import PathLike
from berryeval.formats.rows import Duplicates, duplicate_error
from berryeval.formats.trec import parse_line

__all__ = ["read_columns"]


def read_columns(
    pieces: Iterable[bytes], kind: Kind, path: PathLike, duplicates: Duplicates
) -> NativeColumns:
    """Read text that comes in pieces; `path` is what messages call it.

    Raises
    ------
    FormatError
        With file and line, for what cannot be read: what `berryeval.formats.trec` would raise.
    """
    from berryeval._native import TextReader

    reader = TextReader(kind == "run")
    _ = all(map(reader.feed, pieces)) and reader.finish()  # both are False at a line that is wrong
    # What came twice stands before the line that is wrong, since nothing after it was read.
    if duplicates == "error" and (duplicate := reader.first_duplicate()) is not None:
        line, query_id, doc_id = duplicate
        raise duplicate_error(kind, path, line, query_id, doc_id)
    if (wrong := reader.wrong_line()) is not None:
        number, text = wrong
        parse_line(text, kind, path, number)
        raise AssertionError(f"line {number} of {path} is right for one twin and wrong for one")
    return reader.take_columns(duplicates == "keep-best")
