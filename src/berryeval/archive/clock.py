"""The clock of the archive."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime, timezone

from berryeval.errors import ArgumentError

__all__ = ["backdated", "now"]

_pretended: ContextVar[datetime | None] = ContextVar("pretended", default=None)


def now() -> datetime:
    """Return the current time in UTC, or the one set by `backdated`."""
    return _pretended.get() or datetime.now(timezone.utc)


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
