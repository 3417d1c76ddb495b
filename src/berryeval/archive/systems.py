"""The search systems that administrators have registered, with their credentials."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from sqlalchemy import Row, delete, select

from berryeval.archive.checks import check_id, check_settings
from berryeval.archive.clock import now
from berryeval.archive.paging import ArchivePart
from berryeval.archive.records import Page, RegisteredSystem
from berryeval.archive.tables import systems

__all__ = ["ArchivedSystems"]


class ArchivedSystems(ArchivePart):
    """Registered systems by name. Exports leave them out, since they contain credentials."""

    def put(
        self,
        name: str,
        place: str,
        settings: Mapping[str, str],
        secrets: Mapping[str, str],
        *,
        author: str,
    ) -> tuple[RegisteredSystem, bool]:
        """Write a system; return it, and whether it is new.

        One of the same name is replaced with its credentials: those of one address are never
        sent to another.
        """
        stored = RegisteredSystem(
            check_id(name, "name"),
            check_id(place, "system"),
            check_settings(settings, "settings"),
            check_settings(secrets, "secrets"),
            check_id(author, "author"),
            now(),
        )
        known = select(systems.c.name).where(systems.c.name == name)
        with self._database.writing(alone="systems") as connection:
            is_new = connection.scalar(known) is None
            self._database.upsert(connection, systems, "name", [asdict(stored)])
        return stored, is_new

    def get(self, name: str) -> RegisteredSystem | None:
        """Return a system; None if it does not exist."""
        rows = select(systems).where(systems.c.name == check_id(name, "name"))
        return self._one(rows, _registered)

    def page(self, *, after: str | None = None, limit: int = 100) -> Page[RegisteredSystem]:
        """Return systems in the order of their names' bytes."""
        keys = (systems.c.name,)
        return self._page(select(systems), keys, _registered, after=after, limit=limit)

    def remove(self, name: str) -> bool:
        """Remove a system, and return whether it existed."""
        rows = delete(systems).where(systems.c.name == check_id(name, "name"))
        with self._database.writing(alone="systems") as connection:
            return connection.execute(rows).rowcount > 0


def _registered(row: Row[Any]) -> RegisteredSystem:
    return RegisteredSystem(**row._mapping)  # noqa: SLF001 - public, but for its name
