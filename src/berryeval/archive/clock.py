"""The clock of the archive."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime, timedelta, timezone

from sqlalchemy import Column, Connection, func, select

from berryeval.errors import ArgumentError

__all__ = ["backdated", "moment_after", "now"]

_pretended: ContextVar[datetime | None] = ContextVar("pretended", default=None)


def now() -> datetime:
    """Return the current time in UTC, or the one set by `backdated`."""
    return _pretended.get() or datetime.now(timezone.utc)


def moment_after(connection: Connection, column: Column[datetime]) -> datetime:
    """Return the time of a new row: now, but after every other time in the column.

    A clock that is set back must not change the order of runs, nor hide a change from those who
    ask for the newest one.
    """
    moment = now()
    newest: datetime | None = connection.scalar(select(func.max(column)))
    if _pretended.get() is not None or newest is None or newest < moment:
        return moment
    return newest + timedelta(microseconds=1)


@contextmanager
def backdated(moment: datetime) -> Iterator[None]:
    """Date the writes of this thread to another time, for invented data.

    It must be the only thread that writes: with shared commits, one thread writes for all.
    """
    if moment.tzinfo is None:
        raise ArgumentError("moment", "a time with its time zone", repr(moment))
    token = _pretended.set(moment.astimezone(timezone.utc))
    try:
        yield
    finally:
        _pretended.reset(token)
