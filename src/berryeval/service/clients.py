"""Whether the client of a request still waits for its response."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.requests import Request

from berryeval.service.problems import Problem

__all__ = ["ClientWait", "client_wait"]


class ClientWait:
    """Progress of work within a request, which ends if the client no longer waits for the response.

    Parameters
    ----------
    deadline : float
        When the request times out, in the time of `time.monotonic`.
    """

    def __init__(self, deadline: float) -> None:
        self._deadline = deadline
        self.is_gone = False
        """Whether the client has closed the connection."""

    def __call__(self, done: int, total: int, step: str) -> None:  # noqa: ARG002 - not shown
        """Continue with the next step."""
        self.check()

    def check(self) -> None:
        """Raise if the client is gone or the request has timed out.

        Raises
        ------
        Problem
            It is only logged.
        """
        if self.is_gone:
            raise Problem(400, "the client closed the connection", kind="cut-off")
        if time.monotonic() > self._deadline:
            raise Problem(504, "the request has timed out", kind="timeout")


@asynccontextmanager
async def client_wait(request: Request) -> AsyncIterator[ClientWait]:
    """Watch the connection of a request within the block. Its body must have been read before."""
    wait = ClientWait(request.state.deadline)

    async def listen() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass
        wait.is_gone = True

    listening = asyncio.ensure_future(listen())
    try:
        yield wait
    finally:
        listening.cancel()
