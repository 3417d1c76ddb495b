"""The baselines of an archive: named runs that candidates are compared with."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, Row, delete, select

from berryeval.archive.checks import check_id
from berryeval.archive.clock import moment_after
from berryeval.archive.paging import ArchivePart
from berryeval.archive.records import Check, Page, StoredBaseline
from berryeval.archive.tables import baselines, runs
from berryeval.errors import NotFoundError

__all__ = ["ArchivedBaselines"]


class ArchivedBaselines(ArchivePart):
    """Baselines by name. Each is a whole run, so it is scored with any judgments at any depth."""

    def put(
        self,
        name: str,
        run_id: str,
        *,
        is_release: bool = False,
        check: Check[StoredBaseline] | None = None,
    ) -> StoredBaseline:
        """Set a baseline.

        Parameters
        ----------
        is_release : bool
            Whether the run is a release: the last one is the default anchor of gates.
        check : callable, optional
            Called with the current state, or None, in the same transaction. If it raises, nothing
            is changed.

        Raises
        ------
        NotFoundError
            If there is no such run.
        """
        check_id(name, "name")
        check_id(run_id, "run_id")
        with self._database.writing(alone="runs") as connection:
            moment = moment_after(connection, baselines.c.updated_at)
            stored = StoredBaseline(name, run_id, moment, moment if is_release else None)
            if connection.scalar(select(runs.c.run_id).where(runs.c.run_id == run_id)) is None:
                raise NotFoundError("run", run_id)
            if check is not None:
                check(_get(connection, name))
            self._database.upsert(connection, baselines, "name", [asdict(stored)])
        return stored

    def get(self, name: str) -> StoredBaseline | None:
        """Return a baseline; None if it does not exist."""
        check_id(name, "name")
        with self._database.reading() as connection:
            return _get(connection, name)

    def last_release(self) -> StoredBaseline | None:
        """Return the baseline that was last marked as a release; None without any."""
        newest_first = baselines.c.released_at.desc(), baselines.c.name
        rows = select(baselines).where(baselines.c.released_at.is_not(None)).order_by(*newest_first)
        return self._one(rows.limit(1), _stored)

    def page(self, *, after: str | None = None, limit: int = 100) -> Page[StoredBaseline]:
        """Return baselines in the order of their names' bytes."""
        keys = (baselines.c.name,)
        return self._page(select(baselines), keys, _stored, after=after, limit=limit)

    def remove(self, name: str, *, check: Check[StoredBaseline] | None = None) -> bool:
        """Remove a baseline, and return whether it existed; `check` as for `put`."""
        rows = delete(baselines).where(baselines.c.name == check_id(name, "name"))
        with self._database.writing(alone="runs") as connection:
            if check is not None:
                check(_get(connection, name))
            return connection.execute(rows).rowcount > 0


def _get(connection: Connection, name: str) -> StoredBaseline | None:
    row = connection.execute(select(baselines).where(baselines.c.name == name)).one_or_none()
    return None if row is None else _stored(row)


def _stored(row: Row[Any]) -> StoredBaseline:
    return StoredBaseline(row.name, row.run_id, row.updated_at, row.released_at)
