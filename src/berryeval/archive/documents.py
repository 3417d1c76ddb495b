"""The documents of an archive: their hashes, which make judgments stale, and their texts."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any

from sqlalchemy import Row, Text, delete, func, select, type_coerce

from berryeval.archive.checks import check_id, check_text
from berryeval.archive.clock import moment_after
from berryeval.archive.database import Database, batches_of
from berryeval.archive.paging import ArchivePart
from berryeval.archive.records import Page, StoredDocument
from berryeval.archive.tables import documents
from berryeval.archive.text_index import JSON_PREFIX, TextIndex, beginning_of
from berryeval.core.documents import Document

__all__ = ["ArchivedDocuments", "hash_of_document"]


def hash_of_document(document: Document) -> str:
    """Return the SHA-256 of a document's title and text, as hexadecimal digits."""
    title, text = (
        part.encode("utf-8", "surrogatepass") for part in (document.title, document.text)
    )
    return hashlib.sha256(struct.pack("<Q", len(title)) + title + text).hexdigest()


class ArchivedDocuments(ArchivePart):
    """Documents by id: their hashes, and their texts if they are stored."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._titles = TextIndex(database, "documents")

    def put(self, wanted: Iterable[Document], *, hashes: Mapping[str, str] | None = None) -> int:
        """Write documents with their texts; a judgment of one that changed becomes stale.

        All or none of them are written.

        Parameters
        ----------
        wanted : iterable of Document
            Documents with their texts.
        hashes : mapping of str to str, optional
            Hashes of further documents, whose texts are stored elsewhere.

        Returns
        -------
        int
            The number of new or changed documents.
        """
        texts = (
            (
                document.doc_id,
                hash_of_document(document),
                {"title": document.title, "text": document.text},
            )
            for document in wanted
        )
        known = ((doc_id, digest, None) for doc_id, digest in (hashes or {}).items())
        return self._put(chain(texts, known))

    def put_hashes(self, hashes: Mapping[str, str]) -> int:
        """Write the hashes of documents whose texts are stored elsewhere; otherwise as `put`."""
        return self.put((), hashes=hashes)

    def _put(self, wanted: Iterable[tuple[str, str, dict[str, str] | None]]) -> int:
        checked = {
            check_id(doc_id, "doc_id"): (check_text(digest, f"hash of {doc_id}"), content)
            for doc_id, digest, content in wanted
        }
        n_changed = 0
        with self._database.writing(alone="documents") as connection:
            moment = moment_after(connection, documents.c.updated_at)
            for doc_ids in batches_of(checked):
                kept = select(documents).where(documents.c.doc_id.in_(doc_ids))
                before = {row.doc_id: (row.hash, row.content) for row in connection.execute(kept)}
                rows = [
                    {"doc_id": doc_id, "hash": digest, "content": content, "updated_at": moment}
                    for doc_id, digest, content in ((one, *checked[one]) for one in doc_ids)
                    if not _has(before.get(doc_id), digest, content)
                ]
                self._database.upsert(connection, documents, "doc_id", rows)
                n_changed += len(rows)
        return n_changed

    def get(self, doc_id: str) -> StoredDocument | None:
        """Return a document; None if it does not exist."""
        row = select(documents).where(documents.c.doc_id == check_id(doc_id, "doc_id"))
        return self._one(row, _stored)

    def hashes(self, doc_ids: Iterable[str]) -> dict[str, str]:
        """Return the hashes of the known documents among the ids, by id."""
        found: dict[str, str] = {}
        with self._database.reading() as connection:
            for some in batches_of(doc_ids):
                rows = select(documents.c.doc_id, documents.c.hash)
                rows = rows.where(documents.c.doc_id.in_(some))
                found |= {row.doc_id: row.hash for row in connection.execute(rows)}
        return found

    def titles(self, doc_ids: Iterable[str]) -> dict[str, str]:
        """Return the titles of the documents among the ids that have one, by id."""
        found = self.beginnings(doc_ids)
        return {doc_id: title for doc_id, (title, _) in found.items() if title}

    def find(self, part: str, *, most: int = 1000) -> list[str]:
        """Return the ids of documents whose title contains a text, case-insensitive.

        For a million documents, the first call takes seconds, and so does the first after a change.
        """
        return self._titles.find(part, most=most)

    def beginnings(self, doc_ids: Iterable[str]) -> dict[str, tuple[str, str]]:
        """Return title and text of documents, up to 2,000 characters.

        Documents without a stored text are omitted.
        """
        start = func.substr(type_coerce(documents.c.content, Text), 1, JSON_PREFIX)
        rows = select(documents.c.doc_id, start.label("start"))
        wanted = {check_id(doc_id, "doc_id"): None for doc_id in doc_ids}
        found = {}
        with self._database.reading() as connection:
            for some in batches_of(wanted):
                these = rows.where(documents.c.doc_id.in_(some), documents.c.content.is_not(None))
                for row in connection.execute(these):
                    found[row.doc_id] = beginning_of(row.start)
        return found

    def page(self, *, after: str | None = None, limit: int = 100) -> Page[StoredDocument]:
        """Return documents in the order of their ids' bytes."""
        return self._page(
            select(documents), (documents.c.doc_id,), _stored, after=after, limit=limit
        )

    def remove(self, doc_id: str) -> bool:
        """Remove a document, and return whether it existed; its judgments are kept."""
        row = delete(documents).where(documents.c.doc_id == check_id(doc_id, "doc_id"))
        with self._database.writing() as connection:
            return connection.execute(row).rowcount > 0


def _has(
    kept: tuple[str, dict[str, str] | None] | None,
    digest: str | None,
    content: dict[str, str] | None,
) -> bool:
    """Whether a document is already stored; for a hash, whether it matches."""
    return kept is not None and kept[0] == digest and content in (None, kept[1])


def _stored(row: Row[Any]) -> StoredDocument:
    content = row.content or {"title": None, "text": None}
    return StoredDocument(row.doc_id, row.hash, content["title"], content["text"], row.updated_at)
