"""Recently used runs, cached in memory."""

from __future__ import annotations

from berryeval.archive import Archive
from berryeval.core.run import Run
from berryeval.service.lru_cache import LruCache

__all__ = ["RunCache"]

_MOST_ROWS = 10_000_000
"""About half a gigabyte."""


class RunCache:
    """Rankings by the id of their run. They never change, so entries never expire."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._runs: LruCache[str, Run] = LruCache(_MOST_ROWS, lambda run: run.n_rows)

    def load(self, run_id: str) -> Run:
        """Return a run from memory or the archive.

        Raises
        ------
        NotFoundError
            If there is no such run.
        """
        return self._runs.get_or_compute(run_id, lambda: self._archive.runs.load(run_id))

    def forget(self, run_id: str) -> None:
        """Drop a run that was removed."""
        self._runs.forget(run_id)
