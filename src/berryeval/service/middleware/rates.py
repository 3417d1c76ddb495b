"""A limit on the number of requests per caller."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from starlette.types import ASGIApp, Receive, Scope, Send

from berryeval.service.dependencies import Caller
from berryeval.service.lru_cache import LruCache
from berryeval.service.problems import Problem

__all__ = ["RateLimit", "Rates", "address_key"]

_MAX_CALLERS = 1000
_BURST_SECONDS = 10.0
"""A caller that was idle for this long may send all requests of that time at once."""

_HEALTH_CHECKS = ("/healthz", "/readyz")


@dataclass
class _Bucket:
    n_left: float
    updated: float


class RateLimit:
    """How many requests each caller may still send.

    Parameters
    ----------
    rate : float or None
        Requests per second and caller, above 0; None for no limit.
    clock : callable
        Returns the time in seconds.
    """

    def __init__(self, rate: float | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._clock = clock
        self._buckets: LruCache[tuple[str, str], _Bucket] = LruCache(_MAX_CALLERS)

    def count(self, key: tuple[str, str]) -> None:
        """Count a request of a caller.

        Raises
        ------
        Problem
            429 if there were too many.
        """
        if self._rate is None:
            return
        now = self._clock()
        most = max(1.0, self._rate * _BURST_SECONDS)
        bucket = self._buckets.get_or_compute(key, lambda: _Bucket(most, now))
        bucket.n_left = min(most, bucket.n_left + (now - bucket.updated) * self._rate)
        bucket.updated = now
        if bucket.n_left < 1.0:
            raise _too_many(self._rate, (1.0 - bucket.n_left) / self._rate)
        bucket.n_left -= 1.0

    def discount(self, key: tuple[str, str]) -> None:
        """Undo the last count of a caller."""
        bucket = self._buckets.get(key)
        if bucket is not None:
            bucket.n_left += 1.0


class Rates:
    """Return 429 to callers that send too many requests.

    Requests count for the name of the token, or for the address of a client without a token.
    Health checks and assets are not counted. Callers without access are counted by `Access`.

    Parameters
    ----------
    app : ASGIApp
        The wrapped application.
    rate : float or None
        Requests per second and caller, above 0; None for no limit.
    clock : callable
        Returns the time in seconds.
    """

    def __init__(
        self, app: ASGIApp, rate: float | None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._app = app
        self._limit = RateLimit(rate, clock)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, unless the caller has sent too many."""
        if scope["type"] == "http":
            path = scope["path"]
            if path not in _HEALTH_CHECKS and not path.startswith("/assets/"):
                self._limit.count(_key(scope))
        await self._app(scope, receive, send)


def _key(scope: Scope) -> tuple[str, str]:
    caller: Caller = scope["state"]["caller"]
    if caller.has_token:
        return "token", caller.name
    return address_key(scope)


def address_key(scope: Scope) -> tuple[str, str]:
    """Return the address of a client, as a caller."""
    client = scope.get("client")  # a Unix socket has none
    return "address", client[0] if client else ""


def _too_many(rate: float, seconds: float) -> Problem:
    wait = math.ceil(seconds)
    return Problem(
        429,
        f"too many requests: expected at most {rate:g} per second; try again in {wait} s",
        headers={"Retry-After": str(wait)},
        expected=f"at most {rate:g} requests per second",
        way_out=f"wait {wait} s, or raise the server's limit",
    )
