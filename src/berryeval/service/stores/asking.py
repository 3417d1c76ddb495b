"""Ask a store many queries within the time that a request has."""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future, wait
from dataclasses import dataclass
from typing import NoReturn

from berryeval.errors import BackendTimeout
from berryeval.search.collect import Limits
from berryeval.search.system import System
from berryeval.service.stores.store import Store

__all__ = ["Asking", "asking_until"]

_SHARE_OF_QUERIES = 0.9
"""The rest of a request's time is for scoring and storing what came back."""


@dataclass(frozen=True)
class Asking:
    """How long all queries together may take."""

    deadline: float | None = None
    """As `time.monotonic` counts; None for a job, which has no limit."""

    def prepared(self, store: Store) -> System:
        """Prepare a store, and return it, or what fails every query if that takes too long.

        The store is prepared further beside that, so that a later request finds it ready.
        """
        if self.deadline is None:
            store.prepare()
            return store
        prepared: Future[None] = Future()
        threading.Thread(target=_prepare, args=(store, prepared), daemon=True).start()
        wait([prepared], timeout=max(0.0, self._left()))
        if not prepared.done():
            return _StillIndexing(store.name)
        prepared.result()  # raises what `prepare` raised
        return store

    def limits(self, concurrency: int = Limits.concurrency) -> Limits:
        """Return the limits of the queries that are asked next."""
        total = None if self.deadline is None else max(0.001, round(self._left(), 3))
        return Limits(concurrency=concurrency, total=total)

    def _left(self) -> float:
        assert self.deadline is not None
        return self.deadline - time.monotonic()


def asking_until(deadline: float) -> Asking:
    """Return how long queries may take if the request has to be answered by then."""
    now = time.monotonic()
    return Asking(now + _SHARE_OF_QUERIES * (deadline - now))


def _prepare(store: Store, prepared: Future[None]) -> None:
    try:
        store.prepare()
    except BaseException as error:  # noqa: BLE001 - whoever waits for it gets it
        prepared.set_exception(error)
    else:
        prepared.set_result(None)


class _StillIndexing(System):
    """A store that is not ready."""

    def __init__(self, name: str) -> None:
        self.name = name

    def search(self, query: str, k: int) -> NoReturn:  # noqa: ARG002 - whatever is asked
        """Fail."""
        message = "timeout: its documents are still being indexed; ask again later"
        raise BackendTimeout(self.name, message)
