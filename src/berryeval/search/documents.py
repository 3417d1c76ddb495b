"""Documents to index, read from Markdown, text, JSON lines or a BEIR folder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from berryeval.core.documents import Document
from berryeval.errors import FormatError
from berryeval.formats import beir, iter_documents
from berryeval.search.chunking.chunkers import Chunk, read_sources, to_documents
from berryeval.search.chunking.cutting import cut
from berryeval.search.questions import read_questions, with_questions

__all__ = ["is_text", "iter_any_documents", "iter_chunks"]


def is_text(path: str) -> bool:
    """Whether a path is a file or a folder of Markdown or text, which is split into chunks."""
    if path.lower().endswith((".md", ".markdown", ".txt")):
        return True
    return beir.is_folder(path) and not any(Path(path).glob("corpus.jsonl*"))


def iter_chunks(path: str, chunks: str = "heading") -> Iterator[Chunk]:
    """Iterate over the chunks of Markdown or text; `chunks` is the chunking, as in `cut`."""
    return iter(cut(read_sources(path), chunks))


def iter_any_documents(
    path: str, chunks: str = "heading", questions: str | None = None
) -> Iterator[Document]:
    """Iterate over the chunks of Markdown or text, or over the documents of a corpus.

    Parameters
    ----------
    path : str
        A file or a folder of Markdown or text; a BEIR folder; or JSON lines.
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
        raise FormatError("expected documents, found none", path)
