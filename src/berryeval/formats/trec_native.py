"""TREC files, read by the native extension: the fast twin of `berryeval.formats.trec`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from berryeval.core.column_names import Kind
from berryeval.core.grouped import NativeColumns
from berryeval.core.origin import Origin
from berryeval.formats.lines import PathLike, path_name
from berryeval.formats.rows import Duplicates
from berryeval.formats.trec import parse_line

if TYPE_CHECKING:
    from berryeval._native import TextReader

__all__ = ["read_columns", "read_labelled_columns"]


def read_columns(
    pieces: Iterable[bytes], kind: Kind, path: PathLike, duplicates: Duplicates
) -> NativeColumns:
    """Read text in pieces; `path` is its name in messages.

    Raises
    ------
    FormatError
        With file and line, for invalid lines, as `berryeval.formats.trec` raises it.
    """
    return _read(pieces, kind, path, duplicates).take_columns(duplicates == "keep-best")


def read_labelled_columns(
    content: bytes, path: PathLike, duplicates: Duplicates
) -> tuple[NativeColumns, bool]:
    """Read judgments, and whether their second column may hold subtopics.

    It is False only if the column is 0 or Q0 on every line, as it is in nearly all files.
    `trec.has_subtopics` takes much longer, and decides in all other cases.
    """
    reader = _read([content], "judgments", path, duplicates)
    return reader.take_columns(duplicates == "keep-best"), not reader.has_plain_labels()


def _read(
    pieces: Iterable[bytes], kind: Kind, path: PathLike, duplicates: Duplicates
) -> TextReader:
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
        raise AssertionError(f"line {number} of {path} is valid for only one of the twins")
    return reader
