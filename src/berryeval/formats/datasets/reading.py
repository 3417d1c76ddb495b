"""Reading a data set in any layout."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from berryeval.core.documents import Document
from berryeval.errors import ArgumentError, FormatError
from berryeval.formats.beginning import Beginning
from berryeval.formats.datasets import ir_datasets, llama_index, mteb, questions, ragas
from berryeval.formats.datasets.dataset import Dataset
from berryeval.formats.datasets.question_columns import WAY_OUT
from berryeval.formats.datasets.rows import iter_records_of
from berryeval.formats.delimited import split_header
from berryeval.formats.keys import shown_keys
from berryeval.formats.lines import PathLike, path_name, readable_again

__all__ = ["DATASET_FORMATS", "has_expected_documents", "read_dataset"]

_OF_RAGAS = frozenset((*ragas.CONTEXTS, ragas.IDS))

DATASET_FORMATS = ("llamaindex", "ragas", "mteb", "ir_datasets", "questions")
"""The layouts by name. BEIR's folders are read as MTEB's."""


def read_dataset(
    source: PathLike,
    *,
    format: str | None = None,
    split: str = "test",
    documents: Iterable[Document] | None = None,
    columns: Mapping[str, str] | None = None,
) -> Dataset:
    """Read queries, documents and judgments that belong together.

    Parameters
    ----------
    source : path
        A file of questions with the documents that answer them (CSV, JSON or JSON lines), such as
        ``question`` and ``expected_docs``; a file of LlamaIndex (``EmbeddingQAFinetuneDataset``)
        or Ragas (a test set in CSV, JSON or JSON lines); a folder in the layout of BEIR, MTEB or
        Hugging Face; or ``ir_datasets:NAME``, if that package is installed.
    format : str, optional
        One of `DATASET_FORMATS`. Default: detected.
    split : str
        For folders: the split, such as ``"test"`` or ``"dev"``.
    documents : iterable of Document, optional
        For Ragas: the chunks that the retriever searches. Reference contexts, which have no ids,
        are matched to them by content.
    columns : mapping of str to str, optional
        For a file of questions: the names of its columns ``question``, ``relevant`` and ``id``.
        Default: recognised.

    Raises
    ------
    FormatError
        If it cannot be read, or the layout is unknown.
    MismatchError
        If no reference context matches a document.

    Examples
    --------
    >>> import json, tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp()) / "qa.json"
    >>> _ = path.write_text(json.dumps({
    ...     "queries": {"q1": "How do I renew a token?"},
    ...     "corpus": {"node-1": "Tokens are renewed every hour."},
    ...     "relevant_docs": {"q1": ["node-1"]},
    ... }))
    >>> read_dataset(path).judgments.to_dict()
    {'q1': {'node-1': 1.0}}
    """
    known = "questions" if columns and format is None else format
    chosen = _detect(source) if known is None else _check(known)
    if columns and chosen != "questions":
        raise ArgumentError("columns", "none, since only files of questions have any", "some")
    if documents is not None and chosen != "ragas":
        raise ArgumentError("documents", "none, since the data set has its own", "some")
    if chosen == "ir_datasets":
        return ir_datasets.read(os.fspath(source).removeprefix(ir_datasets.PREFIX))
    if chosen == "mteb":
        return mteb.read(source, split)
    path = readable_again(source)
    if chosen == "questions":
        return questions.read(path, columns)
    return llama_index.read(path) if chosen == "llamaindex" else ragas.read(path, documents)


def has_expected_documents(source: PathLike) -> bool:
    """Whether a file has questions with the documents that answer them."""
    row = _first_row(readable_again(source))
    return row is not None and _OF_RAGAS.isdisjoint(row) and questions.is_one(row)


def _first_row(path: PathLike) -> Mapping[str, Any] | None:
    """Return the first row of a table or of JSON lines; None for another file."""
    try:
        return next((row for _, row in iter_records_of(path)), None)
    except FormatError:
        return None


def _check_table(path: PathLike, header: Collection[str]) -> None:
    """Raise `FormatError` for a table of questions without rows, or without their documents."""
    if _OF_RAGAS.isdisjoint(header) and not questions.is_one(header):
        expected = "a column with the documents of each question, such as expected_docs"
        found = shown_keys(sorted(header))
        raise FormatError.unexpected(expected, found, path_name(path), 1, way_out=WAY_OUT)
    if _first_row(path) is None:
        raise FormatError.unexpected("questions below the header", "none", path_name(path), 2)


def _check(name: str) -> str:
    if name not in DATASET_FORMATS:
        raise ArgumentError("format", " or ".join(map(repr, DATASET_FORMATS)), repr(name))
    return name


def _detect(source: PathLike) -> str:
    name = os.fspath(source)
    if name.startswith(ir_datasets.PREFIX):
        return "ir_datasets"
    if os.path.isdir(source):  # noqa: PTH112
        return "mteb"
    path = readable_again(source)
    if os.path.isfile(path) and os.path.getsize(path) == 0:  # noqa: PTH113, PTH202
        raise FormatError.unexpected("questions or a data set", "nothing", path_name(source))
    if has_expected_documents(path):
        return "questions"
    beginning = Beginning(path)
    columns = split_header(beginning.line.decode("utf-8", "replace"))
    header = {column.strip().strip('"').lower() for column in columns}
    for question in ragas.QUESTIONS:
        if question in header:
            _check_table(path, header)
        if question in header or beginning.has_anywhere(question):
            return "ragas"
    if beginning.has_keys(llama_index.KEYS[0]):
        return "llamaindex"
    expected = (
        "questions with expected documents (such as columns question and expected_docs), a "
        "LlamaIndex or Ragas file, a BEIR or MTEB folder, or ir_datasets:NAME as data set"
    )
    row = _first_row(path)
    found = f"columns {shown_keys(row)}" if row else f"a file that begins with {columns[0][:40]!r}"
    way_out = WAY_OUT if row else ""
    raise FormatError.unexpected(expected, found, path_name(source), way_out=way_out)
