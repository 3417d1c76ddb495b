"""Limits on the queries to a system: concurrency, timeouts and retries."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TypeVar

from berryeval.errors import ArgumentError, SystemUnderTestError

__all__ = ["Limits", "pause_before", "retried", "seconds_allowed", "until"]

Result = TypeVar("Result")


@dataclass(frozen=True)
class Limits:
    """Limits on the queries to a system (X8).

    Parameters
    ----------
    concurrency : int
        Maximum number of queries at once.
    timeout : float
        Seconds that a query may take, including retries.
    retries : int
        Retries after a transient error; other errors are final.
    backoff : float
        Seconds before the first retry, doubled before each further one. If a server requests a
        longer delay, that delay is used.
    total : float, optional
        Seconds for all queries together. Queries without an answer by then fail. If omitted,
        there is no such limit.
    give_up_after : int, optional
        If this many queries fail, all with the same error, before any is answered, the others
        are not sent. If omitted, all are sent.
    """

    concurrency: int = 4
    timeout: float = 30.0
    retries: int = 2
    backoff: float = 0.5
    total: float | None = None
    give_up_after: int | None = 8

    def __post_init__(self) -> None:
        if self.concurrency < 1:
            raise ArgumentError("concurrency", "at least 1", str(self.concurrency))
        if not self.timeout > 0:
            raise ArgumentError("timeout", "more than 0 seconds", str(self.timeout))
        if self.retries < 0:
            raise ArgumentError("retries", "at least 0", str(self.retries))
        if not self.backoff >= 0:
            raise ArgumentError("backoff", "at least 0 seconds", str(self.backoff))
        if self.total is not None and not self.total > 0:
            raise ArgumentError("total", "more than 0 seconds", str(self.total))
        if self.give_up_after is not None and self.give_up_after < 1:
            raise ArgumentError("give_up_after", "at least 1", str(self.give_up_after))


_deadline: ContextVar[float | None] = ContextVar("deadline", default=None)


@contextmanager
def until(deadline: float) -> Iterator[None]:
    """Set the deadline for systems that are searched in the block.

    Parameters
    ----------
    deadline : float
        Time on the clock of `time.monotonic`.
    """
    before = _deadline.set(deadline)
    try:
        yield
    finally:
        _deadline.reset(before)


def seconds_allowed(most: float) -> float:
    """Return the seconds that a search may take: `most`, or less if the deadline is earlier.

    Systems that can limit a search use this, so that they do not work on an answer that the
    caller no longer waits for. It is never 0, which some servers interpret as no limit.
    """
    deadline = _deadline.get()
    if deadline is None:
        return most
    return max(0.001, min(most, deadline - time.monotonic()))


def pause_before(n_tries: int, error: SystemUnderTestError | None, limits: Limits) -> float | None:
    """Return the seconds to wait before the next try; None if there should be none.

    Parameters
    ----------
    n_tries : int
        Number of tries so far.
    error : SystemUnderTestError or None
        The error of the last try; None if it succeeded.
    limits : Limits
        Number of retries, and the delay before each.
    """
    if error is None or not error.transient or n_tries > limits.retries:
        return None
    return float(max(limits.backoff * 2 ** (n_tries - 1), error.retry_after or 0.0))


def retried(call: Callable[[], Result], limits: Limits) -> Result:
    """Call until it succeeds, fails with a permanent error, or would pause beyond the time limit.

    It is for work other than queries, such as indexing, whose tries have no time limit.
    """
    n_tries = 1
    while True:
        try:
            return call()
        except SystemUnderTestError as error:
            pause = pause_before(n_tries, error, limits)
            if pause is None or pause > limits.timeout:
                raise
        time.sleep(pause)
        n_tries += 1
