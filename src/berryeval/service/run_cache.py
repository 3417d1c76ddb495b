"""The runs that were asked for last, so that the next question finds them in memory."""

from __future__ import annotations

import threading
from collections import OrderedDict

from berryeval.archive import Archive
from berryeval.core.run import Run

__all__ = ["RunCache"]

_MOST_ROWS = 10_000_000
"""About half a gigabyte."""


class RunCache:
    """Rankings by the id of their run. They never change, so that nothing here gets old."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._runs: OrderedDict[str, Run] = OrderedDict()
        self._lock = threading.Lock()

    def load(self, run_id: str) -> Run:
        """Return a run from memory or the archive.

        Raises
        ------
        NotFoundError
            If there is no such run.
        """
        with self._lock:
            found = self._runs.get(run_id)
            if found is not None:
                self._runs.move_to_end(run_id)
                return found
        run = self._archive.runs.load(run_id)
        with self._lock:
            self._runs[run_id] = run
            while len(self._runs) > 1 and self._n_rows() > _MOST_ROWS:
                self._runs.popitem(last=False)
        return run

    def _n_rows(self) -> int:
        return sum(run.n_rows for run in self._runs.values())

    def forget(self, run_id: str) -> None:
        """Drop a run that was removed."""
        with self._lock:
            self._runs.pop(run_id, None)
