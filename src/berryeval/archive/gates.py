"""The gates of an archive."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, Row, delete, select

from berryeval.archive.checks import check_id, check_settings
from berryeval.archive.clock import now
from berryeval.archive.database import Database
from berryeval.archive.paging import read_page
from berryeval.archive.records import Check, Page, StoredGate
from berryeval.archive.tables import gates

__all__ = ["ArchivedGates"]


class ArchivedGates:
    """The settings of gates by name, as JSON, which the archive does not interpret."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(
        self, name: str, settings: Mapping[str, Any], *, check: Check[StoredGate] | None = None
    ) -> StoredGate:
        """Write a gate; one of the same name is replaced, and its verdicts are kept.

        Parameters
        ----------
        check : callable, optional
            Called with the current state, or None, in the same transaction. If it raises, nothing
            is changed.
        """
        stored = StoredGate(check_id(name, "name"), check_settings(settings, "settings"), now())
        with self._database.writing(alone="gates") as connection:
            if check is not None:
                check(_get(connection, name))
            self._database.upsert(connection, gates, "name", [asdict(stored)])
        return stored

    def get(self, name: str) -> StoredGate | None:
        """Return a gate; None if it does not exist."""
        check_id(name, "name")
        with self._database.reading() as connection:
            return _get(connection, name)

    def page(self, *, after: str | None = None, limit: int = 100) -> Page[StoredGate]:
        """Return gates in the order of their names' bytes."""
        keys = (gates.c.name,)
        with self._database.reading() as connection:
            return read_page(connection, select(gates), keys, _stored, after=after, limit=limit)

    def remove(self, name: str, *, check: Check[StoredGate] | None = None) -> bool:
        """Remove a gate, and return whether it existed; `check` as for `put`. Verdicts are kept."""
        rows = delete(gates).where(gates.c.name == check_id(name, "name"))
        with self._database.writing(alone="gates") as connection:
            if check is not None:
                check(_get(connection, name))
            return connection.execute(rows).rowcount > 0


def _get(connection: Connection, name: str) -> StoredGate | None:
    row = connection.execute(select(gates).where(gates.c.name == name)).one_or_none()
    return None if row is None else _stored(row)


def _stored(row: Row[Any]) -> StoredGate:
    return StoredGate(row.name, row.settings, row.updated_at)
