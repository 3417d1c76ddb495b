"""Reading a data set in any layout."""

from __future__ import annotations

import os
from collections.abc import Iterable

from berryeval.core.documents import Document
from berryeval.errors import ArgumentError, FormatError
from berryeval.formats.beginning import Beginning
from berryeval.formats.datasets import ir_datasets, llama_index, mteb, ragas
from berryeval.formats.datasets.dataset import Dataset
from berryeval.formats.delimited import split_header
from berryeval.formats.lines import PathLike, path_name, readable_again

__all__ = ["DATASET_FORMATS", "read_dataset"]

DATASET_FORMATS = ("llamaindex", "ragas", "mteb", "ir_datasets")
"""The layouts by name. BEIR's folders are read as MTEB's."""


def read_dataset(
    source: PathLike,
    *,
    format: str | None = None,
    split: str = "test",
    documents: Iterable[Document] | None = None,
) -> Dataset:
    """Read queries, documents and judgments that belong together.

    Parameters
    ----------
    source : path
        A file of LlamaIndex (``EmbeddingQAFinetuneDataset``) or Ragas (a test set in CSV, JSON or
        JSON lines); a folder in the layout of BEIR, MTEB or Hugging Face; or
        ``ir_datasets:NAME``, if that package is installed.
    format : str, optional
        One of `DATASET_FORMATS`. Default: detected.
    split : str
        For folders: the split, such as ``"test"`` or ``"dev"``.
    documents : iterable of Document, optional
        For Ragas: the chunks that the retriever searches. Reference contexts, which have no ids,
        are matched to them by content.

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
    chosen = _detect(source) if format is None else _check(format)
    if documents is not None and chosen != "ragas":
        raise ArgumentError("documents", "none, since the data set has its own", "some")
    if chosen == "ir_datasets":
        return ir_datasets.read(os.fspath(source).removeprefix(ir_datasets.PREFIX))
    if chosen == "mteb":
        return mteb.read(source, split)
    path = readable_again(source)
    return llama_index.read(path) if chosen == "llamaindex" else ragas.read(path, documents)


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
    beginning = Beginning(readable_again(source))
    columns = split_header(beginning.line.decode("utf-8", "replace"))
    header = {column.strip().strip('"').lower() for column in columns}
    for question in ragas.QUESTIONS:
        if question in header or beginning.has_anywhere(question):
            return "ragas"
    if beginning.has_keys(llama_index.KEYS[0]):
        return "llamaindex"
    expected = "a LlamaIndex or Ragas file, a BEIR or MTEB folder, or ir_datasets:NAME as data set"
    raise FormatError.unexpected(expected, "another file", path_name(source))
