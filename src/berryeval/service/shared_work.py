"""Work in threads that several callers wait for, each as long as it has patience."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from concurrent.futures import Future, wait
from typing import Generic, TypeVar

__all__ = ["SharedWork", "in_thread"]

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


def in_thread(make: Callable[[], Value], name: str = "berryeval-work") -> Future[Value]:
    """Start to make a value in a thread, which does not keep the process from ending."""
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
    """Values that take long to make: one thread per key, whose result all callers get.

    Parameters
    ----------
    name : str
        Name of the threads.
    at_once : int
        Values that are made at the same time; others wait for their turn.
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
        """Return the value of a key; `known`, if making it takes longer than some seconds.

        Returns
        -------
        value : Value or None
        is_new : bool
            Whether it was begun by this call. What was under way already may not have seen the
            latest changes.

        Raises
        ------
        Exception
            What `make` raised.
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
        """Begin nothing more, and wait for what has begun."""
        with self._lock:
            self._is_closed = True
            underway = [*self._underway.values()]
        wait(underway)

    def _make(self, key: Key, make: Callable[[], Value]) -> Value:
        try:
            with self._turns:
                if self._is_closed:
                    raise RuntimeError("the service is about to stop")
                return make()
        finally:
            with self._lock:
                del self._underway[key]
