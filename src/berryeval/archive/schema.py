"""Creates and upgrades the schema of an archive."""

from __future__ import annotations

import importlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, String, column, inspect, select, table, text

from berryeval.archive import tables
from berryeval.archive.database import Database
from berryeval.errors import ArchiveError, MissingExtraError

if TYPE_CHECKING:
    from alembic.runtime.migration import MigrationContext, RevisionStep

__all__ = ["VERSION_TABLE", "migrate", "newest_version", "version_of"]

VERSION_TABLE = "archive_version"

_MIGRATIONS = Path(__file__).parent / "migrations"
"""Upgrades in files called ``v0001_first.py`` by their version. Alembic applies them, and is
imported only then: it would double the time in which an archive is opened."""


def migrate(database: Database, *, create: bool = True) -> None:
    """Create the tables of a new archive, or upgrade those of an older one.

    Completely or not at all; if several processes try at once, one does it. Raises `ArchiveError`
    if a newer version created the archive, if the file is another database, or if there is no
    archive and none may be created.
    """
    with database.reading() as connection:
        found = version_of(connection)
    if found == newest_version():
        return
    if found is None and not create:
        raise ArchiveError(database.location.name, "there is no archive in it")
    _load_alembic()  # before others have to wait
    with database.writing(alone="schema") as connection:
        if not database.is_sqlite:
            _make_schema(connection, database.location.schema)
        found = version_of(connection)
        _check(database, connection, found)
        if found != newest_version():
            _upgrade(connection)


def version_of(connection: Connection) -> str | None:
    """Return the version of an archive's schema; None if it has no tables yet."""
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    stored = select(column("version_num", String)).select_from(table(VERSION_TABLE))
    versions = connection.scalars(stored).all()
    if len(versions) > 1:
        raise ValueError(f"versions {', '.join(versions)}, where there can be only one")
    return versions[0] if versions else None


def newest_version() -> str:
    """Return the newest supported version of the schema."""
    return max(_versions())


@cache
def _versions() -> frozenset[str]:
    return frozenset(
        path.name[1:].partition("_")[0] for path in (_MIGRATIONS / "versions").glob("v*.py")
    )


def _check(database: Database, connection: Connection, found: str | None) -> None:
    name = database.location.name
    if found is not None and found not in _versions():
        message = (
            f"expected an archive of version {newest_version()} or older, found {found}: a newer "
            "berryeval created it; upgrade berryeval"
        )
        raise ArchiveError(name, message)
    others = set(inspect(connection).get_table_names()) - {VERSION_TABLE}
    if found is None and others:
        shown = ", ".join(sorted(others)[:3])
        message = f"is not a BerryEval database (it has the tables {shown}); choose another"
        raise ArchiveError(name, message)


def _make_schema(connection: Connection, name: str) -> None:
    # Checked first: "create if not exists" requires a privilege even if it exists.
    exists = text("SELECT 1 FROM pg_namespace WHERE nspname = :name")
    if connection.scalar(exists, {"name": name}) is None:
        connection.execute(text(f"CREATE SCHEMA {name}"))


def _load_alembic() -> None:
    try:
        importlib.import_module("alembic.runtime.environment")
    except ModuleNotFoundError:
        raise MissingExtraError("The archive", "archive") from None


def _upgrade(connection: Connection) -> None:
    from alembic.config import Config
    from alembic.runtime.environment import EnvironmentContext
    from alembic.script import ScriptDirectory

    scripts = ScriptDirectory(str(_MIGRATIONS))

    def steps(revision: str, _context: MigrationContext) -> list[RevisionStep]:
        return scripts._upgrade_revs("head", revision)  # noqa: SLF001 - as alembic's own command

    with EnvironmentContext(Config(), scripts, fn=steps) as environment:
        environment.configure(
            connection=connection,
            target_metadata=tables.metadata,
            version_table=VERSION_TABLE,
            transactional_ddl=True,
        )
        environment.run_migrations()
