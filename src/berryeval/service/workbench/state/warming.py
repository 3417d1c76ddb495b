"""Reads the data of the first requests in the background."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, wait

from starlette.datastructures import State

from berryeval.archive import Archive
from berryeval.core.events import event_logger
from berryeval.errors import BerryEvalError
from berryeval.service.shared_work import in_thread
from berryeval.service.workbench.state.run_directory import RunDirectory
from berryeval.service.workbench.state.scoring import Scoring

__all__ = ["LARGE", "WarmUp", "is_reading"]

_log = event_logger("berryeval.service")

LARGE = 100_000
"""Number of changes from which reading the judgments takes too long for a page."""

_PATIENCE_SECONDS = 2.0
_SECONDS_BEFORE_START = 0.3


class WarmUp:
    """Reads the lists of runs and queries, the newest run and the judgments in threads.

    The service responds from the start: data that was not read yet is read on request, and
    nothing is read twice. `start` waits briefly only for the lists, which every page shows.
    """

    def __init__(self, archive: Archive, scoring: Scoring, directory: RunDirectory) -> None:
        self._archive = archive
        self._scoring = scoring
        self._directory = directory
        self._is_stopping = False
        self._done: Future[None] = Future()

    def start(self) -> None:
        """Start reading; return when the lists are read, or after a moment."""
        lists = in_thread(self._read_lists, "warm-up")
        self._done = in_thread(lambda: self._read_rest(lists), "warm-up")
        wait([lists], _SECONDS_BEFORE_START)

    def stop(self) -> None:
        """Stop reading, and wait briefly for running reads."""
        self._is_stopping = True
        self.wait(_PATIENCE_SECONDS)

    def wait(self, seconds: float) -> bool:
        """Wait until everything is read; return whether that was in time."""
        return bool(wait([self._done], seconds).done)

    def _read_lists(self) -> None:
        self._read_each(self._directory.current, self._scoring.queries)

    def _read_rest(self, lists: Future[None]) -> None:
        wait([lists])
        self._read_each(self._read_newest_run, self._archive.judgments.prepare)

    def _read_each(self, *steps: Callable[[], object]) -> None:
        for step in steps:
            if self._is_stopping:
                return
            try:
                step()
            except BerryEvalError as error:
                # The request that needs it reports the error.
                _log.debug("prefetch failed", extra={"reason": str(error)})
            except Exception:  # noqa: BLE001 - a bug must be logged
                _log.exception("bug")

    def _read_newest_run(self) -> None:
        for run in self._archive.runs.page(limit=1, newest_first=True).items:
            self._scoring.run(run.run_id)
            self._scoring.evaluation(run.run_id)


def is_reading(state: State) -> bool:
    """Whether a large archive is still being read."""
    warm_up: WarmUp = state.warm_up
    archive: Archive = state.archive
    return not warm_up.wait(0) and archive.judgments.revision() > LARGE
