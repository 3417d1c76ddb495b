"""Writes the files of a golden set."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from berryeval.core.documents import Document
from berryeval.core.files import write_whole
from berryeval.core.query import Query
from berryeval.errors import ArgumentError, FormatError
from berryeval.formats import write_documents, write_queries
from berryeval.formats.relevance_judgments import RelevanceJudgments, to_lines
from berryeval.golden.golden_set import JUDGMENTS, QUERIES

__all__ = ["DOCUMENT_LINES", "check_target", "write_file", "write_golden_set"]

DOCUMENT_LINES = "documents.jsonl"
"""Documents that are not Markdown or text: each line is a chunk."""


def write_golden_set(
    folder: str | os.PathLike[str],
    *,
    documents: Iterable[Document] | None,
    queries: Iterable[Query],
    judgments: RelevanceJudgments,
) -> tuple[Path, ...]:
    """Write the three parts of a golden set, and return the files.

    Parameters
    ----------
    folder : path
        A new or empty folder.
    documents : iterable of Document or None
        Chunks, written as JSON lines. None if there are none, or they are written elsewhere.
    queries, judgments
        The other two parts.

    Raises
    ------
    FormatError
        If a file cannot be written.
    """
    target = Path(folder)
    _make_folder(target)
    if documents is not None:
        write_documents(documents, target / DOCUMENT_LINES)
    write_queries(queries, target / QUERIES)
    write_whole(target / JUDGMENTS, to_lines(judgments))
    names = (QUERIES, JUDGMENTS) if documents is None else (DOCUMENT_LINES, QUERIES, JUDGMENTS)
    return tuple(target / name for name in names)


def check_target(folder: str | os.PathLike[str]) -> Path:
    """Return a folder to write to; raise `ArgumentError` unless it is new or empty."""
    target = Path(folder)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise ArgumentError("target", "a new or empty folder", repr(os.fspath(folder)))
    return target


def write_file(path: Path, content: bytes) -> None:
    """Write a file and the folders above it, or raise `FormatError`."""
    _make_folder(path.parent)
    write_whole(path, [content])


def _make_folder(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FormatError(f"cannot be written: {error.strerror}", str(path)) from error
