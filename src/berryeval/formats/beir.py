"""Folders as BEIR lays them out.

``corpus.jsonl`` has the documents, ``queries.jsonl`` the queries, and ``qrels/SPLIT.tsv`` the
judgments of a split, such as ``test``, ``dev`` or ``train``. Files may be compressed (``.gz``,
``.zst``). A folder without ``qrels`` may be that of a golden set, which has no splits, see
`berryeval.formats.golden_folder`.
"""

from __future__ import annotations

import os

from berryeval.errors import FormatError
from berryeval.formats.golden_folder import documents_in, judgments_in, queries_in
from berryeval.formats.lines import PathLike

__all__ = [
    "corpus_path",
    "has_judgments",
    "has_splits",
    "judgments_file",
    "judgments_path",
    "queries_path",
]

_SUFFIXES = ("", ".gz", ".zst")


def has_splits(path: PathLike) -> bool:
    """Whether a path leads to a folder with judgments by split."""
    return os.path.isdir(os.path.join(path, "qrels"))  # noqa: PTH112, PTH118 - pathlib is slow to import


def has_judgments(path: PathLike) -> bool:
    """Whether a folder has judgments by split, or those of a golden set."""
    return has_splits(path) or judgments_in(path) is not None


def judgments_path(folder: PathLike, split: str = "test") -> str:
    """Return the file with the judgments of a split, or those of a golden set."""
    found = _find(folder, f"qrels/{split}.tsv")
    if found is None and not has_splits(folder):
        found = judgments_in(folder)
    if found is None:
        raise FormatError.unexpected(
            f"qrels/{split}.tsv in the folder", _splits(folder), os.fspath(folder)
        )
    return found


def judgments_file(path: PathLike) -> str:
    """Return the path of a file unchanged, and for a folder its test judgments."""
    is_folder = os.path.isdir(path)  # noqa: PTH112
    return judgments_path(path) if is_folder else os.fspath(path)


def queries_path(folder: PathLike) -> str:
    """Return the file with the queries."""
    found = _find(folder, "queries.jsonl") or queries_in(folder)
    return _required(folder, "queries.jsonl", found)


def corpus_path(folder: PathLike) -> str:
    """Return the file with the documents."""
    found = _find(folder, "corpus.jsonl") or documents_in(folder)
    is_file = found is not None and not os.path.isdir(found)  # noqa: PTH112
    return _required(folder, "corpus.jsonl", found if is_file else None)


def _required(folder: PathLike, name: str, found: str | None) -> str:
    if found is None:
        raise FormatError.unexpected(f"{name} in the folder", "none", os.fspath(folder))
    return found


def _find(folder: PathLike, name: str) -> str | None:
    candidates = (f"{os.path.join(folder, name)}{suffix}" for suffix in _SUFFIXES)  # noqa: PTH118
    return next((path for path in candidates if os.path.isfile(path)), None)  # noqa: PTH113


def _splits(folder: PathLike) -> str:
    try:
        names = sorted(os.listdir(os.path.join(folder, "qrels")))  # noqa: PTH118, PTH208
    except OSError:
        return "no qrels"
    return ", ".join(f"qrels/{name}" for name in names) or "no qrels"
