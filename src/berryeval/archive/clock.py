"""What time it is for whatever the archive writes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime, timezone

from berryeval.errors import ArgumentError

__all__ = ["backdated", "now"]

_pretended: ContextVar[datetime | None] = ContextVar("pretended", default=None)


def now() -> datetime:
    """Return this moment, in UTC, or the one that `backdated` pretends."""
    return _pretended.get() or datetime.now(timezone.utc)


@contextmanager
def backdated(moment: datetime) -> Iterator[None]:
    """Let what this thread writes be of another moment: for data that is invented.

    The thread has to be the only one that writes: whoever writes for several at once writes all
    of it at its own time.
    """
    if moment.tzinfo is None:
        raise ArgumentError("moment", "a time with its time zone", repr(moment))
    token = _pretended.set(moment.astimezone(timezone.utc))
    try:
        yield
    finally:
        _pretended.reset(token)
