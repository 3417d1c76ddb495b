"""Reads in the background what the first questions would wait for."""

from __future__ import annotations

import logging
import threading

from berryeval.archive import Archive
from berryeval.errors import BerryEvalError
from berryeval.service.workbench.scoring import Scoring

__all__ = ["WarmUp"]

_log = logging.getLogger("berryeval.service")

_PATIENCE_SECONDS = 2.0


class WarmUp:
    """A thread that reads queries, the newest run and the judgments, and then ends.

    A service answers from the first moment on: what is not read yet is read when it is asked
    for, and nobody reads it twice.
    """

    def __init__(self, archive: Archive, scoring: Scoring) -> None:
        self._archive = archive
        self._scoring = scoring
        self._is_stopping = False
        self._is_done = threading.Event()
        self._thread = threading.Thread(target=self._read, name="warm-up", daemon=True)

    def start(self) -> None:
        """Begin to read."""
        self._thread.start()

    def stop(self) -> None:
        """Read nothing more, and wait a little for what is being read."""
        self._is_stopping = True
        self._thread.join(_PATIENCE_SECONDS)

    def wait(self, seconds: float) -> bool:
        """Wait for the end at most so long, and tell whether it came."""
        return self._is_done.wait(seconds)

    def _read(self) -> None:
        try:
            self._read_all()
        finally:
            self._is_done.set()

    def _read_all(self) -> None:
        for step in (self._scoring.queries, self._read_newest_run, self._archive.judgments.prepare):
            if self._is_stopping:
                return
            try:
                step()
            except BerryEvalError as error:
                # Whoever needs it is told; here it only says that nothing is prepared.
                _log.debug("not read ahead", extra={"reason": str(error)})

    def _read_newest_run(self) -> None:
        for run in self._archive.runs.page(limit=1, newest_first=True).items:
            self._scoring.run(run.run_id)
            self._scoring.evaluation(run.run_id)
