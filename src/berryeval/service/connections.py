"""Connections of clients: how many there may be, and how slow.

A client that sends half a header, or never reads its response, costs a connection and memory for
as long as it likes. The limits here are those of a service behind a proxy or in a company's
network; for the open internet, the documentation recommends a proxy.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from berryeval.core.events import event_logger

__all__ = ["connection_class"]

_EVENTS_EVERY_SECONDS = 60.0
_REST_SECONDS = 10.0
"""How long the rest of a rejected body is received, and discarded."""
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
        closing = _ClosingLater(transport, self.loop, self._has_more)
        super().connection_made(cast("asyncio.Transport", closing))
        most, header_seconds, _ = self.limits
        if len(self.connections) > most:
            self.logger.warning("too many connections")
            transport.write(_response(503, "Service Unavailable"))
            transport.close()
            return
        self._header_timer = self.loop.call_later(header_seconds, self._give_up)

    def _has_more(self) -> bool:
        """Whether a part of the body has not arrived."""
        return self.conn.their_state is h11.SEND_BODY

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():  # the rest of a rejected body
            return
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


class _ClosingLater:
    """A transport that receives and discards the rest of a body before it is closed.

    A connection that is closed before everything was received is reset, and a client that is
    still sending loses the response: an error of the network instead of 413.

    Parameters
    ----------
    transport : asyncio.Transport
        That of the connection; all else is passed on to it.
    loop : asyncio.AbstractEventLoop
        Its event loop.
    has_more : callable
        Whether a part of the body has not arrived.
    """

    def __init__(
        self,
        transport: asyncio.Transport,
        loop: asyncio.AbstractEventLoop,
        has_more: Callable[[], bool],
    ) -> None:
        self._transport = transport
        self._loop = loop
        self._has_more = has_more
        self._is_closing = False

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever a transport has
        return getattr(self._transport, name)

    def is_closing(self) -> bool:
        """Whether it has been closed, or will be when the rest has arrived."""
        return self._is_closing or self._transport.is_closing()

    def close(self) -> None:
        """Close it, at the latest after some seconds, or when it is closed again."""
        if self._is_closing or not self._has_more() or not self._transport.can_write_eof():
            self._transport.close()
            return
        self._is_closing = True
        self._transport.write_eof()  # the client sees the end of the response
        self._transport.resume_reading()
        self._loop.call_later(_REST_SECONDS, self._transport.close)


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
