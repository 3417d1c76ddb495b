"""A limit on the number of requests per caller."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

from starlette.types import ASGIApp, Receive, Scope, Send

from berryeval.service.lru_cache import LruCache
from berryeval.service.problems import Problem

__all__ = ["Rates", "TokenBuckets"]

_MOST_CALLERS = 10_000
_BURST_SECONDS = 10.0
"""How many seconds of its rate a caller may save up."""


@dataclass
class _Bucket:
    tokens: float
    filled: float


class TokenBuckets:
    """For each caller, how many requests it may still send.

    Parameters
    ----------
    rate : float
        Requests per second; ten seconds of them may come at once.
    """

    def __init__(self, rate: float) -> None:
        self._rate = rate
        self._burst = max(1.0, rate * _BURST_SECONDS)
        self._buckets: LruCache[str, _Bucket] = LruCache(_MOST_CALLERS)

    def take(self, caller: str) -> float:
        """Take a request of a caller; return 0, or the seconds until it may send the next one."""
        now = time.monotonic()
        bucket = self._buckets.get_or_compute(caller, lambda: _Bucket(self._burst, now))
        bucket.tokens = min(self._burst, bucket.tokens + (now - bucket.filled) * self._rate)
        bucket.filled = now
        if bucket.tokens < 1.0:
            return (1.0 - bucket.tokens) / self._rate
        bucket.tokens -= 1.0
        return 0.0


class Rates:
    """Return 429 to callers that send too many requests.

    Parameters
    ----------
    app : ASGIApp
        The wrapped application.
    rate : float or None
        Requests per second and caller; None for no limit.
    """

    def __init__(self, app: ASGIApp, rate: float | None) -> None:
        self._app = app
        self._rate = rate
        self._buckets = None if rate is None else TokenBuckets(rate)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, unless there were too many."""
        if scope["type"] == "http" and self._buckets is not None:
            caller = scope["state"]["caller"]
            # Callers without a name of their own are told apart by their address.
            key = caller.name if caller.is_known else str((scope.get("client") or ("",))[0])
            seconds = self._buckets.take(key)
            if seconds > 0:
                raise too_many(self._rate or 0.0, seconds)
        await self._app(scope, receive, send)


def too_many(rate: float, seconds: float) -> Problem:
    """Return the problem of a caller that has to wait for some seconds."""
    wait = max(1, math.ceil(seconds))
    return Problem(
        429,
        f"more than {rate:g} requests per second; try again in {wait} s",
        headers={"Retry-After": str(wait)},
        expected=f"at most {rate:g} requests per second",
        way_out=f"wait {wait} s",
    )
