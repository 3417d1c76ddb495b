"""A database as archives use it: SQLite in one file, or PostgreSQL."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar, get_args
from zlib import crc32

from sqlalchemy import URL, Connection, Engine, Table, create_engine, event, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DBAPIError, TimeoutError  # noqa: A004 - no other is meant here
from sqlalchemy.pool import ConnectionPoolEntry

from berryeval.archive.failures import explained, unreadable
from berryeval.archive.location import SCHEMA, Location
from berryeval.errors import ArchiveError, BerryEvalError, MissingExtraError

__all__ = ["Alone", "Database", "Insert", "batches_of"]

Alone: TypeAlias = Literal[
    "schema",
    "judgments",
    "runs",
    "verdicts",
    "queries",
    "gates",
    "documents",
    "collections",
    "projects",
    "systems",
]
"""Resources to lock against concurrent changes, by the numbers of their locks, from 1. SQLite has
only one writer at a time."""

_LOCKS = {name: number for number, name in enumerate(get_args(Alone), start=1)}
_LOCK_SPACE = 0x62657279
"""Separates our advisory locks from others in the same database."""

Item = TypeVar("Item")

Insert: TypeAlias = "sqlite.Insert | postgresql.Insert"

_MAX_CONNECTIONS = 40
_KEPT_CONNECTIONS = 4
"""Idle connections to a further collection in PostgreSQL, of which many may be open."""
_AT_ONCE = 500
_WRITES = "berryeval_writes"
_LOG_BYTES = 1 << 26
"""Size to which SQLite's log is truncated after a large write."""


class Database:
    """Transactions on an archive's database; every failure is an `ArchiveError`.

    `timeout` is in seconds: to wait for other writers, and for a server to respond.
    """

    def __init__(self, location: Location, timeout: float) -> None:
        self.location = location
        self.timeout = timeout
        self.is_sqlite = location.path is not None
        self._lock_space = _lock_space(location)
        self._engine = (
            _sqlite(location, timeout) if self.is_sqlite else _postgres(location, timeout)
        )
        # Threads queue here in order; SQLite itself is not fair.
        self._one_writer = threading.Lock() if self.is_sqlite else None
        self._is_closed = False
        event.listen(self._engine, "checkin", self._close_late)

    @contextmanager
    def reading(self, *, repeatable: bool = False) -> Iterator[Connection]:
        """Return a connection for reading, with a consistent snapshot on request."""
        with self._explained(), self._engine.connect() as connection:
            if repeatable and not self.is_sqlite:  # in SQLite, reads always are
                connection.execution_options(isolation_level="REPEATABLE READ")
            yield connection

    @contextmanager
    def writing(self, alone: Alone | None = None) -> Iterator[Connection]:
        """Return a connection for a transaction, which is on disk after the block.

        If the block raises, nothing is changed.
        """
        with self._explained(), self._turn(), self._engine.connect() as connection:
            connection.execution_options(**{_WRITES: True})
            with connection.begin():
                if alone is not None and not self.is_sqlite:
                    lock = text("SELECT pg_advisory_xact_lock(:space, :number)")
                    connection.execute(lock, {"space": self._lock_space, "number": _LOCKS[alone]})
                yield connection

    def insert(self, table: Table) -> Insert:
        """Return an insert that supports conflict clauses."""
        return sqlite.insert(table) if self.is_sqlite else postgresql.insert(table)

    def insert_new(self, connection: Connection, table: Table, row: Mapping[str, Any]) -> bool:
        """Write a row unless its key exists, and return whether it is new."""
        statement = self.insert(table).values(**row).on_conflict_do_nothing()
        counted = {"preserve_rowcount": True}
        return connection.execute(statement, execution_options=counted).rowcount > 0

    def upsert(
        self, connection: Connection, table: Table, key: str, rows: Sequence[Mapping[str, Any]]
    ) -> None:
        """Write rows, replacing those with the same key."""
        statement = self.insert(table)
        new = {name: statement.excluded[name] for name in table.columns.keys() if name != key}  # noqa: SIM118 - no dict
        statement = statement.on_conflict_do_update(index_elements=[key], set_=new)
        if rows:
            connection.execute(statement, rows)

    def size_bytes(self, connection: Connection) -> int:
        """Return its size on disk."""
        if self.location.path is not None:
            files = [Path(f"{self.location.path}{ending}") for ending in ("", "-wal")]
            return sum(file.stat().st_size for file in files if file.exists())
        return int(connection.scalar(text("SELECT pg_database_size(current_database())")) or 0)

    def problem(self, connection: Connection) -> str | None:
        """Return the damage of the file in one line; None if it is intact or on a server."""
        if not self.is_sqlite:
            return None
        found = str(connection.exec_driver_sql("PRAGMA integrity_check(1)").scalar())
        if found == "ok":
            return None
        # Damaged pages are listed below a line with the name of the database, which is ours.
        lines = [line for line in found.splitlines() if not line.startswith("***")]
        return "; ".join(lines) or found

    def close(self) -> None:
        """Close all connections; those in use are closed when their block ends."""
        self._is_closed = True
        self._engine.dispose()

    def _close_late(self, _connection: object, record: ConnectionPoolEntry) -> None:
        if self._is_closed:  # its pool no longer exists
            record.invalidate()

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
        except BerryEvalError:
            raise
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            # Everything in it was written by BerryEval, so an invalid value means damage.
            raise unreadable(error, self.location.name) from error


def _lock_space(location: Location) -> int:
    """Return the first number of advisory locks, so that collections do not wait for one another.

    If two have the same by chance, they do.
    """
    return _LOCK_SPACE if location.schema == SCHEMA else crc32(location.schema.encode()) >> 1


def _sqlite(location: Location, timeout: float) -> Engine:
    engine = create_engine(
        URL.create("sqlite", database=location.path),
        pool_size=_MAX_CONNECTIONS,
        max_overflow=0,
        pool_timeout=timeout,
        connect_args={"timeout": timeout},
    )

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: object) -> None:  # noqa: ANN401
        connection.isolation_level = None  # transactions are started explicitly
        for pragma in (
            "journal_mode=WAL",
            "synchronous=FULL",
            "foreign_keys=ON",
            f"journal_size_limit={_LOG_BYTES}",
        ):
            connection.execute(f"PRAGMA {pragma}").close()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        # A reader that starts to write cannot wait for another writer without a deadlock.
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
        pool_size=_MAX_CONNECTIONS // 4 if location.schema == SCHEMA else _KEPT_CONNECTIONS,
        max_overflow=_MAX_CONNECTIONS // 4,
        pool_timeout=timeout,
        pool_pre_ping=True,
    )

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: object) -> None:  # noqa: ANN401
        connection.execute(f"SET search_path TO {location.schema}")
        connection.execute(f"SET lock_timeout TO {round(timeout * 1000)}")
        connection.execute("SET client_min_messages TO warning")
        # A server may be configured to respond before anything is on disk.
        connection.execute(
            "SELECT set_config('synchronous_commit', 'on', false) "
            "WHERE current_setting('synchronous_commit') = 'off'"
        )
        connection.commit()

    return engine


def _waited(timeout: float) -> str:
    return f"other clients have been writing for {timeout:g} seconds; try again"


def batches_of(items: Iterable[Item]) -> Iterator[list[Item]]:
    """Iterate over lists of up to 500 items: a statement has a limited number of parameters."""
    rest = iter(items)
    while batch := list(islice(rest, _AT_ONCE)):
        yield batch
