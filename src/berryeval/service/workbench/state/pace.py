"""When to recount judgments that keep changing."""

from __future__ import annotations

import time

__all__ = ["Pace"]

_LONGEST_WAIT_SECONDS = 15.0
_REST = 4.0


class Pace:
    """When to recount: once judging pauses, or has gone on for long; then after a rest.

    The rest is a multiple of the time that the count took, so that continuous judging leaves most
    of the processor to the pages.
    """

    def __init__(self, quiet_seconds: float) -> None:
        self.quiet_seconds = quiet_seconds
        self._seen: int | None = None
        self._changed = self._behind_since = self._rests_until = self._began = 0.0

    def is_due(self, revision: int) -> bool:
        """Whether to count a revision of the judgments that is not counted yet."""
        now = time.monotonic()
        if self._seen is None:
            self._behind_since = now
        if revision != self._seen:
            self._seen, self._changed = revision, now
        is_quiet = now - self._changed >= self.quiet_seconds
        is_late = now - self._behind_since >= _LONGEST_WAIT_SECONDS
        return now >= self._rests_until and (is_quiet or is_late)

    def __enter__(self) -> None:
        self._began = time.monotonic()

    def __exit__(self, *error: object) -> None:
        self._seen = None
        self._rests_until = time.monotonic() + _REST * (time.monotonic() - self._began)
