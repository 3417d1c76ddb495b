"""Documents to index, read from Markdown, text, JSON lines, or the folder of a golden set."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from berryeval.core.documents import Document
from berryeval.errors import FormatError
from berryeval.formats import iter_documents
from berryeval.formats.golden_folder import DOCUMENTS, documents_in, judgments_in, queries_in
from berryeval.formats.source_texts import is_source, read_sources
from berryeval.search.chunking.chunkers import Chunk, to_documents
from berryeval.search.chunking.cutting import cut
from berryeval.search.questions import read_questions, with_questions

__all__ = ["documents_path", "is_text", "iter_any_documents", "iter_chunks"]


def documents_path(path: str | os.PathLike[str]) -> str:
    """Return the documents of a golden set's folder or a BEIR folder; any other path is unchanged.

    The documents of a golden set are only a part of its folder, which also contains a guideline.
    """
    name = os.fspath(path)
    if not os.path.isdir(path):  # noqa: PTH112
        return name
    found = documents_in(path)
    if found is None or not os.path.isdir(found):  # noqa: PTH112 - documents.jsonl or corpus.jsonl
        return found or name
    # A folder of Markdown may have a subfolder "documents" without being a golden set.
    is_golden = found.endswith(DOCUMENTS) or judgments_in(path) or queries_in(path)
    return found if is_golden else name


def is_text(path: str) -> bool:
    """Whether a path is a file or a folder of Markdown or text, which is split into chunks."""
    return is_source(documents_path(path))


def iter_chunks(path: str, chunks: str = "heading") -> Iterator[Chunk]:
    """Iterate over the chunks of Markdown or text; `chunks` is the chunking, as in `cut`."""
    return iter(cut(read_sources(documents_path(path)), chunks))


def iter_any_documents(
    path: str, chunks: str = "heading", questions: str | None = None
) -> Iterator[Document]:
    """Iterate over the chunks of Markdown or text, or over the documents of a corpus.

    Parameters
    ----------
    path : str
        A file or a folder of Markdown or text; JSON lines; a BEIR folder, or that of a golden set.
    chunks : str
        How to split text, see `berryeval.search.chunking.cutting.cut`.
    questions : str, optional
        A file of questions to append to the texts; see `berryeval.search.questions`.

    Raises
    ------
    FormatError
        If there are no documents, or they cannot be read.
    """
    found = to_documents(iter_chunks(path, chunks)) if is_text(path) else iter_documents(path)
    if questions is not None:
        found = with_questions(found, read_questions(questions), questions)
    return _some(found, path)


def _some(documents: Iterable[Document], path: str) -> Iterator[Document]:
    """Iterate over documents, and raise if there are none, since every search would be empty."""
    n_documents = 0
    for document in documents:
        n_documents += 1
        yield document
    if not n_documents:
        raise FormatError.unexpected("documents", "none", path)
