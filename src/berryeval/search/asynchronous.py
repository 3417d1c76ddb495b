"""Systems of any make, those that have to be awaited among them.

What is asynchronous runs in one event loop, which has a thread of its own for the life of the
process. So a client that keeps connections open can serve every query.
"""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Awaitable, Coroutine, Iterable
from typing import Any, TypeVar

from berryeval.core.documents import Document
from berryeval.errors import SystemUnderTestError
from berryeval.search.failures import failures_of
from berryeval.search.hits import Hit, check_k, to_hits
from berryeval.search.system import System, each_once

__all__ = ["Beside", "Foreign", "as_system", "is_asynchronous", "resolve"]

Result = TypeVar("Result")

_lock = threading.Lock()
_running: tuple[threading.Thread, asyncio.AbstractEventLoop] | None = None


class Beside:
    """A coroutine that runs beside the caller.

    Parameters
    ----------
    coroutine : Coroutine
        What to run in the event loop.
    """

    def __init__(self, coroutine: Coroutine[Any, Any, None]) -> None:
        self.has_ended = threading.Event()
        """Set once it has returned, raised, or stopped after `cancel`, and no earlier."""
        self._loop = _loop()
        self._task: asyncio.Task[None] | None = None
        self._loop.call_soon_threadsafe(self._begin, coroutine)

    def cancel(self) -> None:
        """Ask it to stop. It may take its time, or refuse."""
        self._loop.call_soon_threadsafe(self._cancel)

    def _begin(self, coroutine: Coroutine[Any, Any, None]) -> None:
        self._task = self._loop.create_task(coroutine)
        # Not in the coroutine itself: one that is cancelled before its first step never runs.
        self._task.add_done_callback(lambda _: self.has_ended.set())

    def _cancel(self) -> None:
        assert self._task is not None  # calls are run in the order in which they came
        self._task.cancel()


def resolve(value: Awaitable[Result] | Result) -> Result:
    """Return a value, or what it becomes if it has to be awaited.

    Raises
    ------
    RuntimeError
        If asynchronous code calls it: that would wait for itself.
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
    """Whether what a function, a method or a callable object returns has to be awaited."""
    call = getattr(type(function), "__call__", None)  # noqa: B004 - itself, not whether
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(call)


class Foreign(System):
    """Any object with ``search(query, k)`` as a system; its methods may be asynchronous.

    ``index``, ``close``, ``fingerprint`` and ``name`` are used where they are there. Answers are
    checked, and whatever is raised is an error of the system.

    Parameters
    ----------
    thing : object
        Who answers.
    """

    def __init__(self, thing: Any) -> None:  # noqa: ANN401 - that is the point
        self._thing = thing
        self.name = getattr(thing, "name", type(thing).__name__)
        self.is_asynchronous = is_asynchronous(thing.search)

    @property
    def can_index(self) -> bool:
        """Whether it takes documents."""
        if isinstance(self._thing, System):
            return self._thing.can_index
        return hasattr(self._thing, "index")

    @property
    def needs_documents(self) -> bool:
        """Whether it says that it has nothing to search yet."""
        return bool(getattr(self._thing, "needs_documents", False))

    def search(self, query: str, k: int) -> list[Hit]:
        """Return what it finds; whatever it raises is a `SystemUnderTestError`."""
        check_k(k)
        with failures_of(self.name):
            return to_hits(resolve(self._thing.search(query, k)), k, self.name)

    async def asearch(self, query: str, k: int) -> list[Hit]:
        """Return what it finds, without a thread where it has a way of its own."""
        if not self.is_asynchronous:
            return await super().asearch(query, k)
        check_k(k)
        with failures_of(self.name):
            return to_hits(await self._thing.search(query, k), k, self.name)

    def index(self, documents: Iterable[Document]) -> int:
        """Hand documents over, each once; return how many it took."""
        if not self.can_index:
            return super().index(documents)
        n_documents = 0

        def counted() -> Iterable[Document]:
            nonlocal n_documents
            for document in each_once(documents):
                n_documents += 1
                yield document

        with failures_of(self.name):
            resolve(self._thing.index(counted()))
        return n_documents

    def fingerprint(self) -> dict[str, str]:
        """Return its own, or its name."""
        own = getattr(self._thing, "fingerprint", None)
        return super().fingerprint() if own is None else dict(own())

    def close(self) -> None:
        """Close it, if it can be."""
        own = getattr(self._thing, "close", None)
        if own is not None:
            with failures_of(self.name):
                resolve(own())


def as_system(thing: object) -> System:
    """Return something that searches as a system: as it is, or in a `Foreign`.

    Raises
    ------
    SystemUnderTestError
        If it has no ``search``.
    """
    search = getattr(thing, "search", None)
    if search is None:
        message = f"expected something with search(query, k), got {type(thing).__name__}"
        raise SystemUnderTestError("system", message)
    if isinstance(thing, System) and not _has_asynchronous_methods(thing):
        return thing
    return Foreign(thing)


def _has_asynchronous_methods(system: System) -> bool:
    return any(map(is_asynchronous, (system.search, system.index, system.close)))


def _loop() -> asyncio.AbstractEventLoop:
    global _running  # noqa: PLW0603 - one loop a process
    with _lock:
        # A process that was forked has the variable, and no thread.
        if _running is None or not _running[0].is_alive():
            loop = asyncio.new_event_loop()
            thread = threading.Thread(target=loop.run_forever, name="berryeval-loop", daemon=True)
            _running = thread, loop
            thread.start()
        return _running[1]
