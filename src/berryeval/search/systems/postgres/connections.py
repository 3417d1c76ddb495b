"""Connections to PostgreSQL, shared by the searches of a system."""

from __future__ import annotations

import queue
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import ModuleType
from typing import TYPE_CHECKING, Any

from berryeval.errors import MissingExtraError, SystemTimeoutError, SystemUnderTestError
from berryeval.search.limits import seconds_allowed
from berryeval.search.system import System

if TYPE_CHECKING:
    import psycopg

__all__ = ["PostgresConnections"]


class PostgresConnections(System):
    """A system in PostgreSQL: each search has a connection of its own.

    Parameters
    ----------
    dsn : str
        Address of the database.
    timeout : float
        Seconds for a connection, and for a search.

    Raises
    ------
    MissingExtraError
        If psycopg is not installed.
    """

    name = "postgres"

    def __init__(self, dsn: str, timeout: float) -> None:
        self._psycopg = _library()
        self._dsn = dsn
        self.timeout = timeout
        self._idle: queue.LifoQueue[psycopg.Connection[Any]] = queue.LifoQueue()
        self._is_closed = False

    def close(self) -> None:
        """Close the connections. Tables are kept."""
        self._is_closed = True
        self._close_idle()

    @contextmanager
    def _connection(self) -> Iterator[psycopg.Connection[Any]]:
        """Provide an exclusive connection, and map its errors."""
        if self._is_closed:
            raise SystemUnderTestError(self.name, "is closed")
        with self._errors_mapped(seconds_allowed(self.timeout)):
            try:
                connection = self._idle.get_nowait()
            except queue.Empty:
                connection = self._connect()
            try:
                yield connection
            finally:
                self._give_back(connection)

    def _give_back(self, connection: psycopg.Connection[Any]) -> None:
        """Keep a connection for the next search, even if its statement was cancelled."""
        if connection.broken:  # the idle ones are probably broken, too
            self._close_idle()
        is_idle = connection.info.transaction_status == self._psycopg.pq.TransactionStatus.IDLE
        if self._is_closed or not is_idle:
            connection.close()
        else:
            self._idle.put(connection)

    def _close_idle(self) -> None:
        with suppress(queue.Empty):
            while True:
                self._idle.get_nowait().close()

    def _connect(self) -> psycopg.Connection[Any]:
        connection: psycopg.Connection[Any] = self._psycopg.connect(
            self._dsn,
            autocommit=True,
            connect_timeout=max(2, round(seconds_allowed(self.timeout))),
            # Prepared statements would use the same plan for all queries.
            prepare_threshold=None,
        )
        connection.execute(f"SET statement_timeout = {round(self.timeout * 1000)}")
        return connection

    @contextmanager
    def _errors_mapped(self, seconds: float) -> Iterator[None]:
        """Convert errors of psycopg to errors of a system; `seconds` was the time limit."""
        errors = self._psycopg.errors
        try:
            yield
        except (errors.QueryCanceled, errors.ConnectionTimeout) as error:
            raise SystemTimeoutError(self.name, f"no answer within {seconds:.3g} s") from error
        except (errors.OperationalError, errors.InterfaceError) as error:
            raise SystemUnderTestError(
                self.name, self._message_of(error), transient=True
            ) from error
        except self._psycopg.Error as error:
            raise SystemUnderTestError(self.name, self._message_of(error)) from error

    def _message_of(self, error: psycopg.Error) -> str:
        """Return the message of an error, in one line."""
        return str(error).strip().partition("\n")[0] or type(error).__name__


def _library() -> ModuleType:
    try:
        import psycopg
    except ImportError:
        raise MissingExtraError("PostgreSQL as a system", "postgres") from None
    return psycopg
