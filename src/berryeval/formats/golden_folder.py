"""The parts of a golden set's folder: its documents, queries and judgments.

=========  ============================  ==================================================
part       name                          also found as
=========  ============================  ==================================================
documents  ``test-documents/``           ``documents/``, ``documents.jsonl``, ``corpus.jsonl``
queries    ``test-queries.json``         ``queries.jsonl``, ``.json``, ``.csv``, ``.tsv``
judgments  ``relevance-judgments.json``  ``judgments.jsonl``, ``.json``, ``.csv``, ``.qrels`` …
=========  ============================  ==================================================

Files may be compressed (``.gz``, ``.zst``). Each part exists once: two files of judgments in one
folder would make it unclear which of them counts.
"""

from __future__ import annotations

import os
import re

from berryeval.errors import FormatError
from berryeval.formats.lines import PathLike

__all__ = ["DOCUMENTS", "JUDGMENTS", "QUERIES", "documents_in", "judgments_in", "queries_in"]

DOCUMENTS = "test-documents"
QUERIES = "test-queries.json"
JUDGMENTS = "relevance-judgments.json"

_COMPRESSED = r"(?:\.gz|\.zst)?"
_DOCUMENTS = re.compile(rf"test-documents|documents|(?:documents|corpus)\.jsonl{_COMPRESSED}")
_QUERIES = re.compile(rf"(?:test-queries|queries)\.(?:json|jsonl|ndjson|csv|tsv){_COMPRESSED}")
# No .md and no .txt, except for qrels: a folder of documents may have a page about judgments.
_JUDGMENTS = re.compile(
    r"(?:relevance-judgments|judgments|qrels)"
    rf"\.(?:json|jsonl|ndjson|csv|tsv|parquet|qrels){_COMPRESSED}|qrels\.txt{_COMPRESSED}"
)


def documents_in(folder: PathLike) -> str | None:
    """Return the folder or file of the documents; None if there is none."""
    return _find(folder, _DOCUMENTS, "documents")


def queries_in(folder: PathLike) -> str | None:
    """Return the file of the queries; None if there is none."""
    return _find(folder, _QUERIES, "queries")


def judgments_in(folder: PathLike) -> str | None:
    """Return the file of the judgments; None if there is none."""
    return _find(folder, _JUDGMENTS, "judgments")


def _find(folder: PathLike, names: re.Pattern[str], what: str) -> str | None:
    try:
        entries = os.listdir(folder)  # noqa: PTH208 - pathlib is slow to import
    except OSError:
        return None
    found = [
        path
        for name in sorted(entries)
        if names.fullmatch(name)
        for path in [os.path.join(folder, name)]  # noqa: PTH118
        if os.path.isdir(path) != ("." in name)  # noqa: PTH112
    ]
    if len(found) > 1:
        shown = " and ".join(os.path.basename(path) for path in found)  # noqa: PTH119
        raise FormatError.unexpected(
            f"one file or folder of {what}", shown, os.fspath(folder), way_out="keep one of them"
        )
    return found[0] if found else None
