"""A value that is slow to compute: computed in a thread, while the previous one is shown."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Generic, TypeVar

from berryeval.service.shared_work import SharedWork

__all__ = ["WAIT_SECONDS", "Latest"]

Value = TypeVar("Value")

WAIT_SECONDS = 0.1
"""Seconds that a page waits for the newest value."""


class Latest(Generic[Value]):
    """The newest available value.

    Parameters
    ----------
    make : callable
        Returns the current value; quickly, if nothing has changed.
    skip_wait : callable, optional
        Whether computing the value certainly takes longer than a page waits.
    """

    def __init__(
        self, make: Callable[[], Value], skip_wait: Callable[[], bool] = lambda: False
    ) -> None:
        self._make = make
        self._skip_wait = skip_wait
        self._work: SharedWork[None, Value] = SharedWork("berryeval-latest")
        self._value: Value | None = None

    def get(self) -> Value | None:
        """Return the current value; after a while the previous one, or None if there is none.

        Raises
        ------
        Exception
            Whatever `make` raised.
        """
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
