"""A cache of recently used values, optionally with expiry."""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

__all__ = ["LruCache", "at_least"]

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


def at_least(smallest: int, size_of: Callable[[Value], int]) -> Callable[[Value], int]:
    """Return a size function whose sizes have a minimum, which also limits the number of values."""
    return lambda value: max(smallest, size_of(value))


class LruCache(Generic[Key, Value]):
    """Recently used values, by keys that identify their content. Threads may share it.

    Parameters
    ----------
    most : int
        Largest number of values, or their largest total size. One is always kept.
    size_of : callable, optional
        The size of a value. Default: each counts as 1.
    seconds : float, optional
        How long a value is kept. Default: as long as there is room.
    """

    def __init__(
        self,
        most: int,
        size_of: Callable[[Value], int] = lambda _value: 1,
        *,
        seconds: float = math.inf,
    ) -> None:
        self._most = most
        self._size_of = size_of
        self._seconds = seconds
        self._size = 0
        # With its size, which may change while it is cached, and its expiry.
        self._values: OrderedDict[Key, tuple[Value, int, float]] = OrderedDict()
        self._lock = threading.Lock()

    def __contains__(self, key: Key) -> bool:
        with self._lock:
            return self._has(key)

    def get(self, key: Key) -> Value | None:
        """Return the value of a key; None if it is not cached."""
        with self._lock:
            if not self._has(key):
                return None
            self._values.move_to_end(key)
            return self._values[key][0]

    def put(self, key: Key, value: Value) -> None:
        """Store a value, and drop the least recently used ones if there is no room."""
        with self._lock:
            self._drop(key)
            if self._seconds < math.inf:
                for old in [one for one in self._values if not self._has(one)]:
                    self._drop(old)
            size = self._size_of(value)
            self._values[key] = value, size, time.monotonic() + self._seconds
            self._size += size
            while len(self._values) > 1 and self._size > self._most:
                self._drop(next(iter(self._values)))

    def take(self, key: Key) -> Value | None:
        """Remove and return the value of a key; None if it is not cached."""
        with self._lock:
            found = self._values[key][0] if self._has(key) else None
            self._drop(key)
            return found

    def get_or_compute(self, key: Key, make: Callable[[], Value]) -> Value:
        """Return the value of a key; compute it if it is not cached. Threads may do so twice."""
        with self._lock:
            if self._has(key):
                self._values.move_to_end(key)
                return self._values[key][0]
        value = make()
        self.put(key, value)
        return value

    def find(self, is_wanted: Callable[[Key], bool]) -> tuple[Key, Value] | None:
        """Return the most recently used value with a matching key, and the key."""
        with self._lock:
            wanted = (key for key in reversed(self._values) if is_wanted(key) and self._has(key))
            return next(((key, self._values[key][0]) for key in wanted), None)

    def forget(self, key: Key) -> None:
        """Drop a value, if it is cached."""
        with self._lock:
            self._drop(key)

    def clear(self) -> None:
        """Drop all values."""
        with self._lock:
            self._values.clear()
            self._size = 0

    def _has(self, key: Key) -> bool:
        return key in self._values and time.monotonic() < self._values[key][2]

    def _drop(self, key: Key) -> None:
        if key in self._values:
            self._size -= self._values.pop(key)[1]
