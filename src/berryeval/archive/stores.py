"""The records of the service's stores, its search indexes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Row, delete, select, update

from berryeval.archive.checks import check_count, check_id, check_settings, check_text
from berryeval.archive.clock import now
from berryeval.archive.database import Database
from berryeval.archive.paging import read_page
from berryeval.archive.records import Page, StoredStore
from berryeval.archive.tables import stores
from berryeval.errors import NotFoundError

__all__ = ["ArchivedStores"]


class ArchivedStores:
    """Stores by name: kind, settings, number of documents, and the latest summary."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, name: str, kind: str, settings: Mapping[str, Any] | None = None) -> StoredStore:
        """Write a store; documents and summary of an existing one are kept."""
        check_id(name, "name")
        row = {
            "kind": check_text(kind, "kind"),
            "settings": check_settings(settings or {}, "settings"),
        }
        new = {"n_documents": 0, "created_at": now()}
        with self._database.writing() as connection:
            statement = self._database.insert(stores).values(name=name, **new, **row)
            connection.execute(statement.on_conflict_do_update(index_elements=["name"], set_=row))
            found = connection.execute(select(stores).where(stores.c.name == name)).one()
        return _stored(found)

    def note(
        self,
        name: str,
        *,
        n_documents: int | None = None,
        summary: Mapping[str, Any] | None = None,
    ) -> StoredStore:
        """Write the number of documents of a store, or the summary of its latest evaluation.

        Raises
        ------
        NotFoundError
            If there is no such store.
        """
        check_id(name, "name")
        row: dict[str, Any] = {}
        if n_documents is not None:
            row["n_documents"] = check_count(n_documents, "n_documents")
        if summary is not None:
            row |= {"summary": check_settings(summary, "summary"), "evaluated_at": now()}
        with self._database.writing() as connection:
            if row:
                connection.execute(update(stores).where(stores.c.name == name).values(row))
            found = connection.execute(select(stores).where(stores.c.name == name)).one_or_none()
        if found is None:
            raise NotFoundError("store", name)
        return _stored(found)

    def get(self, name: str) -> StoredStore | None:
        """Return a store; None if it does not exist."""
        rows = select(stores).where(stores.c.name == check_id(name, "name"))
        with self._database.reading() as connection:
            row = connection.execute(rows).one_or_none()
        return None if row is None else _stored(row)

    def page(self, *, after: str | None = None, limit: int = 100) -> Page[StoredStore]:
        """Return stores in the order of their names' bytes."""
        keys = (stores.c.name,)
        with self._database.reading() as connection:
            return read_page(connection, select(stores), keys, _stored, after=after, limit=limit)

    def remove(self, name: str) -> bool:
        """Remove a store, and return whether it existed; judgments are kept."""
        rows = delete(stores).where(stores.c.name == check_id(name, "name"))
        with self._database.writing() as connection:
            return connection.execute(rows).rowcount > 0


def _stored(row: Row[Any]) -> StoredStore:
    return StoredStore(**row._mapping)  # noqa: SLF001 - public, but for its name
