"""TREC files, read by the native extension: the fast twin of `berryeval.formats.trec`."""

from __future__ import annotations

from collections.abc import Iterable

from berryeval.core.column_names import Kind
from berryeval.core.grouped import NativeColumns
from berryeval.core.origin import Origin
from berryeval.formats.lines import PathLike, path_name
from berryeval.formats.rows import Duplicates
from berryeval.formats.trec import parse_line

__all__ = ["read_columns"]


def read_columns(
    pieces: Iterable[bytes], kind: Kind, path: PathLike, duplicates: Duplicates
) -> NativeColumns:
    """Read text in pieces; `path` is its name in messages.

    Raises
    ------
    FormatError
        With file and line, for invalid lines, as `berryeval.formats.trec` raises it.
    """
    from berryeval._native import TextReader

    reader = TextReader(kind == "run")
    _ = all(map(reader.feed, pieces)) and reader.finish()  # both are False at an invalid line
    # A duplicate is before the invalid line, since nothing after that was read.
    if duplicates == "error" and (duplicate := reader.first_duplicate()) is not None:
        line, query_id, doc_id = duplicate
        raise Origin(path_name(path), has_lines=True).duplicate(kind, query_id, doc_id, line)
    if (wrong := reader.wrong_line()) is not None:
        number, text = wrong
        parse_line(text, kind, path, number)
        raise AssertionError(f"line {number} of {path} is right for one twin and wrong for one")
    return reader.take_columns(duplicates == "keep-best")
