"""The baselines of an archive: names for runs that candidates are held against."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Row, delete, select

from berryeval.archive.checks import check_id, now
from berryeval.archive.database import Database
from berryeval.archive.paging import read_page
from berryeval.archive.records import Page, StoredBaseline
from berryeval.archive.tables import baselines, runs
from berryeval.errors import NotFoundError

__all__ = ["ArchivedBaselines"]


class ArchivedBaselines:
    """Baselines by name. Each is a whole run, so it is scored with any judgments at any depth."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, name: str, run_id: str) -> StoredBaseline:
        """Let a name stand for a run from now on.

        Raises
        ------
        NotFoundError
            If there is no such run.
        """
        stored = StoredBaseline(check_id(name, "name"), check_id(run_id, "run_id"), now())
        row = {"run_id": run_id, "updated_at": stored.updated_at}
        with self._database.writing(alone="runs") as connection:
            if connection.scalar(select(runs.c.run_id).where(runs.c.run_id == run_id)) is None:
                raise NotFoundError("run", run_id)
            self._database.upsert(connection, baselines, {"name": name}, row)
        return stored

    def get(self, name: str) -> StoredBaseline | None:
        """Return a baseline; None if there is none of this name."""
        rows = select(baselines).where(baselines.c.name == check_id(name, "name"))
        with self._database.reading() as connection:
            row = connection.execute(rows).one_or_none()
        return None if row is None else _stored(row)

    def page(self, *, after: str | None = None, limit: int = 100) -> Page[StoredBaseline]:
        """Return baselines in the order of their names' bytes."""
        keys = (baselines.c.name,)
        with self._database.reading() as connection:
            return read_page(connection, select(baselines), keys, _stored, after=after, limit=limit)

    def remove(self, name: str) -> bool:
        """Remove a baseline, and tell whether there was one; its run stays."""
        rows = delete(baselines).where(baselines.c.name == check_id(name, "name"))
        with self._database.writing() as connection:
            return connection.execute(rows).rowcount > 0


def _stored(row: Row[Any]) -> StoredBaseline:
    return StoredBaseline(row.name, row.run_id, row.updated_at)
