"""Reads in the background what the first questions would wait for."""

from __future__ import annotations

import threading
from collections.abc import Callable

from starlette.datastructures import State

from berryeval.archive import Archive
from berryeval.core.events import event_logger
from berryeval.errors import BerryEvalError
from berryeval.service.workbench.state.run_directory import RunDirectory
from berryeval.service.workbench.state.scoring import Scoring

__all__ = ["LARGE", "WarmUp", "is_reading"]

_log = event_logger("berryeval.service")

LARGE = 100_000
"""Changes of judgments that take longer to read than a page may take."""

_PATIENCE_SECONDS = 2.0
_SECONDS_BEFORE_START = 0.3


class WarmUp:
    """A thread that reads the list of runs, queries, the newest run and the judgments, and ends.

    A service answers from the first moment on: what is not read yet is read when it is asked
    for, and nobody reads it twice. Only for lists, which every page has, it waits a moment.
    """

    def __init__(self, archive: Archive, scoring: Scoring, directory: RunDirectory) -> None:
        self._archive = archive
        self._scoring = scoring
        self._directory = directory
        self._is_stopping = False
        self._has_lists = threading.Event()
        self._is_done = threading.Event()
        self._thread = threading.Thread(target=self._read, name="warm-up", daemon=True)

    def start(self) -> None:
        """Begin to read; return when the lists are there, and in a moment at the latest."""
        self._thread.start()
        self._has_lists.wait(_SECONDS_BEFORE_START)

    def stop(self) -> None:
        """Read nothing more, and wait a little for what is being read."""
        self._is_stopping = True
        self._thread.join(_PATIENCE_SECONDS)

    def wait(self, seconds: float) -> bool:
        """Wait for the end at most so long, and tell whether it came."""
        return self._is_done.wait(seconds)

    def _read(self) -> None:
        try:
            self._read_each(self._directory.current, self._scoring.queries)
            self._has_lists.set()
            self._read_each(self._read_newest_run, self._archive.judgments.prepare)
        finally:
            self._has_lists.set()
            self._is_done.set()

    def _read_each(self, *steps: Callable[[], object]) -> None:
        for step in steps:
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


def is_reading(state: State) -> bool:
    """Whether a large archive is still being read."""
    warm_up: WarmUp = state.warm_up
    archive: Archive = state.archive
    return not warm_up.wait(0) and archive.judgments.revision() > LARGE
