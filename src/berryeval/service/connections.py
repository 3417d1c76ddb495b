"""Limits on the number of connections of clients, and on how slow they may be.

A client that sends half a header, or never reads its response, costs a connection and memory for
as long as it likes. The limits here are those of a service behind a proxy or in a company's
network; for the open internet, the documentation recommends a proxy.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any, cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from berryeval.core.events import event_logger
from berryeval.service.processes.handover import Handover

__all__ = ["Connection", "connection_class"]

_EVENTS_EVERY_SECONDS = 60.0
_REST_SECONDS = 10.0
"""Seconds for which the rest of a rejected body is received and discarded."""
_HEAD_BYTES = 64 << 10
"""Longer headers are not completed before they are parsed, which rejects them."""
_SECONDS_BETWEEN_ATTEMPTS = 0.01
_SECONDS_BEFORE_MAKING_WAY = 0.1
_IDLE = {h11.CLIENT: h11.IDLE, h11.SERVER: h11.IDLE}
_log = event_logger("berryeval.service")


def connection_class(
    *, most: int, header_seconds: float, reading_seconds: float, handover: Handover | None = None
) -> type[Connection]:
    """Return a protocol for uvicorn with these limits.

    Parameters
    ----------
    most : int
        Largest number of connections. An additional one replaces the connection whose headers
        have been incomplete for longest, or else the one that has been idle for longest; if
        every connection is in use, the additional one is closed.
    header_seconds : float
        Seconds within which the headers of a request must arrive.
    reading_seconds : float
        Seconds within which a client must read a part of its response.
    handover : Handover, optional
        Passes connections on to other workers, if there are any.
    """
    counted = _Counted()
    waiting = _Waiting()

    class LimitedConnection(Connection):
        def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401 - uvicorn's
            super().__init__(*arguments, **options)
            self.logger = counted  # type: ignore[assignment]  # of which only `warning` is called
            self.limits = (most, header_seconds, reading_seconds)
            self.waiting = waiting
            self.handover = handover
            self.home = 0 if handover is None else handover.number

    return LimitedConnection


class Connection(H11Protocol):
    """A connection that is closed if it is one too many, or too slow."""

    limits: tuple[int, float, float]
    waiting: _Waiting
    handover: Handover | None
    home: int
    """The worker that accepted it."""
    received = b""
    """Bytes that another worker has read, or the beginning of a request's headers."""
    _header_timer: asyncio.TimerHandle | None = None
    _reading_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Accept the connection, unless it is one too many."""
        closing = _ClosingLater(transport, self.loop, self._has_more)
        super().connection_made(cast("asyncio.Transport", closing))
        if len(self.connections) > self.limits[0]:
            self.logger.warning("too many connections")
            if len(self.connections) - self.waiting.number > self.limits[0]:
                self.make_way()
                return
            # Not at once: the request of one that was accepted with it may not have been read.
            self.loop.call_later(_SECONDS_BEFORE_MAKING_WAY, self._replace_unused)
        self._expect_headers()
        if self.received:
            self.data_received(b"")

    def _replace_unused(self) -> None:
        """Close the connection that has waited longest, if there are still too many."""
        unused = self.waiting.longest()
        if len(self.connections) > self.limits[0] and unused is not None:
            unused.make_way()

    def make_way(self) -> None:
        """Close it to make room for another connection."""
        if self not in self.waiting.for_next:  # an idle client would take it for the next response
            self.transport.write(_response(503, "Service Unavailable"))
        self.connections.discard(self)
        self._stop_waiting()
        self.transport.close()

    def _has_more(self) -> bool:
        """Whether a part of the body has not arrived."""
        return self.conn.their_state is h11.SEND_BODY

    def data_received(self, data: bytes) -> None:
        """Continue a request, or pass a new one on to the worker that can answer it."""
        if self.transport.is_closing():  # the rest of a rejected body
            return
        self.waiting.for_next.pop(self, None)
        if self.handover is not None and self.conn.states == _IDLE:
            self._unset_keepalive_if_required()
            data = self.received + data
            head, is_complete, _ = data.partition(b"\r\n\r\n")
            if not is_complete and len(data) < _HEAD_BYTES:
                self.received = data
                self._expect_headers()
                return
            self.received = b""
            target = self.handover.target_of(head, self.home)
            if target != self.handover.number:
                self._headers_arrived()
                self.transport.pause_reading()
                self._pass_on(self.handover, target, data, self.limits[1])
                return
        super().data_received(data)
        if self.conn.their_state is h11.IDLE:
            self._expect_headers()
        else:
            self._headers_arrived()

    def on_response_complete(self) -> None:
        """Wait for the next request, unless it has arrived."""
        super().on_response_complete()
        if self.conn.states == _IDLE and self._header_timer is None:
            self.waiting.for_next[self] = None

    def _expect_headers(self) -> None:
        """Give up if the headers of a request do not arrive in time."""
        if self._header_timer is None:
            self._header_timer = self.loop.call_later(self.limits[1], self._give_up)
            self.waiting.for_headers[self] = None

    def _headers_arrived(self) -> None:
        self._header_timer = _cancelled(self._header_timer)
        self.waiting.for_headers.pop(self, None)

    def _pass_on(self, handover: Handover, target: int, content: bytes, seconds: float) -> None:
        """Send the connection to another worker; try again while that one is busy."""
        if self.transport.is_closing():
            return
        descriptor = self.transport.get_extra_info("socket").fileno()
        if handover.send(target, descriptor, self.home, content):
            self.transport.abort()  # closes only this worker's descriptor
        elif seconds > 0:
            left = seconds - _SECONDS_BETWEEN_ATTEMPTS
            again = partial(self._pass_on, handover, target, content, left)
            self.loop.call_later(_SECONDS_BETWEEN_ATTEMPTS, again)
        else:
            self.logger.warning("busy worker")
            self.transport.write(_response(503, "Service Unavailable"))
            self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """End, with its timers."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _stop_waiting(self) -> None:
        self._headers_arrived()
        self.waiting.for_next.pop(self, None)
        self._reading_timer = _cancelled(self._reading_timer)

    def pause_writing(self) -> None:
        """Wait until the client has read a part of its response."""
        super().pause_writing()
        self._reading_timer = self.loop.call_later(self.limits[2], self._abandon)

    def resume_writing(self) -> None:
        """Send the rest of the response."""
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


class _Waiting:
    """Connections that wait for a request, each kind in the order in which they began to wait."""

    def __init__(self) -> None:
        self.for_headers: dict[Connection, None] = {}
        """Connections whose first request, or a part of a request's headers, has not arrived."""
        self.for_next: dict[Connection, None] = {}
        """Connections that have been idle since their last response."""

    @property
    def number(self) -> int:
        """The number of waiting connections."""
        return len(self.for_headers) + len(self.for_next)

    def longest(self) -> Connection | None:
        """Return the one that has waited longest, preferably for headers; None if none waits."""
        return next(iter(self.for_headers or self.for_next), None)


class _ClosingLater:
    """A transport that receives and discards the rest of a body before it is closed.

    A connection that is closed before everything was received is reset, and a client that is
    still sending loses the response: it sees a network error instead of 413.

    Parameters
    ----------
    transport : asyncio.Transport
        The transport of the connection; all other calls are passed on to it.
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
        """Close it when the rest has arrived, after some seconds, or when it is closed again."""
        if self._is_closing or not self._has_more() or not self._transport.can_write_eof():
            self._transport.close()
            return
        self._is_closing = True
        self._transport.write_eof()  # the client sees the end of the response
        self._transport.resume_reading()
        self._loop.call_later(_REST_SECONDS, self._transport.close)


def _cancelled(timer: asyncio.TimerHandle | None) -> asyncio.TimerHandle | None:
    """Cancel a timer, and return None, which takes its place."""
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
    """Above the level of any message that uvicorn logs."""

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
        """Log the counts of the last minute, and begin the next one."""
        if not self._counts[message]:
            del self._counts[message]
            return
        _log.warning("connections", extra={"reason": message, "count": self._counts[message]})
        self._counts[message] = 0
        loop = asyncio.get_running_loop()
        loop.call_later(_EVENTS_EVERY_SECONDS, self._log_count, message)

    info = debug = log = warning

    def error(self, message: str, *arguments: object, **options: Any) -> None:  # noqa: ANN401
        """Log an error of the application, which is always unexpected."""
        _log.error("server", extra={"error": message % arguments if arguments else message},
                   exc_info=options.get("exc_info"))  # fmt: skip
