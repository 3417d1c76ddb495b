"""Evaluations as the bytes of their answers.

An evaluation never changes, but it goes with its run. So an answer is trusted for a second, and
then the archive is asked whether it still has it.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from typing import NamedTuple

__all__ = ["CachedAnswer", "EvaluationCache"]

_TRUSTED_SECONDS = 1.0
_MOST = 2000


class CachedAnswer(NamedTuple):
    """The body of an answer, and its ETag."""

    body: bytes
    etag: str
    trusted_until: float


class EvaluationCache:
    """The answers that were asked for last; used from the event loop alone."""

    def __init__(self) -> None:
        self._answers: OrderedDict[str, CachedAnswer] = OrderedDict()

    def get(self, evaluation_id: str) -> CachedAnswer | None:
        """Return an answer that can be trusted, or None."""
        found = self._answers.get(evaluation_id)
        return found if found is not None and time.monotonic() < found.trusted_until else None

    def put(self, evaluation_id: str, body: bytes, etag: str) -> CachedAnswer:
        """Keep an answer."""
        answer = CachedAnswer(body, etag, time.monotonic() + _TRUSTED_SECONDS)
        self._answers[evaluation_id] = answer
        self._answers.move_to_end(evaluation_id)
        if len(self._answers) > _MOST:
            self._answers.popitem(last=False)
        return answer
