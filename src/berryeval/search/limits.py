"""How a system is asked: how many queries at once, how long, and how often again."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from berryeval.errors import ArgumentError, BackendError

__all__ = ["Limits", "pause_before", "retried"]

Result = TypeVar("Result")


@dataclass(frozen=True)
class Limits:
    """How a system is asked (X8).

    Parameters
    ----------
    concurrency : int
        Queries at once.
    timeout : float
        Seconds a query may take, all its tries together.
    retries : int
        Further tries after an error that may pass; other errors are final.
    backoff : float
        Seconds before the first of them; twice as long before each further one. A server that
        asks for more gets it.
    """

    concurrency: int = 4
    timeout: float = 30.0
    retries: int = 2
    backoff: float = 0.5

    def __post_init__(self) -> None:
        if self.concurrency < 1:
            raise ArgumentError("concurrency", "at least 1", str(self.concurrency))
        if not self.timeout > 0:
            raise ArgumentError("timeout", "more than 0 seconds", str(self.timeout))
        if self.retries < 0:
            raise ArgumentError("retries", "at least 0", str(self.retries))
        if not self.backoff >= 0:
            raise ArgumentError("backoff", "at least 0 seconds", str(self.backoff))


def pause_before(n_tries: int, error: BackendError | None, limits: Limits) -> float | None:
    """Return the seconds to wait before trying again; None if that makes no sense.

    Parameters
    ----------
    n_tries : int
        How often it was tried.
    error : BackendError or None
        What came of it.
    limits : Limits
        How often to try, and how long to wait.
    """
    if error is None or not error.transient or n_tries > limits.retries:
        return None
    return float(max(limits.backoff * 2 ** (n_tries - 1), error.retry_after or 0.0))


def retried(call: Callable[[], Result], limits: Limits) -> Result:
    """Call until there is an answer, an error that stays, or a pause longer than the time limit.

    For work that is no query, such as indexing: each try may take as long as it likes.
    """
    n_tries = 1
    while True:
        try:
            return call()
        except BackendError as error:
            pause = pause_before(n_tries, error, limits)
            if pause is None or pause > limits.timeout:
                raise
        time.sleep(pause)
        n_tries += 1
