"""Where the documents, queries and judgments of a golden set are.

They are the parts of a golden set's folder, or of a BEIR folder, or are named one by one.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from berryeval.errors import ArgumentError, FormatError
from berryeval.formats import beir
from berryeval.formats.golden_folder import (
    JUDGMENTS,
    QUERIES,
    documents_in,
    judgments_in,
    queries_in,
)
from berryeval.search.documents import documents_path

__all__ = ["Parts", "find_parts"]


@dataclass(frozen=True)
class Parts:
    """The files and folders of a golden set."""

    folder: Path
    """The folder in which optional files are searched for."""
    documents: str | None
    """None if systems bring their own documents."""
    queries: str
    judgments: str
    """It may not exist yet."""
    is_split: bool
    """Whether the judgments are those of one split of a BEIR folder, so that queries of other
    splits are left out."""


def find_parts(
    path: str | os.PathLike[str] | None = None,
    *,
    documents: str | os.PathLike[str] | None = None,
    queries: str | os.PathLike[str] | None = None,
    judgments: str | os.PathLike[str] | None = None,
    split: str | None = None,
) -> Parts:
    """Return the parts of a golden set; those that are named replace those of the folder.

    Parameters
    ----------
    path : path, optional
        The folder of a golden set, or a BEIR folder.
    documents, queries, judgments : path, optional
        Files, or folders that contain them.
    split : str, optional
        The split of a BEIR folder. Default: ``"test"``.

    Raises
    ------
    ArgumentError
        If neither a folder nor queries and judgments are given.
    FormatError
        If there is no such folder, or it has a part twice.
    """
    if path is not None and not Path(path).is_dir():
        raise FormatError.unexpected("the folder of a golden set", "none", str(path))
    if path is None and (queries is None or judgments is None):
        missing = "queries" if queries is None else "judgments"
        expected = "a file, or the folder of a golden set"
        raise ArgumentError(missing, expected, "none")
    judged_in = path if judgments is None else judgments
    assert judged_in is not None
    is_split = beir.has_splits(judged_in)
    if split is not None and not is_split:
        raise FormatError.unexpected(
            f"qrels/{split}.tsv in the folder", "no qrels", os.fspath(judged_in)
        )
    judged = _judgments(judged_in, split or "test")
    folder = Path(judged).parent if path is None else Path(path)
    return Parts(
        folder=folder,
        documents=_documents(path, documents),
        queries=_queries(path if queries is None else queries),
        judgments=judged,
        is_split=is_split,
    )


def _judgments(path: str | os.PathLike[str], split: str) -> str:
    if beir.has_splits(path):
        return beir.judgments_path(path, split)
    if not Path(path).is_dir():
        return os.fspath(path)
    return judgments_in(path) or str(Path(path) / JUDGMENTS)


def _queries(path: str | os.PathLike[str] | None) -> str:
    assert path is not None
    if not Path(path).is_dir():
        return os.fspath(path)
    found = beir.queries_path(path) if beir.has_splits(path) else queries_in(path)
    return found or str(Path(path) / QUERIES)


def _documents(
    path: str | os.PathLike[str] | None, documents: str | os.PathLike[str] | None
) -> str | None:
    if documents is not None:
        return documents_path(documents)
    return None if path is None else documents_in(path)
