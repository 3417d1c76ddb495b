"""Limits how many pages are computed at a time, since more threads only slow one another down.

Python runs only one thread at a time. If every page had its own thread, a judgment, which takes
milliseconds, would share the processor with all of them.

Searches wait in separate lines. A system under test may be arbitrarily slow, so searching it must
leave turns and threads for everything else, and the searches of one caller for those of others.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from anyio.lowlevel import RunVar
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from berryeval.service.dependencies import Caller

__all__ = ["PAGES", "SEARCHES", "TRIES", "Line", "Turns"]


@dataclass(frozen=True)
class Line:
    """Requests that wait for one another.

    Parameters
    ----------
    name : str
        Identifies the line.
    at_once : int
        Maximum number of requests that are processed at the same time.
    per_caller : int
        Maximum number of them per caller.
    """

    name: str
    at_once: int
    per_caller: int


PAGES = Line("pages", 4, 4)
"""The line of pages that are computed."""
TRIES = Line("tries", 8, 4)
"""The line of the page Try, which waits for search systems."""
SEARCHES = Line("searches", 24, 12)
"""The line of searches and evaluations over HTTP. Routes share 40 threads."""

_NO_PAGES = ("/v1/", "/assets/", "/healthz", "/readyz", "/metrics", "/login")
"""Beginnings of paths that never wait as pages."""

_SEARCH = re.compile(r"/v1/stores/[^/]+/search|/v1/evaluation/evaluate|(/.+)?/_rank_eval")


class Turns:
    """Let requests for pages and searches wait for their turn; everything else passes."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, in its turn."""
        line = _line_of(scope)
        if line is None:
            await self._app(scope, receive, send)
            return
        async with AsyncExitStack() as held:
            await held.enter_async_context(_of_this_loop().turn(line, _name_of(scope)))

            async def send_on(message: Message) -> None:
                await held.aclose()  # the page is computed; its client may read it slowly
                await send(message)

            await self._app(scope, receive, send_on)


class _Lines:
    """The lines of an event loop."""

    def __init__(self) -> None:
        self._turns: dict[tuple[Line, str | None], asyncio.Semaphore] = {}
        self._n_users: Counter[tuple[Line, str | None]] = Counter()

    @asynccontextmanager
    async def turn(self, line: Line, caller: str) -> AsyncIterator[None]:
        """Wait for a turn, first among the requests of the caller and then among all."""
        own, common = (line, caller), (line, None)
        async with self._held(own, line.per_caller), self._held(common, line.at_once):
            yield

    @asynccontextmanager
    async def _held(self, key: tuple[Line, str | None], at_once: int) -> AsyncIterator[None]:
        turns = self._turns.setdefault(key, asyncio.Semaphore(at_once))
        self._n_users[key] += 1
        try:
            async with turns:
                yield
        finally:
            self._n_users[key] -= 1
            if not self._n_users[key]:  # callers come and go
                del self._n_users[key], self._turns[key]


_lines: RunVar[_Lines] = RunVar("berryeval_lines")


def _of_this_loop() -> _Lines:
    """Return the lines of this event loop: a semaphore cannot be used in another."""
    try:
        return _lines.get()
    except LookupError:
        found = _Lines()
        _lines.set(found)
        return found


def _line_of(scope: Scope) -> Line | None:
    """Return the line of a request; None if it does not wait."""
    if scope["type"] != "http":
        return None
    path: str = scope["path"]
    if _SEARCH.fullmatch(path):
        return SEARCHES
    if scope["method"] != "GET" or path.startswith(_NO_PAGES):
        return None
    return TRIES if path == "/try" or path.startswith("/try/") else PAGES


def _name_of(scope: Scope) -> str:
    caller: Caller | None = scope.get("state", {}).get("caller")
    return "" if caller is None else caller.name
