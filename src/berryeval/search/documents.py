"""Documents to index, from whatever holds them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from berryeval.core.documents import Document
from berryeval.formats import beir, iter_documents
from berryeval.search.chunking import CHUNKERS, read_chunks, to_documents

__all__ = ["iter_any_documents"]


def iter_any_documents(path: str, chunks: str = "heading") -> Iterator[Document]:
    """Iterate over the chunks of Markdown or text, or over the documents of a corpus.

    Parameters
    ----------
    path : str
        A file or a folder of Markdown or text; a BEIR folder; or JSON lines.
    chunks : str
        How to cut text, one of `CHUNKERS`.
    """
    is_text = path.lower().endswith((".md", ".markdown", ".txt"))
    if is_text or (beir.is_folder(path) and not any(Path(path).glob("corpus.jsonl*"))):
        return to_documents(read_chunks(path, CHUNKERS[chunks]))
    return iter_documents(path)
