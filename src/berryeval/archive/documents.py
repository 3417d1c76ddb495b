"""The documents of an archive: their hashes, which make judgments stale, and their texts."""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from itertools import chain
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, LargeBinary, Row, Text, delete, func, or_, select, type_coerce

from berryeval.archive.checks import check_count, check_id, check_text
from berryeval.archive.clock import moment_after
from berryeval.archive.database import Database, batches_of
from berryeval.archive.paging import ArchivePart
from berryeval.archive.records import Page, StoredDocument
from berryeval.archive.tables import documents
from berryeval.archive.text_index import JSON_PREFIX, TextIndex, beginning_of, title_of
from berryeval.core.documents import Document
from berryeval.core.id_column import encode_id
from berryeval.core.judgments import Judgments
from berryeval.core.lengths import check_length
from berryeval.core.run import Run
from berryeval.errors import InputError
from berryeval.measures import Measure

__all__ = ["ArchivedDocuments", "hash_of_document"]

_SEARCHED = 20_000
"""Largest number of documents whose texts are searched; each search reads all of them."""


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

    def put(
        self,
        wanted: Iterable[Document],
        *,
        hashes: Mapping[str, str] | None = None,
        lengths: Mapping[str, int] | None = None,
    ) -> int:
        """Write documents with their texts; a judgment of one that changed becomes stale.

        All or none of them are written.

        Parameters
        ----------
        wanted : iterable of Document
            Documents with their texts.
        hashes : mapping of str to str, optional
            Hashes of further documents, whose texts are stored elsewhere.
        lengths : mapping of str to int, optional
            Lengths of these documents, in place of `Document.length`. A document without one keeps
            the length that it had, unless its content has changed.

        Returns
        -------
        int
            The number of new or changed documents.
        """
        given = lengths or {}
        texts = (
            _New(
                document.doc_id,
                hash_of_document(document),
                {"title": document.title, "text": document.text},
                given.get(document.doc_id, document.length),
            )
            for document in wanted
        )
        known = (
            _New(doc_id, digest, None, given.get(doc_id))
            for doc_id, digest in (hashes or {}).items()
        )
        return self._put(chain(texts, known))

    def put_hashes(self, hashes: Mapping[str, str]) -> int:
        """Write the hashes of documents whose texts are stored elsewhere; otherwise as `put`."""
        return self.put((), hashes=hashes)

    def _put(self, wanted: Iterable[_New]) -> int:
        checked = {check_id(one.doc_id, "doc_id"): _checked(one) for one in wanted}
        n_changed = 0
        with self._database.writing(alone="documents") as connection:
            moment = moment_after(connection, documents.c.updated_at)
            for doc_ids in batches_of(checked):
                kept = select(documents).where(documents.c.doc_id.in_(doc_ids))
                before = {row.doc_id: row for row in connection.execute(kept)}
                new = [_with_kept_length(checked[one], before.get(one)) for one in doc_ids]
                rows = [
                    {**one._asdict(), "updated_at": moment}
                    for one in new
                    if not _has(before.get(one.doc_id), one)
                ]
                self._database.upsert(connection, documents, "doc_id", rows)
                n_changed += len(rows)
        return n_changed

    def get(self, doc_id: str) -> StoredDocument | None:
        """Return a document; None if it does not exist."""
        row = select(documents).where(documents.c.doc_id == check_id(doc_id, "doc_id"))
        return self._one(row, _stored)

    def some(self, doc_ids: Iterable[str]) -> dict[str, StoredDocument]:
        """Return the known documents among the ids, by id."""
        found: dict[str, StoredDocument] = {}
        with self._database.reading() as connection:
            for some in batches_of(doc_ids):
                rows = select(documents).where(documents.c.doc_id.in_(some))
                found |= {row.doc_id: _stored(row) for row in connection.execute(rows)}
        return found

    def hashes(self, doc_ids: Iterable[str]) -> dict[str, str]:
        """Return the hashes of the known documents among the ids, by id."""
        found: dict[str, str] = {}
        with self._database.reading() as connection:
            for some in batches_of(doc_ids):
                rows = select(documents.c.doc_id, documents.c.hash)
                rows = rows.where(documents.c.doc_id.in_(some))
                found |= {row.doc_id: row.hash for row in connection.execute(rows)}
        return found

    def lengths(self, doc_ids: Iterable[str]) -> dict[str, int]:
        """Return the lengths of the documents among the ids that have one, by id."""
        c = documents.c
        found: dict[str, int] = {}
        with self._database.reading() as connection:
            for some in batches_of(doc_ids):
                rows = select(c.doc_id, c.length).where(c.doc_id.in_(some), c.length.is_not(None))
                found |= {row.doc_id: row.length for row in connection.execute(rows)}
        return found

    def with_lengths(
        self, judgments: Judgments, measures: Iterable[Measure], runs: Iterable[Run]
    ) -> Judgments:
        """Return judgments with the lengths of what runs retrieved, if a measure looks at them.

        Raises
        ------
        InputError
            If it does, and no document has a length.
        """
        measure = next((one for one in measures if one.uses_lengths), None)
        if measure is None:
            return judgments
        found = self.lengths({doc_id for run in runs for doc_id in run.doc_ids})
        if not found:
            message = f"{measure} requires the lengths of documents, found none"
            raise InputError(f"{message}; store documents with a length (POST /v1/documents)")
        return judgments.with_lengths(found)

    def updated_at(self) -> datetime | None:
        """Return when a document was last written; None if there is none."""
        with self._database.reading() as connection:
            newest: datetime | None = connection.scalar(select(func.max(documents.c.updated_at)))
        return newest

    def titles(self, doc_ids: Iterable[str]) -> dict[str, str]:
        """Return the titles of the documents among the ids that have one, by id."""
        return {
            doc_id: title for doc_id, start in self._starts(doc_ids) if (title := title_of(start))
        }

    def find(self, part: str, *, most: int = 1000) -> list[str]:
        """Return the ids of documents whose title contains a text, case-insensitive.

        For a million documents, the first call takes seconds, and so does the first after a change.
        """
        return self._titles.find(part, most=most)

    def beginnings(self, doc_ids: Iterable[str]) -> dict[str, tuple[str, str]]:
        """Return title and text of documents, up to 2,000 characters.

        Documents without a stored text are omitted.
        """
        return {doc_id: beginning_of(start) for doc_id, start in self._starts(doc_ids)}

    def _starts(self, doc_ids: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Yield ids and the first characters of the JSON of documents with a stored text."""
        start = func.substr(type_coerce(documents.c.content, Text), 1, JSON_PREFIX)
        rows = select(documents.c.doc_id, start)
        wanted = {check_id(doc_id, "doc_id"): None for doc_id in doc_ids}
        with self._database.reading() as connection:
            for some in batches_of(wanted):
                these = rows.where(documents.c.doc_id.in_(some), documents.c.content.is_not(None))
                yield from map(tuple, connection.execute(these))

    def search(self, part: str, *, most: int = 1000) -> list[str]:
        """Return the ids of documents that contain a text, in the order of ids.

        It is searched at the beginning of ids and in titles; in an archive of at most 20,000
        documents also in their texts, where capitals of other alphabets than Latin matter.
        """
        wanted = part.strip()
        if not wanted:
            return []
        c = documents.c
        start = wanted.encode("utf-8", "surrogateescape")
        in_id = type_coerce(c.doc_id, LargeBinary).between(start, start + b"\xff" * 4)
        matching: list[ColumnElement[bool]] = [in_id]
        with self._database.reading() as connection:
            if (connection.scalar(select(func.count()).select_from(documents)) or 0) <= _SEARCHED:
                # As written in the JSON, which is ASCII.
                inside = json.dumps(wanted.lower())[1:-1]
                whole = func.lower(type_coerce(c.content, Text))
                matching.append(whole.contains(inside, autoescape=True))
            rows = select(c.doc_id).where(or_(*matching)).order_by(c.doc_id).limit(most)
            found = set(connection.scalars(rows))
        return sorted(found | set(self.find(wanted, most=most)), key=encode_id)[:most]

    def ids(self, *, after: str | None = None, limit: int = 100) -> Page[str]:
        """Return the ids of documents in the order of their bytes."""
        rows = select(documents.c.doc_id)
        return self._page(
            rows, (documents.c.doc_id,), lambda row: str(row.doc_id), after=after, limit=limit
        )

    def count(self) -> int:
        """Return the number of documents."""
        with self._database.reading() as connection:
            return connection.scalar(select(func.count()).select_from(documents)) or 0

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


class _New(NamedTuple):
    """A document to write."""

    doc_id: str
    hash: str
    content: dict[str, str] | None
    length: int | None


def _checked(new: _New) -> _New:
    check_text(new.hash, f"hash of {new.doc_id}")
    if new.length is not None:
        check_count(new.length, f"length of {new.doc_id}")
        check_length(new.length, f"length of {new.doc_id}")
    return new


def _with_kept_length(new: _New, kept: Row[Any] | None) -> _New:
    """Return a document with the length that it had, if its content has not changed."""
    if new.length is not None or kept is None or kept.hash != new.hash:
        return new
    return new._replace(length=kept.length)


def _has(kept: Row[Any] | None, new: _New) -> bool:
    """Whether a document is already stored; for a hash, whether it matches."""
    if kept is None or (kept.hash, kept.length) != (new.hash, new.length):
        return False
    return new.content is None or new.content == kept.content


def _stored(row: Row[Any]) -> StoredDocument:
    content = row.content or {"title": None, "text": None}
    return StoredDocument(
        row.doc_id, row.hash, content["title"], content["text"], row.updated_at, row.length
    )
