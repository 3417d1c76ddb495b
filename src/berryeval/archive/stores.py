"""The stores of the service, its search indexes, with their documents."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Row, delete, func, select, update

from berryeval.archive.checks import check_id, check_settings, check_text
from berryeval.archive.clock import moment_after, now
from berryeval.archive.database import batches_of
from berryeval.archive.paging import ArchivePart
from berryeval.archive.records import Page, StoredStore
from berryeval.archive.tables import store_documents, stores
from berryeval.core.documents import Document
from berryeval.errors import ConflictError, NotFoundError

__all__ = ["ArchivedStores"]


class ArchivedStores(ArchivePart):
    """Stores by name: kind, settings, documents, and the summary of the latest evaluation."""

    def create(
        self,
        name: str,
        kind: str,
        settings: Mapping[str, Any] | None = None,
        *,
        replaces: Callable[[StoredStore], bool] = lambda _found: False,
    ) -> bool:
        """Write a store without documents, and return whether it is new.

        Parameters
        ----------
        name, kind, settings
            Its name, what searches it, and the settings of that.
        replaces : callable, optional
            Whether to replace an existing store, which loses its documents and summary.

        Raises
        ------
        ConflictError
            If it exists with another kind or other settings, and is not replaced.
        """
        row = _kind_of(kind, settings or {})
        check_id(name, "name")
        with self._database.writing(alone="documents") as connection:
            found = _get(connection, name)
            if found is not None and replaces(found):
                connection.execute(delete(stores).where(stores.c.name == name))
                found = None
            if found is None:
                self._insert(connection, name, row)
        if found is not None and {"kind": found.kind, "settings": found.settings} != row:
            known = f"{found.kind} {json.dumps(found.settings, sort_keys=True)}"
            expected = f"{kind} {json.dumps(row['settings'], sort_keys=True)}"
            raise ConflictError(f"store {name!r}", expected, known)
        return found is None

    def note_summary(
        self, name: str, kind: str, settings: Mapping[str, Any], summary: Mapping[str, Any]
    ) -> StoredStore:
        """Write the summary of the latest evaluation of a store, which may be a configured one."""
        row = _kind_of(kind, settings)
        noted = {"summary": check_settings(summary, "summary"), "evaluated_at": now()}
        check_id(name, "name")
        with self._database.writing(alone="documents") as connection:
            if _get(connection, name) is None:
                self._insert(connection, name, row)
            connection.execute(update(stores).where(stores.c.name == name).values(row | noted))
            found = _get(connection, name)
        assert found is not None
        return found

    def get(self, name: str) -> StoredStore | None:
        """Return a store; None if it does not exist."""
        rows = select(stores).where(stores.c.name == check_id(name, "name"))
        return self._one(rows, _stored)

    def page(self, *, after: str | None = None, limit: int = 100) -> Page[StoredStore]:
        """Return stores in the order of their names' bytes."""
        keys = (stores.c.name,)
        return self._page(select(stores), keys, _stored, after=after, limit=limit)

    def remove(self, name: str) -> bool:
        """Remove a store with its documents, and return whether it existed; judgments are kept."""
        rows = delete(stores).where(stores.c.name == check_id(name, "name"))
        with self._database.writing() as connection:
            return connection.execute(rows).rowcount > 0

    def put_documents(self, name: str, documents: Iterable[Document]) -> int:
        """Add documents to a store, or replace those with the same id; return their number.

        Raises
        ------
        NotFoundError
            If there is no such store.
        """
        contents = {
            check_id(one.doc_id, "doc_id"): {"title": one.title, "text": one.text}
            for one in documents
        }
        with self._database.writing(alone="documents") as connection:
            self._check_exists(connection, name)
            here = store_documents.c.store == name
            last = select(func.max(store_documents.c.position)).where(here)
            position = connection.scalar(last) or 0
            for doc_ids in batches_of(contents):
                rows = [
                    {"store": name, "doc_id": one, "position": place, "content": contents[one]}
                    for place, one in enumerate(doc_ids, start=position + 1)
                ]
                position += len(rows)
                statement = self._database.insert(store_documents)
                statement = statement.on_conflict_do_update(
                    index_elements=["store", "doc_id"],
                    set_={"content": statement.excluded.content},
                )
                connection.execute(statement, rows)
            _count(connection, name)
        return len(contents)

    def discard_document(self, name: str, doc_id: str) -> bool:
        """Remove a document from a store; return whether it was there.

        Raises
        ------
        NotFoundError
            If there is no such store.
        """
        check_id(doc_id, "doc_id")
        c = store_documents.c
        rows = delete(store_documents).where(c.store == name, c.doc_id == doc_id)
        with self._database.writing(alone="documents") as connection:
            self._check_exists(connection, name)
            is_removed = connection.execute(rows).rowcount > 0
            if is_removed:
                _count(connection, name)
        return is_removed

    def documents(self, name: str) -> list[Document]:
        """Return all documents of a store, in the order in which they were first added."""
        c = store_documents.c
        rows = select(store_documents).where(c.store == name).order_by(c.position)
        with self._database.reading() as connection:
            return list(map(_document, connection.execute(rows)))

    def document_ids(self, name: str) -> list[str]:
        """Return the ids of all documents of a store, in the same order."""
        c = store_documents.c
        rows = select(c.doc_id).where(c.store == name).order_by(c.position)
        with self._database.reading() as connection:
            return list(connection.scalars(rows))

    def find_documents(self, name: str, doc_ids: Sequence[str]) -> dict[str, Document]:
        """Return the documents of a store among the ids, by id."""
        c = store_documents.c
        found: dict[str, Document] = {}
        with self._database.reading() as connection:
            for some in batches_of(doc_ids):
                rows = select(store_documents).where(c.store == name, c.doc_id.in_(some))
                found |= {row.doc_id: _document(row) for row in connection.execute(rows)}
        return found

    def documents_after(self, name: str, doc_id: str, limit: int) -> list[Document]:
        """Return up to `limit` documents after an id, in the order of the ids' bytes."""
        c = store_documents.c
        rows = select(store_documents).where(c.store == name, c.doc_id > doc_id)
        with self._database.reading() as connection:
            return list(map(_document, connection.execute(rows.order_by(c.doc_id).limit(limit))))

    def _insert(self, connection: Connection, name: str, kind: Mapping[str, Any]) -> None:
        moment = moment_after(connection, stores.c.created_at)
        row = {"name": name, **kind, "n_documents": 0, "created_at": moment}
        self._database.insert_new(connection, stores, row)

    @staticmethod
    def _check_exists(connection: Connection, name: str) -> None:
        if _get(connection, name) is None:
            raise NotFoundError("store", name)


def _kind_of(kind: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    return {"kind": check_text(kind, "kind"), "settings": check_settings(settings, "settings")}


def _get(connection: Connection, name: str) -> StoredStore | None:
    row = connection.execute(select(stores).where(stores.c.name == name)).one_or_none()
    return None if row is None else _stored(row)


def _count(connection: Connection, name: str) -> None:
    """Note that the documents of a store have changed, and how many there are."""
    n = select(func.count()).select_from(store_documents).where(store_documents.c.store == name)
    changed = {"n_documents": n.scalar_subquery(), "version": stores.c.version + 1}
    connection.execute(update(stores).where(stores.c.name == name).values(changed))


def _stored(row: Row[Any]) -> StoredStore:
    return StoredStore(**row._mapping)  # noqa: SLF001 - public, but for its name


def _document(row: Row[Any]) -> Document:
    return Document(row.doc_id, row.content["text"], row.content["title"])
