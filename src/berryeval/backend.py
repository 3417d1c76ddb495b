"""Which of the two twins computes: the native extension, or plain Python.

Both give bit-for-bit the same results. The native one is used if it was built and can be loaded.
``BERRYEVAL_BACKEND=python`` selects the other, ``native`` requires the native one;
``BERRYEVAL_THREADS`` limits the threads.
"""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import NamedTuple

from berryeval.errors import ArgumentError, InputError

__all__ = ["MAX_THREADS", "Backend", "backend", "n_threads"]

MAX_THREADS = 1024


class Backend(NamedTuple):
    """The twin in use, and why."""

    name: str
    """``"native"`` or ``"python"``."""
    reason: str
    """The reason, in one sentence."""
    simd: str | None = None
    """The vector instructions in use, such as ``"avx2"``; None without the extension."""
    is_fallback: bool = False
    """True if the native twin was wanted but is not available."""


@cache
def backend() -> Backend:
    """Choose the twin, once for the process."""
    wanted = os.environ.get("BERRYEVAL_BACKEND", "")
    if wanted == "python":
        return Backend("python", "BERRYEVAL_BACKEND=python is set")
    if wanted not in ("", "native"):
        raise ArgumentError("BERRYEVAL_BACKEND", "'native' or 'python'", repr(wanted))
    chosen = _try_native()
    if wanted == "native" and chosen.is_fallback:
        raise InputError(f"BERRYEVAL_BACKEND=native is not available: {chosen.reason}")
    return chosen


def _try_native() -> Backend:
    if find_spec("berryeval._native") is None:
        reason = "the native extension was not built when berryeval was installed"
        return Backend("python", reason, is_fallback=True)
    try:
        native = import_module("berryeval._native")
    except ImportError as error:
        reason = f"the native extension could not be loaded ({error})"
        return Backend("python", reason, is_fallback=True)
    return Backend("native", "the native extension was built and loads", simd=native.simd())


@cache
def n_threads() -> int:
    """Count the threads that a computation may use, at least 1."""
    wanted = os.environ.get("BERRYEVAL_THREADS", "")
    if not wanted:
        if hasattr(os, "sched_getaffinity"):
            return len(os.sched_getaffinity(0))
        return os.cpu_count() or 1
    if not wanted.isdecimal() or not 1 <= int(wanted) <= MAX_THREADS:
        expected = f"a whole number from 1 to {MAX_THREADS}"
        raise ArgumentError("BERRYEVAL_THREADS", expected, repr(wanted))
    return int(wanted)
