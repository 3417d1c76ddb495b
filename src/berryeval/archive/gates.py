"""The gates of an archive."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Row, delete, select

from berryeval.archive.checks import check_id, check_settings, now
from berryeval.archive.database import Database
from berryeval.archive.paging import read_page
from berryeval.archive.records import Page, StoredGate
from berryeval.archive.tables import gates

__all__ = ["ArchivedGates"]


class ArchivedGates:
    """The settings of gates by name, as JSON holds them. What they mean is their reader's."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, name: str, settings: Mapping[str, Any]) -> StoredGate:
        """Write a gate; one of the same name is replaced, and its verdicts stay."""
        stored = StoredGate(check_id(name, "name"), check_settings(settings, "settings"), now())
        row = {"settings": stored.settings, "updated_at": stored.updated_at}
        with self._database.writing() as connection:
            self._database.upsert(connection, gates, {"name": name}, row)
        return stored

    def get(self, name: str) -> StoredGate | None:
        """Return a gate; None if there is none of this name."""
        rows = select(gates).where(gates.c.name == check_id(name, "name"))
        with self._database.reading() as connection:
            row = connection.execute(rows).one_or_none()
        return None if row is None else _stored(row)

    def page(self, *, after: str | None = None, limit: int = 100) -> Page[StoredGate]:
        """Return gates in the order of their names' bytes."""
        keys = (gates.c.name,)
        with self._database.reading() as connection:
            return read_page(connection, select(gates), keys, _stored, after=after, limit=limit)

    def remove(self, name: str) -> bool:
        """Remove a gate, and tell whether there was one; its verdicts stay."""
        rows = delete(gates).where(gates.c.name == check_id(name, "name"))
        with self._database.writing() as connection:
            return connection.execute(rows).rowcount > 0


def _stored(row: Row[Any]) -> StoredGate:
    return StoredGate(row.name, row.settings, row.updated_at)
