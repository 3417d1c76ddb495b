"""Data sets of the package ir_datasets by name: ``ir_datasets:beir/scifact/test``.

The package downloads them, and is not a dependency of BerryEval.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Any

from berryeval.core.documents import Document
from berryeval.core.judgments import Judgments
from berryeval.core.query import Query
from berryeval.errors import ArgumentError, FormatError
from berryeval.formats.datasets.dataset import Dataset

__all__ = ["PREFIX", "read"]

PREFIX = "ir_datasets:"


def read(name: str) -> Dataset:
    """Load a data set; documents are read when they are needed.

    Raises
    ------
    ArgumentError
        If the package is not installed.
    FormatError
        If it has no such data set, or this one has no queries or judgments.
    """
    try:
        package = import_module("ir_datasets")
    except ImportError:
        got = "none; pip install ir_datasets"
        raise ArgumentError("dataset", "the package ir_datasets", got) from None
    place = f"{PREFIX}{name}"
    try:
        found = package.load(name)
    except (KeyError, ValueError) as error:
        raise FormatError(f"ir_datasets has no such data set ({error})", place) from None
    for part, has in (("queries", found.has_queries()), ("judgments", found.has_qrels())):
        if not has:
            way_out = "choose one of its parts, such as beir/scifact/test"
            raise FormatError.unexpected(part, "none", place, way_out=way_out)
    grades: dict[str, dict[str, float]] = {}
    for row in found.qrels_iter():
        grades.setdefault(row.query_id, {})[row.doc_id] = row.relevance
    queries = tuple(Query(query.query_id, _text(query)) for query in found.queries_iter())

    def iter_documents() -> Iterator[Document]:
        for document in found.docs_iter() if found.has_docs() else ():
            yield Document(document.doc_id, _text(document), getattr(document, "title", "") or "")

    return Dataset(queries, Judgments.from_dict(grades), iter_documents, place)


def _text(record: Any) -> str:  # noqa: ANN401 - a record of ir_datasets
    """Return the text of a record: its field ``text``, or the default text of the package."""
    text = getattr(record, "text", None)
    return text if isinstance(text, str) else str(record.default_text())
