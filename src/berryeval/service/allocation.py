"""Frees memory soon, and returns it to the system; glibc's allocator would keep much of it."""

from __future__ import annotations

import ctypes
import gc
import sys

__all__ = ["collect_garbage_often", "configure_allocation", "return_free_memory"]

_ALLOCATION = {"M_ARENA_MAX": (-8, 2), "M_MMAP_THRESHOLD": (-3, 1 << 20)}
"""Options of glibc's `mallopt`, by number. All threads allocate from a few arenas: with one each,
freed memory stays in all. Columns have pages of their own, which return to the system when they
are freed; by default the limit grows to 32 MB, and heaps with gaps grow with it."""


_OBJECTS_BEFORE_COLLECTION = 2_000
"""The context of a rendered page refers to itself, and to the runs and judgments that the page
shows. They stay in memory until garbage is collected, which the command line rarely does."""


def configure_allocation() -> None:
    """Set the options of the allocator, if it is glibc's."""
    for option, value in _ALLOCATION.values():
        _call("mallopt", option, value)


def collect_garbage_often() -> None:
    """Collect what requests leave behind; to be called when all modules are loaded."""
    gc.freeze()  # they stay until the end: no collection needs to look at them
    gc.set_threshold(_OBJECTS_BEFORE_COLLECTION)


def return_free_memory() -> None:
    """Return the free parts of heaps to the system; takes milliseconds."""
    _call("malloc_trim", 0)


def _call(name: str, *arguments: int) -> None:
    if sys.platform == "linux":
        function = getattr(ctypes.CDLL(None), name, None)  # musl has none
        if function is not None:
            function(*arguments)
