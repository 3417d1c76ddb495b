"""Values that take long to make: made in a thread, and the last one is shown meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

__all__ = ["Latest"]

Value = TypeVar("Value")


class Latest(Generic[Value]):
    """The newest value that there is.

    Parameters
    ----------
    make : callable
        Returns the value as it is now; quickly, if nothing has changed.
    """

    def __init__(self, make: Callable[[], Value]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._value: Value | None = None
        self._error: BaseException | None = None

    def get(self, seconds: float = 0.12) -> Value | None:
        """Return the value as it is now; after a while the last one, and None if there is none.

        Raises
        ------
        Exception
            What `make` raised.
        """
        with self._lock:
            thread = self._thread
            if thread is None or not thread.is_alive():
                thread = threading.Thread(target=self._run, name="berryeval-latest", daemon=True)
                self._thread = thread
                thread.start()
        thread.join(seconds)
        if not thread.is_alive() and self._error is not None:
            raise self._error
        return self._value

    def _run(self) -> None:
        try:
            self._value, self._error = self._make(), None
        except Exception as error:  # noqa: BLE001 - told to whoever asks
            self._error = error
