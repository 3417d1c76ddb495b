"""Time limits for running many queries on a store within one request."""

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

__all__ = ["QueryDeadline", "deadline_before"]

_MIN_RESERVE, _MAX_RESERVE = 0.1, 0.5
"""Shares of a request's time reserved for scoring, storing and sending the results."""

_SECONDS_PER_HIT, _SECONDS_PER_QUERY, _SECONDS = 6e-6, 2e-4, 0.25
"""Duration of these steps on a busy machine, at least the last value; usually a fifth of that."""


@dataclass(frozen=True)
class QueryDeadline:
    """The time limit of all queries together."""

    deadline: float | None = None
    """The deadline in the time of `time.monotonic`; None for a job, which has no limit."""

    def prepared(
        self, store: Store, concurrency: int = Limits.concurrency
    ) -> tuple[System, Limits]:
        """Prepare a store; return it with the limits for the following queries.

        If that takes too long, the returned store fails every query. Preparation continues in the
        background, so that the store is ready for a later request.
        """
        if self.deadline is None:
            store.prepare()
            return store, Limits(concurrency)
        prepared = in_thread(store.prepare)
        wait([prepared], timeout=max(0.0, self.deadline - time.monotonic()))
        if not prepared.done():
            return _StillIndexing(store.name), Limits(concurrency)
        prepared.result()  # reraises errors of `prepare`
        left = max(0.001, round(self.deadline - time.monotonic(), 3))
        return store, Limits(concurrency, total=left)


def deadline_before(deadline: float, n_queries: int, k: int) -> QueryDeadline:
    """Return the time limits of queries for a request with a deadline.

    Parameters
    ----------
    deadline : float
        In the time of `time.monotonic`.
    n_queries, k : int
        The number of queries, and of hits per query. The more there are, the earlier the queries
        must end, since the results still have to be scored and stored.
    """
    left = deadline - time.monotonic()
    needed = max(_SECONDS, n_queries * (_SECONDS_PER_QUERY + _SECONDS_PER_HIT * k))
    reserve = min(needed, _MAX_RESERVE * left)
    return QueryDeadline(deadline - max(reserve, _MIN_RESERVE * left))


class _StillIndexing(System):
    """A store that is not ready."""

    def __init__(self, name: str) -> None:
        self.name = name

    def search(self, query: str, k: int) -> NoReturn:  # noqa: ARG002 - for any query
        """Fail."""
        message = "timeout: its documents are still being indexed; try again later"
        raise SystemTimeoutError(self.name, message)
