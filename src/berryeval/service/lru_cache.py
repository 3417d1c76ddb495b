"""What was used last stays in memory; what was not makes room."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

__all__ = ["LruCache"]

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class LruCache(Generic[Key, Value]):
    """The values that were used last, by keys that name their content. Threads may share it.

    Parameters
    ----------
    most : int
        How many values are kept, or how large they may be together. One is always kept.
    size_of : callable, optional
        The size of a value. Default: each counts as 1.
    """

    def __init__(self, most: int, size_of: Callable[[Value], int] = lambda _value: 1) -> None:
        self._most = most
        self._size_of = size_of
        self._size = 0
        self._values: OrderedDict[Key, Value] = OrderedDict()
        self._lock = threading.Lock()

    def __contains__(self, key: Key) -> bool:
        with self._lock:
            return key in self._values

    def get(self, key: Key) -> Value | None:
        """Return the value of a key; None if it is not here."""
        with self._lock:
            if key not in self._values:
                return None
            self._values.move_to_end(key)
            return self._values[key]

    def put(self, key: Key, value: Value) -> None:
        """Keep a value, and drop those that were not used for longest if there is no room."""
        with self._lock:
            self._drop(key)
            self._values[key] = value
            self._size += self._size_of(value)
            while len(self._values) > 1 and self._size > self._most:
                self._drop(next(iter(self._values)))

    def get_or_make(self, key: Key, make: Callable[[], Value]) -> Value:
        """Return the value of a key; make it if it is not here. Two threads may make the same."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        value = make()
        self.put(key, value)
        return value

    def find(self, is_wanted: Callable[[Key], bool]) -> Value | None:
        """Return the value, of those with such a key, that was used last."""
        with self._lock:
            return next(
                (self._values[key] for key in reversed(self._values) if is_wanted(key)), None
            )

    def forget(self, key: Key) -> None:
        """Drop a value, if it is here."""
        with self._lock:
            self._drop(key)

    def _drop(self, key: Key) -> None:
        if key in self._values:
            self._size -= self._size_of(self._values.pop(key))
