"""Threads for checks of the archive that must not wait for other requests.

Routes share a limited number of threads. While all of them are busy, the service still has to
recognise callers and report that it is ready.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from anyio import CapacityLimiter, to_thread
from anyio.lowlevel import RunVar

from berryeval.core.events import event_logger
from berryeval.errors import ArchiveError
from berryeval.service.problems import Problem

__all__ = ["run_check"]

Result = TypeVar("Result")

_N_THREADS = 4
_limiter: RunVar[CapacityLimiter] = RunVar("berryeval_check_threads")
_log = event_logger("berryeval.service")


async def run_check(check: Callable[..., Result], *arguments: str) -> Result:
    """Call a short check of the archive in a thread of its own.

    Raises
    ------
    Problem
        503 if the archive cannot be used. The caller may be anyone, so the reason, which may name
        users, hosts and paths, is only logged.
    """
    try:
        limiter = _limiter.get()
    except LookupError:
        limiter = CapacityLimiter(_N_THREADS)
        _limiter.set(limiter)
    try:
        return await to_thread.run_sync(check, *arguments, limiter=limiter)
    except ArchiveError as error:
        _log.warning("archive unavailable", extra={"reason": str(error)})
        raise Problem(
            503,
            "the archive does not respond; the log of the service has the reason",
            kind="archive",
            headers={"Retry-After": "1"} if error.transient else {},
            transient=error.transient,
        ) from None
