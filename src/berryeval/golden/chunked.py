"""The documents of a golden set, split into the chunks that judgments refer to."""

from __future__ import annotations

import difflib
import os
from collections.abc import Sequence

from berryeval.core.documents import Document
from berryeval.errors import ArgumentError, FormatError
from berryeval.formats import beir, iter_documents
from berryeval.formats.golden_folder import judgments_in
from berryeval.formats.source_texts import is_source, read_sources
from berryeval.golden.judged import read_any_judgments
from berryeval.search.chunking import Chunk, cut
from berryeval.search.documents import documents_path

__all__ = ["declared_chunking", "default_chunking", "list_chunks", "read_chunked"]

_PATH_OF_HEADINGS = " > "


def default_chunking(documents: str | None) -> str:
    """Return ``"heading"`` for Markdown and text, and ``"document"`` for JSON lines."""
    return "heading" if documents is not None and is_source(documents) else "document"


def declared_chunking(path: str | os.PathLike[str]) -> str | None:
    """Return the chunking that the judgments of a golden set's folder declare; None without."""
    if not os.path.isdir(path) or beir.has_splits(path):  # noqa: PTH112
        return None
    judgments = judgments_in(path)
    return None if judgments is None else read_any_judgments(judgments).chunks


def read_chunked(documents: str | None, chunks: str) -> tuple[dict[str, str], tuple[Chunk, ...]]:
    """Return documents by name, and their chunks; none if there are no documents.

    Parameters
    ----------
    documents : str or None
        A file or a folder of Markdown or text, or JSON lines, each of whose lines is a document.
    chunks : str
        The chunking, see `berryeval.search.chunking.cutting.cut`.
    """
    if documents is None:
        return {}, ()
    if is_source(documents):
        texts = read_sources(documents)
        return texts, tuple(cut(texts, chunks))
    lines = [*iter_documents(documents)]
    texts = {document.doc_id: document.text for document in lines}
    # Splitting would lose the title, which is indexed with a whole document.
    return texts, tuple(map(_whole, lines) if chunks == "document" else cut(texts, chunks))


def _whole(document: Document) -> Chunk:
    # A title is a path of headings again, so that an exported set has the same hash.
    headings = tuple(document.title.split(_PATH_OF_HEADINGS)) if document.title else ()
    name, text = document.doc_id, document.text
    return Chunk(name, name, 0, len(text), text, headings)


def list_chunks(
    path: str | os.PathLike[str], *, chunks: str | None = None, documents: Sequence[str] = ()
) -> list[Chunk]:
    """Return the chunks of documents, in the order of the documents.

    Parameters
    ----------
    path : path
        A golden set, a BEIR folder, or a folder or file of documents; queries and judgments may be
        missing.
    chunks : str, optional
        The chunking. Default: the set's own.
    documents : sequence of str
        Only the chunks of these documents. Default: all.

    Raises
    ------
    FormatError
        If there are no documents.
    ArgumentError
        For an unknown document.
    """
    source = documents_path(path)
    if not os.path.exists(source):  # noqa: PTH110
        raise FormatError.unexpected("documents", "no such file or folder", source)
    how = chunks or declared_chunking(path) or default_chunking(source)
    texts, found = read_chunked(source, how)
    for name in documents:
        if name not in texts:
            near = difflib.get_close_matches(name, texts, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise ArgumentError("document", f"one of {os.fspath(path)}", f"{name!r}{hint}")
    return [chunk for chunk in found if not documents or chunk.source in documents]
