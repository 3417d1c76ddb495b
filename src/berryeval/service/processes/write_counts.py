"""How often each worker has written, in memory that all workers see.

Some answers of the archive are cached for a second, since getting them takes longer than using
them. The next request must see what another worker has written: a worker counts its writes before
it responds, and the others compare the counts before each request.
"""

from __future__ import annotations

import mmap
import struct
import threading
from collections.abc import Callable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["SLOT_BYTES", "SharedWrites", "WriteCounts"]

_COUNT = struct.Struct("=Q")
SLOT_BYTES = _COUNT.size

_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_REJECTED = range(400, 500)
_BY_REVISION = ("/v1/judgments", "/judge/", "/judgments/")
"""Beginnings of paths that write only judgments, whose revision every request checks."""


class WriteCounts:
    """The counts of all workers; each changes only its own.

    Parameters
    ----------
    shared : mmap
        One number per worker.
    number : int
        Number of this worker.
    """

    def __init__(self, shared: mmap.mmap, number: int) -> None:
        self._shared = shared
        self._start = number * SLOT_BYTES
        self._lock = threading.Lock()
        self._seen = bytes(shared)

    def note(self) -> None:
        """Count a write of this worker."""
        with self._lock:
            (count,) = _COUNT.unpack_from(self._shared, self._start)
            _COUNT.pack_into(self._shared, self._start, count + 1)

    def has_news(self) -> bool:
        """Whether another worker has written since the last call."""
        now = self._shared[:]
        own = slice(self._start, self._start + SLOT_BYTES)
        before, self._seen = self._seen, now
        return before[: own.start] + before[own.stop :] != now[: own.start] + now[own.stop :]


class SharedWrites:
    """Let other workers see what a request has written, and this one what they have.

    Parameters
    ----------
    app : ASGIApp
        The wrapped application.
    writes : WriteCounts
        Write counts of all workers.
    forget : callable
        Drops everything that is cached without checking the archive.
    """

    def __init__(self, app: ASGIApp, writes: WriteCounts, forget: Callable[[], None]) -> None:
        self._app = app
        self._writes = writes
        self._forget = forget

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and count it if it may have written."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if self._writes.has_news():
            self._forget()
        if scope["method"] in _SAFE or scope["path"].startswith(_BY_REVISION):
            await self._app(scope, receive, send)
            return

        async def counting_send(message: Message) -> None:
            # A rejected request has written nothing: callers without access cannot empty caches.
            if message["type"] == "http.response.start" and message["status"] not in _REJECTED:
                self._writes.note()
            await send(message)

        await self._app(scope, receive, counting_send)
