"""Limits on the size and the duration of requests."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from berryeval.service.body_limits import most_bytes
from berryeval.service.problems import Problem
from berryeval.service.settings import ServiceSettings

__all__ = ["Limits"]

_SLOWEST = 16 << 10
"""Bytes per second that a body must have on average, after the first timeout."""

_CLOSE = {"Connection": "close"}


class Limits:
    """Return 413 for bodies that are too large, and 408 or 504 if something takes too long.

    Parameters
    ----------
    app : ASGIApp
        The wrapped application.
    settings : ServiceSettings
        The limits.
    answer_to : callable
        Returns the response for a problem, as a page or JSON.
    """

    def __init__(
        self,
        app: ASGIApp,
        settings: ServiceSettings,
        answer_to: Callable[[Scope, Problem], Response],
    ) -> None:
        self._app = app
        self._settings = settings
        self._answer_to = answer_to

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, within both limits."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        most = most_bytes(scope["method"], scope["path"], self._settings)
        headers = Headers(scope=scope)
        _check_length(headers.get("content-length"), most)
        watch = _Watch(scope, receive, send, most, self._settings.timeout, self._answer_to)
        watch.is_received = not ("content-length" in headers or "transfer-encoding" in headers)
        try:
            await self._app(scope, watch.receive, watch.send)
        finally:
            await watch.close()


class _Watch:
    """One request: the bytes received, and the time since the first and the last of them."""

    def __init__(
        self,
        scope: Scope,
        receive: Receive,
        send: Send,
        most: int,
        seconds: float,
        answer_to: Callable[[Scope, Problem], Response],
    ) -> None:
        self._scope = scope
        self._receive = receive
        self._send = send
        self._most = most
        self._seconds = seconds
        self._answer_to = answer_to
        self._n_bytes = 0
        self._began = time.monotonic()
        self.is_received = False
        """Whether the whole body was received."""
        self._is_answered = False
        self._is_late = False
        self._late: asyncio.Task[None] | None = None
        self._timer = self._start_timer()

    def _start_timer(self) -> asyncio.TimerHandle:
        # For routes that can return partial results.
        self._scope.setdefault("state", {})["deadline"] = time.monotonic() + self._seconds
        return asyncio.get_running_loop().call_later(self._seconds, self._give_up)

    async def close(self) -> None:
        """Stop the timer; a response that has started is sent completely."""
        self._timer.cancel()
        if self._late is not None:
            await self._late

    async def receive(self) -> Message:
        """Receive a message, and count its bytes."""
        message = await self._receive()
        if message["type"] == "http.request":
            self._n_bytes += len(message.get("body", b""))
            self.is_received = not message.get("more_body", False)
            if self._n_bytes > self._most:
                raise _too_large(self._n_bytes, self._most)
            if time.monotonic() > self._began + self._seconds + self._n_bytes / _SLOWEST:
                raise _too_slow_body(self._n_bytes)
            if not self._is_answered:
                self._timer.cancel()
                self._timer = self._start_timer()
        return message

    async def send(self, message: Message) -> None:
        """Pass a response on, unless another one was already sent."""
        if self._is_late:
            return
        self._is_answered = True
        self._timer.cancel()  # a response that has started may take long, such as events
        await self._send(message)

    def _give_up(self) -> None:
        # A thread cannot be stopped; it continues, and its response is discarded.
        self._is_late = self._is_answered = True
        self._late = asyncio.ensure_future(self._answer_late())

    async def _answer_late(self) -> None:
        problem = _too_slow(self._seconds) if self.is_received else _stalled(self._seconds)
        response = self._answer_to(self._scope, problem)
        await response(self._scope, self._receive, self._send)


def _too_slow(seconds: float) -> Problem:
    return Problem(
        504,
        f"no response within {seconds:g} seconds; the request may still be completed",
        kind="timeout",
        headers=_CLOSE,
        expected=f"a response within {seconds:g} seconds",
        way_out="run it as a job with the header Prefer: respond-async",
    )


def _stalled(seconds: float) -> Problem:
    return Problem(
        408,
        f"no part of the body arrived for {seconds:g} seconds; nothing was stored",
        kind="stalled",
        headers=_CLOSE,
        where="body",
        expected="the next part of the body",
        found="nothing",
    )


def _too_slow_body(n_bytes: int) -> Problem:
    expected = f"at least {_SLOWEST:,} bytes per second"
    return Problem(
        408,
        f"the body arrived too slowly, {n_bytes:,} bytes so far: expected {expected}; "
        "nothing was stored",
        kind="stalled",
        headers=_CLOSE,
        where="body",
        expected=expected,
        found="fewer",
    )


def _check_length(header: str | None, most: int) -> None:
    if header is not None and header.isdecimal() and int(header) > most:
        raise _too_large(int(header), most)


def _too_large(n_bytes: int, most: int) -> Problem:
    return Problem(
        413,
        f"the body has more than {most:,} bytes; send less at once, or raise the server's limit",
        kind="too-large",
        headers=_CLOSE,
        where="body",
        expected=f"at most {most} bytes",
        found=f"{n_bytes} or more",
        way_out="send less at once, or raise the server's limit",
    )
