"""Ask a store many queries within the time that a request has."""

from __future__ import annotations

import time
from concurrent.futures import wait
from dataclasses import dataclass
from typing import NoReturn

from berryeval.errors import SystemTimeoutError
from berryeval.search.collect import Limits
from berryeval.search.system import System
from berryeval.service.shared_work import in_thread
from berryeval.service.stores.store import Store

__all__ = ["Asking", "asking_until"]

_LEAST_RESERVE, _MOST_RESERVE = 0.1, 0.5
"""Shares of a request's time that are kept for scoring, storing and sending what came back."""

_SECONDS_PER_HIT, _SECONDS_PER_QUERY = 6e-6, 2e-4
"""What that takes on a busy machine; otherwise about a fifth of it."""


@dataclass(frozen=True)
class Asking:
    """How long all queries together may take."""

    deadline: float | None = None
    """As `time.monotonic` counts; None for a job, which has no limit."""

    def prepared(
        self, store: Store, concurrency: int = Limits.concurrency
    ) -> tuple[System, Limits]:
        """Prepare a store; return it with the limits of the queries that it is asked next.

        If that takes too long, what is returned fails every query. The store is prepared further
        beside that, so that a later request finds it ready.
        """
        if self.deadline is None:
            store.prepare()
            return store, Limits(concurrency)
        prepared = in_thread(store.prepare)
        wait([prepared], timeout=max(0.0, self.deadline - time.monotonic()))
        if not prepared.done():
            return _StillIndexing(store.name), Limits(concurrency)
        prepared.result()  # raises what `prepare` raised
        left = max(0.001, round(self.deadline - time.monotonic(), 3))
        return store, Limits(concurrency, total=left)


def asking_until(deadline: float, n_queries: int, k: int) -> Asking:
    """Return how long queries may take if the request has to be answered by then.

    Parameters
    ----------
    deadline : float
        As `time.monotonic` counts.
    n_queries, k : int
        How many queries there are, and how many hits each may have. The more there are, the earlier
        the queries have to end: what was found still has to be scored and stored.
    """
    left = deadline - time.monotonic()
    needed = n_queries * (_SECONDS_PER_QUERY + _SECONDS_PER_HIT * k)
    reserve = min(needed, _MOST_RESERVE * left)
    return Asking(deadline - max(reserve, _LEAST_RESERVE * left))


class _StillIndexing(System):
    """A store that is not ready."""

    def __init__(self, name: str) -> None:
        self.name = name

    def search(self, query: str, k: int) -> NoReturn:  # noqa: ARG002 - whatever is asked
        """Fail."""
        message = "timeout: its documents are still being indexed; ask again later"
        raise SystemTimeoutError(self.name, message)
