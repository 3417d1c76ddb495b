"""Connections of clients: how many there may be, and how slow.

A client that sends half a header, or never reads its response, costs a connection and memory for
as long as it likes. The limits here are those of a service behind a proxy or in a company's
network; for the open internet, the documentation recommends a proxy.
"""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from berryeval.core.events import event_logger

__all__ = ["connection_class"]

_EVENTS_EVERY_SECONDS = 60.0
_log = event_logger("berryeval.service")


def connection_class(
    *, most: int, header_seconds: float, reading_seconds: float
) -> type[H11Protocol]:
    """Return a protocol for uvicorn with these limits.

    Parameters
    ----------
    most : int
        Largest number of connections; further ones are closed.
    header_seconds : float
        Seconds in which the headers of a request must arrive.
    reading_seconds : float
        Seconds in which a client must read a part of its response.
    """
    counted = _Counted()

    class Connection(_Connection):
        def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401 - uvicorn's
            super().__init__(*arguments, **options)
            self.logger = counted  # type: ignore[assignment]  # of which only `warning` is called
            self.limits = (most, header_seconds, reading_seconds)

    return Connection


class _Connection(H11Protocol):
    """A connection that is closed if it is one too many, or too slow."""

    limits: tuple[int, float, float]
    _header_timer: asyncio.TimerHandle | None = None
    _reading_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        most, header_seconds, _ = self.limits
        if len(self.connections) > most:
            self.logger.warning("too many connections")
            transport.write(_response(503, "Service Unavailable"))
            transport.close()
            return
        self._header_timer = self.loop.call_later(header_seconds, self._give_up)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        is_waiting = self.conn.their_state is h11.IDLE
        if is_waiting and self._header_timer is None:
            self._header_timer = self.loop.call_later(self.limits[1], self._give_up)
        elif not is_waiting:
            self._header_timer = _cancelled(self._header_timer)

    def connection_lost(self, exc: Exception | None) -> None:
        self._header_timer = _cancelled(self._header_timer)
        self._reading_timer = _cancelled(self._reading_timer)
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._reading_timer = self.loop.call_later(self.limits[2], self._abandon)

    def resume_writing(self) -> None:
        self._reading_timer = _cancelled(self._reading_timer)
        super().resume_writing()

    def _give_up(self) -> None:
        """Close a connection whose request does not arrive."""
        self.logger.warning("slow headers")
        self.transport.write(_response(408, "Request Timeout"))
        self.transport.close()

    def _abandon(self) -> None:
        """Close a connection whose response is not read, with what was not sent yet."""
        self.logger.warning("slow reader")
        self.transport.abort()


def _cancelled(timer: asyncio.TimerHandle | None) -> asyncio.TimerHandle | None:
    """Cancel a timer; return the one that runs now, which is none."""
    if timer is not None:
        timer.cancel()
    return None


def _response(status: int, reason: str) -> bytes:
    head = f"HTTP/1.1 {status} {reason}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
    return head.encode()


class _Counted:
    """Logs how often each kind of bad connection occurred, one line per kind and minute.

    It takes the place of uvicorn's logger, which writes a line of text for every one.
    """

    level = 100
    """Above that of any message which uvicorn asks for."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}

    def warning(self, message: str, *_: object, **__: object) -> None:
        """Count a message. The first is logged at once, the others when their minute ends."""
        if message in self._counts:
            self._counts[message] += 1
            return
        self._counts[message] = 1
        self._log_count(message)

    def _log_count(self, message: str) -> None:
        """Log what was counted in the last minute, and begin the next one."""
        if not self._counts[message]:
            del self._counts[message]
            return
        _log.warning("connections", extra={"reason": message, "count": self._counts[message]})
        self._counts[message] = 0
        loop = asyncio.get_running_loop()
        loop.call_later(_EVENTS_EVERY_SECONDS, self._log_count, message)

    info = debug = log = warning

    def error(self, message: str, *arguments: object, **options: Any) -> None:  # noqa: ANN401
        """Log an error of the application, which is never to be expected."""
        _log.error("server", extra={"error": message % arguments if arguments else message},
                   exc_info=options.get("exc_info"))  # fmt: skip
