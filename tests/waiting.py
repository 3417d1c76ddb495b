"""Waiting for another thread, process or page, however slow the machine is."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

__all__ = ["SECONDS_TO_WAIT", "wait_until"]

SECONDS_TO_WAIT = 60
"""Long enough for a machine with many other tasks; only a test that fails waits for it."""

_PAUSE_SECONDS = 0.01

T = TypeVar("T")


def wait_until(is_so: Callable[[], T]) -> T:
    """Call a function until it returns something true, and return that."""
    deadline = time.monotonic() + SECONDS_TO_WAIT
    while not (found := is_so()):
        assert time.monotonic() < deadline, f"still {found!r} after {SECONDS_TO_WAIT} s"
        time.sleep(_PAUSE_SECONDS)
    return found
