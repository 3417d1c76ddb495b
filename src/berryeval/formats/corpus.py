"""Documents in JSON lines, as BEIR keeps them: ``{"_id": "d7", "title": "", "text": "…"}``.

The id may be called ``_id``, ``id`` or ``doc_id``; ``title`` and ``length``, in tokens, may be
missing; other keys are ignored.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator

from berryeval.core.column_names import find_name
from berryeval.core.documents import Document, Documents
from berryeval.core.files import write_whole
from berryeval.core.id_column import decode_id, shown_id
from berryeval.errors import FormatError
from berryeval.formats import beir
from berryeval.formats.jsonl import iter_objects
from berryeval.formats.keys import id_bytes, shown_keys
from berryeval.formats.lines import PathLike, path_name

__all__ = ["iter_documents", "read_documents", "to_document", "write_documents"]

_ID = ("_id", "id", "doc_id", "docid", "docno")
_TEXT = ("text", "contents", "body")


def iter_documents(path: PathLike) -> Iterator[Document]:
    """Iterate over the documents of a file, or of a BEIR folder, one at a time.

    Raises
    ------
    FormatError
        With file and line, for invalid content, and for a document that occurs twice.
    """
    if os.path.isdir(path):  # noqa: PTH112
        path = beir.corpus_path(path)
    seen: set[str] = set()
    for line, record in iter_objects(path):
        document = to_document(record, path, line)
        if document.doc_id in seen:
            message = f"document {shown_id(document.doc_id)} occurs twice"
            raise FormatError(message, path_name(path), line)
        seen.add(document.doc_id)
        yield document


def read_documents(path: PathLike) -> Documents:
    """Read documents from a file in JSON lines, or from a BEIR folder.

    Raises
    ------
    FormatError
        With file and line, for invalid content, and for a document that occurs twice.
    """
    return Documents.of(iter_documents(path))


def write_documents(documents: Iterable[Document], path: PathLike) -> None:
    """Write documents in JSON lines, completely or not at all; ``.gz`` or ``.zst`` compresses."""
    write_whole(path, map(_line, documents))


def _line(document: Document) -> bytes:
    record: dict[str, object] = {
        "_id": document.doc_id,
        "title": document.title,
        "text": document.text,
    }
    if document.length is not None:
        record["length"] = document.length
    return json.dumps(record).encode() + b"\n"


def to_document(record: dict[str, object], path: PathLike, line: int) -> Document:
    """Return the document of an object, or raise `FormatError` with file and line."""
    name, text = find_name(record, _ID), find_name(record, _TEXT)
    for key, found in (("_id", name), ("text", text)):
        if found is None:
            shown = shown_keys(record)
            raise FormatError.unexpected(f"a key {key!r}", shown, path_name(path), line)
    assert name is not None
    assert text is not None
    length = record.get("length")
    is_count = isinstance(length, int) and not isinstance(length, bool) and length >= 0
    if length is not None and not is_count:
        raise FormatError.unexpected(
            "a number of tokens as length", repr(length), path_name(path), line
        )
    return Document(
        decode_id(id_bytes(record[name], path, line)),
        _text(record[text], "text", path, line),
        _text(record.get("title") or "", "title", path, line),
        length if isinstance(length, int) else None,
    )


def _text(value: object, key: str, path: PathLike, line: int) -> str:
    if not isinstance(value, str):
        raise FormatError.unexpected(f"text as {key}", type(value).__name__, path_name(path), line)
    return value
