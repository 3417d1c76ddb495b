"""A database as archives use it: SQLite in one file, or PostgreSQL."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, TypeAlias

from sqlalchemy import URL, Connection, Engine, Table, create_engine, event, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DBAPIError, TimeoutError  # noqa: A004 - no other is meant here

from berryeval.archive.failures import explained
from berryeval.archive.location import Location
from berryeval.errors import ArchiveError, MissingExtraError

__all__ = ["Alone", "Database", "Insert"]

SCHEMA = "berryeval"
"""Where the tables are in PostgreSQL, so that an archive can share a database."""

Alone: TypeAlias = Literal[
    "schema", "judgments", "runs", "verdicts", "queries", "gates", "documents"
]
"""What nobody else may change at the same time. SQLite has one writer at a time anyway."""

_LOCKS: dict[Alone, int] = {
    "schema": 1,
    "judgments": 2,
    "runs": 3,
    "verdicts": 4,
    "queries": 5,
    "gates": 6,
    "documents": 7,
}
_LOCK_SPACE = 0x62657279
"""Keeps our advisory locks apart from those of others in the same database."""

Insert: TypeAlias = "sqlite.Insert | postgresql.Insert"

_MOST_CONNECTIONS = 40
_WRITES = "berryeval_writes"
_LOG_BYTES = 1 << 26
"""What SQLite's log may keep of the disk after a large run went through it."""


class Database:
    """Transactions on an archive's database; whatever goes wrong is an `ArchiveError`.

    Parameters
    ----------
    location : Location
        Which one.
    timeout : float
        Seconds to wait for others that write, and for a server to answer.
    """

    def __init__(self, location: Location, timeout: float) -> None:
        self.location = location
        self.timeout = timeout
        self.is_sqlite = location.path is not None
        self._engine = (
            _sqlite(location, timeout) if self.is_sqlite else _postgres(location, timeout)
        )
        # Threads queue here in turn; SQLite itself lets whoever looks at the right moment go.
        self._one_writer = threading.Lock() if self.is_sqlite else None

    @contextmanager
    def reading(self, *, repeatable: bool = False) -> Iterator[Connection]:
        """Give a connection that sees one state of the database, where that is asked for."""
        with self._explained(), self._engine.connect() as connection:
            if repeatable and not self.is_sqlite:  # SQLite's are always
                connection.execution_options(isolation_level="REPEATABLE READ")
            yield connection

    @contextmanager
    def writing(self, alone: Alone | None = None) -> Iterator[Connection]:
        """Give a connection for a transaction, which is on the disk when the block is left.

        If the block raises, nothing is changed.
        """
        with self._explained(), self._turn(), self._engine.connect() as connection:
            connection.execution_options(**{_WRITES: True})
            with connection.begin():
                if alone is not None and not self.is_sqlite:
                    lock = text("SELECT pg_advisory_xact_lock(:space, :number)")
                    connection.execute(lock, {"space": _LOCK_SPACE, "number": _LOCKS[alone]})
                yield connection

    def insert(self, table: Table) -> Insert:
        """Return an insert that can tell what to do about a row that is there."""
        return sqlite.insert(table) if self.is_sqlite else postgresql.insert(table)

    def insert_new(self, connection: Connection, table: Table, row: Mapping[str, Any]) -> bool:
        """Write a row unless there is one under its keys, and tell whether it is new."""
        statement = self.insert(table).values(**row).on_conflict_do_nothing()
        counted = {"preserve_rowcount": True}
        return connection.execute(statement, execution_options=counted).rowcount > 0

    def upsert(
        self, connection: Connection, table: Table, key: str, rows: Sequence[Mapping[str, Any]]
    ) -> None:
        """Write rows, over those that are there under the same key."""
        statement = self.insert(table)
        new = {name: statement.excluded[name] for name in table.columns.keys() if name != key}  # noqa: SIM118 - no dict
        statement = statement.on_conflict_do_update(index_elements=[key], set_=new)
        if rows:
            connection.execute(statement, rows)

    def size_bytes(self, connection: Connection) -> int:
        """Return how much of the disk it takes."""
        if self.location.path is not None:
            files = [Path(f"{self.location.path}{ending}") for ending in ("", "-wal")]
            return sum(file.stat().st_size for file in files if file.exists())
        return int(connection.scalar(text("SELECT pg_database_size(current_database())")) or 0)

    def problem(self, connection: Connection) -> str | None:
        """Return what is wrong with the file; None if nothing is, or a server takes care."""
        if not self.is_sqlite:
            return None
        found = connection.exec_driver_sql("PRAGMA integrity_check(1)").scalar()
        return None if found == "ok" else str(found)

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    @contextmanager
    def _turn(self) -> Iterator[None]:
        if self._one_writer is None:
            yield
            return
        if not self._one_writer.acquire(timeout=self.timeout):
            raise ArchiveError(self.location.name, _waited(self.timeout), transient=True)
        try:
            yield
        finally:
            self._one_writer.release()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except DBAPIError as error:
            raise explained(error, self.location.name, self.timeout) from error
        except TimeoutError as error:  # every connection is in use
            raise ArchiveError(self.location.name, _waited(self.timeout), transient=True) from error


def _sqlite(location: Location, timeout: float) -> Engine:
    engine = create_engine(
        URL.create("sqlite", database=location.path),
        pool_size=_MOST_CONNECTIONS,
        max_overflow=0,
        pool_timeout=timeout,
        connect_args={"timeout": timeout},
    )

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: object) -> None:  # noqa: ANN401
        connection.isolation_level = None  # we say ourselves when a transaction begins
        for pragma in (
            "journal_mode=WAL",
            "synchronous=FULL",
            "foreign_keys=ON",
            f"journal_size_limit={_LOG_BYTES}",
        ):
            connection.execute(f"PRAGMA {pragma}").close()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        # A reader that begins to write cannot wait for another writer: it would wait for itself.
        is_writing = connection.get_execution_options().get(_WRITES, False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if is_writing else "BEGIN")

    return engine


def _postgres(location: Location, timeout: float) -> Engine:
    try:
        import psycopg
    except ImportError:
        raise MissingExtraError("An archive in PostgreSQL", "postgres") from None

    def connect() -> psycopg.Connection[Any]:
        assert location.dsn is not None
        return psycopg.connect(location.dsn, connect_timeout=max(2, round(timeout)))

    engine = create_engine(
        "postgresql+psycopg://",
        creator=connect,
        pool_size=_MOST_CONNECTIONS // 4,
        max_overflow=_MOST_CONNECTIONS // 4,
        pool_timeout=timeout,
        pool_pre_ping=True,
    )

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: object) -> None:  # noqa: ANN401
        connection.execute(f"SET search_path TO {SCHEMA}")
        connection.execute(f"SET lock_timeout TO {round(timeout * 1000)}")
        connection.execute("SET client_min_messages TO warning")
        # A server may be set up to answer before anything is on the disk.
        connection.execute(
            "SELECT set_config('synchronous_commit', 'on', false) "
            "WHERE current_setting('synchronous_commit') = 'off'"
        )
        connection.commit()

    return engine


def _waited(timeout: float) -> str:
    return f"other clients have been writing for {timeout:g} seconds; try again"
