"""Work in threads that several callers wait for, each for a limited time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from concurrent.futures import Future, wait
from typing import Generic, TypeVar

__all__ = ["SharedWork", "in_thread"]

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


def in_thread(make: Callable[[], Value], name: str = "berryeval-work") -> Future[Value]:
    """Start computing a value in a daemon thread."""
    future: Future[Value] = Future()

    def run() -> None:
        if not future.set_running_or_notify_cancel():
            return
        try:
            future.set_result(make())
        except BaseException as error:  # noqa: BLE001 - raised where the result is used
            future.set_exception(error)

    threading.Thread(target=run, name=name, daemon=True).start()
    return future


class SharedWork(Generic[Key, Value]):
    """Values that take long to compute: one thread per key, whose result all callers share.

    Parameters
    ----------
    name : str
        Name of the threads.
    at_once : int
        Values that are computed at the same time; others wait.
    """

    def __init__(self, name: str, at_once: int = 1) -> None:
        self._name = name
        self._turns = threading.Semaphore(at_once)
        self._lock = threading.Lock()
        self._underway: dict[Key, Future[Value]] = {}
        self._is_closed = False

    def get(
        self,
        key: Key,
        make: Callable[[], Value],
        *,
        seconds: float,
        known: Value | None = None,
    ) -> tuple[Value | None, bool]:
        """Return the value of a key; `known`, if computing it takes too long.

        Returns
        -------
        value : Value or None
        is_new : bool
            Whether this call started the computation. One that was already running may have missed
            the latest changes.

        Raises
        ------
        Exception
            Whatever `make` raised.
        """
        with self._lock:
            future = self._underway.get(key)
            is_new = future is None and not self._is_closed
            if is_new:
                future = self._underway[key] = in_thread(lambda: self._make(key, make), self._name)
        if future is None or not wait([future], seconds).done:
            return known, False
        return future.result(), is_new

    def close(self) -> None:
        """Start nothing more, and wait for running work."""
        with self._lock:
            self._is_closed = True
            underway = [*self._underway.values()]
        wait(underway)

    def _make(self, key: Key, make: Callable[[], Value]) -> Value:
        try:
            with self._turns:
                if self._is_closed:
                    raise RuntimeError("the service is stopping")
                return make()
        finally:
            with self._lock:
                del self._underway[key]
