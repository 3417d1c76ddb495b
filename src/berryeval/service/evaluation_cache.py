"""Evaluations as the bytes of their answers.

An evaluation changes only with the weights of queries, and goes with its run. So an answer is
trusted for a second, and then the archive is asked again.
"""

from __future__ import annotations

import time
from typing import NamedTuple

from berryeval.service.lru_cache import LruCache

__all__ = ["CachedAnswer", "EvaluationCache"]

_TRUSTED_SECONDS = 1.0
_MOST = 2000


class CachedAnswer(NamedTuple):
    """The body of an answer, and its ETag."""

    body: bytes
    etag: str
    trusted_until: float


class EvaluationCache:
    """The answers that were asked for last."""

    def __init__(self) -> None:
        self._answers: LruCache[tuple[str, int], CachedAnswer] = LruCache(_MOST)

    def get(self, key: tuple[str, int]) -> CachedAnswer | None:
        """Return an answer that can be trusted, or None.

        The key is an evaluation's id, and how often queries were written.
        """
        found = self._answers.get(key)
        return found if found is not None and time.monotonic() < found.trusted_until else None

    def put(self, key: tuple[str, int], body: bytes, etag: str) -> CachedAnswer:
        """Keep an answer."""
        answer = CachedAnswer(body, etag, time.monotonic() + _TRUSTED_SECONDS)
        self._answers.put(key, answer)
        return answer
