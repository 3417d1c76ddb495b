"""Values that take long to make: made in a thread, and the last one is shown meanwhile."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

__all__ = ["WAIT_SECONDS", "Latest"]

Value = TypeVar("Value")

WAIT_SECONDS = 0.1
"""So long a page waits for the newest."""


class Latest(Generic[Value]):
    """The newest value that there is.

    Parameters
    ----------
    make : callable
        Returns the value as it is now; quickly, if nothing has changed.
    is_in_vain : callable, optional
        Tells whether nobody should wait, as it is certain to take longer.
    """

    def __init__(
        self, make: Callable[[], Value], is_in_vain: Callable[[], bool] = lambda: False
    ) -> None:
        self._make = make
        self._is_in_vain = is_in_vain
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._value: Value | None = None
        self._error: BaseException | None = None

    def get(self) -> Value | None:
        """Return the value as it is now; after a while the last one, and None if there is none.

        Raises
        ------
        Exception
            What `make` raised.
        """
        end = time.monotonic() + (0.0 if self._is_in_vain() else WAIT_SECONDS)
        thread, is_new = self._working()
        thread.join(max(0.0, end - time.monotonic()))
        if not is_new and not thread.is_alive():
            # What somebody else had begun before may not know what was written since.
            thread, _ = self._working()
            thread.join(max(0.0, end - time.monotonic()))
        if not thread.is_alive() and self._error is not None:
            raise self._error
        return self._value

    def _working(self) -> tuple[threading.Thread, bool]:
        """Return the thread that makes the value, and whether it begins now."""
        with self._lock:
            if self._thread is not None and self._thread.is_alive():
                return self._thread, False
            self._thread = threading.Thread(target=self._run, name="berryeval-latest", daemon=True)
            self._thread.start()
            return self._thread, True

    def _run(self) -> None:
        try:
            self._value, self._error = self._make(), None
        except Exception as error:  # noqa: BLE001 - told to whoever asks
            self._error = error
