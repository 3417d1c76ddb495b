"""Calls asynchronous code from synchronous code.

One event loop, in its own thread, runs for the life of the process, so that a client can keep
connections open between queries.
"""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Awaitable, Coroutine
from typing import Any, TypeVar

__all__ = ["BackgroundCoroutine", "is_asynchronous", "resolve"]

Result = TypeVar("Result")

_lock = threading.Lock()
_running: tuple[threading.Thread, asyncio.AbstractEventLoop] | None = None


class BackgroundCoroutine:
    """A coroutine that runs in the background, in the shared event loop.

    Parameters
    ----------
    coroutine : Coroutine
        The coroutine to run.
    """

    def __init__(self, coroutine: Coroutine[Any, Any, None]) -> None:
        self.has_ended = threading.Event()
        """Set only once it has returned, raised, or stopped after `cancel`."""
        self._loop = _loop()
        self._task: asyncio.Task[None] | None = None
        self._loop.call_soon_threadsafe(self._begin, coroutine)

    def cancel(self) -> None:
        """Request cancellation, which may take long or be ignored."""
        self._loop.call_soon_threadsafe(self._cancel)

    def _begin(self, coroutine: Coroutine[Any, Any, None]) -> None:
        self._task = self._loop.create_task(coroutine)
        # Not in the coroutine itself: one that is cancelled before its first step never runs.
        self._task.add_done_callback(lambda _: self.has_ended.set())

    def _cancel(self) -> None:
        assert self._task is not None  # the loop runs calls in order, so `_begin` came first
        self._task.cancel()


def resolve(value: Awaitable[Result] | Result) -> Result:
    """Return a value, awaited if necessary.

    Raises
    ------
    RuntimeError
        If called from the event loop itself, which would deadlock.
    """
    if not inspect.isawaitable(value):
        return value
    if _running is not None and threading.current_thread() is _running[0]:
        if inspect.iscoroutine(value):
            value.close()
        raise RuntimeError("expected `await system.asearch(…)` here, got `system.search(…)`")

    async def wait() -> Result:
        return await value

    return asyncio.run_coroutine_threadsafe(wait(), _loop()).result()


def is_asynchronous(function: object) -> bool:
    """Whether the result of a function, a method or a callable object must be awaited."""
    call = getattr(type(function), "__call__", None)  # noqa: B004 - itself, not whether
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(call)


def _loop() -> asyncio.AbstractEventLoop:
    global _running  # noqa: PLW0603 - one loop per process
    with _lock:
        # A forked process inherits the variable, but not the thread.
        if _running is None or not _running[0].is_alive():
            loop = asyncio.new_event_loop()
            thread = threading.Thread(target=loop.run_forever, name="berryeval-loop", daemon=True)
            _running = thread, loop
            thread.start()
        return _running[1]
