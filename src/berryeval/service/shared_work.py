"""Work in threads that several callers wait for, each for a limited time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable
from concurrent.futures import Future, wait
from typing import Generic, TypeVar

__all__ = ["FIRST_WAIT_SECONDS", "WAIT_SECONDS", "Latest", "SharedWork", "in_thread"]

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")

WAIT_SECONDS = 0.1
"""Seconds that a page waits for the newest value."""
FIRST_WAIT_SECONDS = 0.5
"""Seconds that a page waits if there is no earlier value."""


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
        Number of values that are computed at the same time; others wait.
    most : int, optional
        Largest number of values that are computed or wait. Others are not started: a page that
        still wants one asks again.
    """

    def __init__(self, name: str, at_once: int = 1, *, most: int | None = None) -> None:
        self._name = name
        self._most = most
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
            Any error that `make` raises.
        """
        with self._lock:
            future = self._underway.get(key)
            is_full = self._most is not None and len(self._underway) >= self._most
            is_new = future is None and not self._is_closed and not is_full
            if is_new:
                future = self._underway[key] = in_thread(lambda: self._make(key, make), self._name)
        if future is None or not wait([future], seconds).done:
            return known, False
        return future.result(), is_new

    def close(self) -> None:
        """Stop accepting work, and wait for what is running."""
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


class Latest(Generic[Value]):
    """A value that is slow to compute: the newest one available.

    Parameters
    ----------
    make : callable
        Returns the current value; quickly, if nothing has changed.
    skip_wait : callable, optional
        Whether computing the value certainly takes longer than a page waits.
    is_current : callable, optional
        Returns quickly whether a value is still the current one; then no thread is started.
    """

    def __init__(
        self,
        make: Callable[[], Value],
        skip_wait: Callable[[], bool] = lambda: False,
        *,
        is_current: Callable[[Value], bool] = lambda _value: False,
    ) -> None:
        self._make = make
        self._skip_wait = skip_wait
        self._is_current = is_current
        self._work: SharedWork[None, Value] = SharedWork("berryeval-latest")
        self._value: Value | None = None

    def get(self) -> Value | None:
        """Return the current value; after a while the previous one, or None if there is none.

        Raises
        ------
        Exception
            Any error that `make` raises.
        """
        known = self._value
        if known is not None and self._is_current(known):
            return known
        end = time.monotonic() + (0.0 if self._skip_wait() else WAIT_SECONDS)
        value, is_new = self._soon(end)
        # A computation that was already running may have missed recent changes.
        return value if is_new else self._soon(end)[0]

    def _soon(self, end: float) -> tuple[Value | None, bool]:
        left = max(0.0, end - time.monotonic())
        return self._work.get(None, self._renew, seconds=left, known=self._value)

    def _renew(self) -> Value:
        self._value = self._make()
        return self._value
