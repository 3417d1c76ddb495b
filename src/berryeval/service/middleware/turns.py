"""A few pages at a time: threads that compute at the same time only slow one another down.

Python runs one of them at once. If pages took a thread each, a judgment, which takes milliseconds,
would share the processor with all of them.
"""

from __future__ import annotations

import asyncio

from anyio.lowlevel import RunVar
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["AT_ONCE", "Turns"]

AT_ONCE = 4
"""Pages that are computed at the same time."""

_turns: RunVar[asyncio.Semaphore] = RunVar("berryeval_page_turns")

_NO_PAGES = ("/v1/", "/assets/", "/healthz", "/readyz", "/metrics", "/login")
"""Beginnings of paths that never wait."""


class Turns:
    """Let requests for pages wait for their turn; everything else passes."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, in its turn."""
        if not _is_page(scope):
            await self._app(scope, receive, send)
            return
        turns = _of_this_loop()
        await turns.acquire()
        is_held = True

        def release() -> None:
            nonlocal is_held
            if is_held:
                is_held = False
                turns.release()

        async def send_on(message: Message) -> None:
            release()  # the page is computed; its client may read it slowly
            await send(message)

        try:
            await self._app(scope, receive, send_on)
        finally:
            release()


def _of_this_loop() -> asyncio.Semaphore:
    """Return the semaphore of this event loop: one cannot be used in another."""
    try:
        return _turns.get()
    except LookupError:
        turns = asyncio.Semaphore(AT_ONCE)
        _turns.set(turns)
        return turns


def _is_page(scope: Scope) -> bool:
    is_get = scope["type"] == "http" and scope["method"] == "GET"
    return is_get and not scope["path"].startswith(_NO_PAGES)
