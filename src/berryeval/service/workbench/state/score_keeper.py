"""The means of many runs with the same judgments, kept in memory and updated by a thread.

Trends show a hundred runs, which take seconds to score: too long for a page. So a thread scores
the runs that pages requested, and pages show the last complete state in the meantime. Nothing is
written to the archive: while judges work, each state is short-lived.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Annotated, TypeAlias

from berryeval.core.events import event_logger
from berryeval.errors import BerryEvalError, NotFoundError
from berryeval.evaluation.result import Evaluation
from berryeval.service.dependencies import from_state
from berryeval.service.workbench.state.run_summaries import (
    JudgmentsAt,
    KnownSummaries,
    RunSummary,
    summary_of,
)
from berryeval.service.workbench.state.scoring import Scoring
from berryeval.service.workbench.state.warming import LARGE

__all__ = ["MAX_RUNS", "KeeperDep", "ScoreKeeper", "keeper_of"]

MAX_RUNS = 1000
"""Maximum number of runs whose means are kept."""

_LEADING = 8
_REQUESTED_SECONDS = 120.0
_QUIET_SECONDS = 1.0
_PATIENCE_SECONDS = 0.08
_SECONDS_AFTER_ERROR = 5.0
_LONGEST_WAIT_SECONDS = 15.0
_REST = 9.0

_log = event_logger("berryeval.service")


class _Pace:
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


@dataclass(eq=False)
class _Generation:
    """Summaries with one state of the judgments."""

    state: JudgmentsAt
    as_of: datetime
    summaries: dict[str, RunSummary] = field(default_factory=dict)


class ScoreKeeper:
    """Summaries of the runs that pages request, with one state of the judgments.

    Parameters
    ----------
    revision : callable
        Returns the revision of the newest judgment, quickly.
    state : callable
        Returns the current judgments.
    score : callable
        Evaluates a run, by id, with a state. The last argument is whether the run is one of the
        first of a count, for which pages show more than means.
    on_settled : callable
        Called in the thread, when every requested run has its means with the newest judgments.
    quiet_seconds : float
        Seconds that judgments must stay unchanged before they are counted.
    patience : float
        Seconds that a page may wait for runs that were never scored; 0 while the judgments of a
        large archive are read for the first time.
    """

    def __init__(
        self,
        revision: Callable[[], int],
        state: Callable[[], JudgmentsAt],
        score: Callable[[JudgmentsAt, str, bool], Evaluation],
        *,
        on_settled: Callable[[], None] = lambda: None,
        quiet_seconds: float = _QUIET_SECONDS,
        patience: float = _PATIENCE_SECONDS,
    ) -> None:
        self._revision = revision
        self._state = state
        self._score = score
        self._on_settled = on_settled
        self._pace = _Pace(quiet_seconds)
        self._patience = patience
        # When each run was last requested. An `LruCache` would not do: a dropped run takes its
        # summary with it, and the thread scores the runs from the latest on.
        self._wanted: OrderedDict[str, float] = OrderedDict()
        self._shown: _Generation | None = None
        self._lock = threading.Lock()
        self._progress = threading.Condition(self._lock)
        self._requested = threading.Event()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start counting in the background."""
        self._stopping.clear()
        self._thread = threading.Thread(target=self._run, name="berryeval-scores", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop, at the latest after the current run."""
        self._stopping.set()
        self._requested.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def summaries(self, run_ids: Iterable[str]) -> KnownSummaries:
        """Return the known summaries, and compute the others in the background.

        The first run is scored first. Waits a moment for runs that were never scored, so that
        pages of small archives are complete at once; never for newer judgments.
        """
        wanted = list(dict.fromkeys(run_ids))
        newest = self._revision()
        skip_wait = self._shown is None and newest > LARGE
        last = time.monotonic() + (0.0 if skip_wait else self._patience)
        with self._lock:
            self._want(wanted)
            found = self._known(wanted, newest)
            if not found.is_current:
                self._requested.set()
            while found.n_waiting and self._progress.wait(last - time.monotonic()):
                found = self._known(wanted, newest)
        return found

    def _known(self, wanted: Sequence[str], newest: int) -> KnownSummaries:
        shown = self._shown
        if shown is None:
            return KnownSummaries({}, None, None, len(wanted), 0)
        summaries = {one: shown.summaries[one] for one in wanted if one in shown.summaries}
        n_newer = max(0, newest - shown.state.revision)
        return KnownSummaries(
            summaries, shown.state, shown.as_of, len(wanted) - len(summaries), n_newer
        )

    def forget(self, run_id: str) -> None:
        """Drop a run that was removed."""
        with self._lock:
            self._wanted.pop(run_id, None)
            if self._shown is not None:
                self._shown.summaries.pop(run_id, None)

    def _want(self, run_ids: list[str]) -> None:
        for run_id in reversed(run_ids):  # the last of the dictionary is scored first
            self._wanted[run_id] = time.monotonic()
            self._wanted.move_to_end(run_id)
        while len(self._wanted) > MAX_RUNS:
            dropped, _ = self._wanted.popitem(last=False)
            if self._shown is not None:
                self._shown.summaries.pop(dropped, None)

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._requested.wait()
            self._requested.clear()
            try:
                self._catch_up()
            except Exception:  # noqa: BLE001 - neither an unavailable database nor a bug may end the thread
                _log.exception("scores could not be updated")
                self._stopping.wait(_SECONDS_AFTER_ERROR)

    def _catch_up(self) -> None:
        """Score until every requested run has its means with the newest judgments."""
        if self._shown is None:
            self._shown = self._generation()
        while not self._stopping.is_set():
            if self._score_next(self._shown):
                continue
            newest = self._revision()
            if newest == self._shown.state.revision:
                self._on_settled()
                return
            if self._pace.is_due(newest):
                with self._pace:
                    self._recount(self._shown)
            else:
                self._requested.wait(self._pace.quiet_seconds / 4)
                self._requested.clear()

    def _generation(self) -> _Generation:
        return _Generation(self._state(), datetime.now(timezone.utc))

    def _drop_unrequested(self) -> None:
        """Drop runs that no page requests; they are scored when one does."""
        oldest = time.monotonic() - _REQUESTED_SECONDS
        with self._lock:
            for run_id in [one for one, requested in self._wanted.items() if requested < oldest]:
                del self._wanted[run_id]

    def _recount(self, before: _Generation) -> None:
        """Score all requested runs with the newest judgments, then show them together."""
        self._drop_unrequested()
        generation = self._generation()
        states = before.state, generation.state
        if len({(state.hash, state.sampling) for state in states}) == 1:  # judged, and undone
            generation.summaries = before.summaries
        # Runs that were never scored are shown with the previous judgments as soon as possible.
        while not self._stopping.is_set():
            if not (self._score_next(before) or self._score_next(generation)):
                self._shown = generation
                return

    def _score_next(self, generation: _Generation) -> bool:
        """Score the latest requested run without means; return False if there is none."""
        with self._lock:
            known = generation.summaries
            run_id = next((one for one in reversed(self._wanted) if one not in known), None)
            is_leading = len(known) < _LEADING
        if run_id is None:
            return False
        summary = self._summary(generation.state, run_id, is_leading)
        with self._lock:
            if summary is None:
                self._wanted.pop(run_id, None)
            elif run_id in self._wanted:
                generation.summaries[run_id] = summary
            self._progress.notify_all()
        return True

    def _summary(self, state: JudgmentsAt, run_id: str, is_leading: bool) -> RunSummary | None:
        try:
            return summary_of(self._score(state, run_id, is_leading))
        except NotFoundError:
            return None  # it has been removed
        except BerryEvalError as error:
            return RunSummary({}, str(error))
        except Exception:  # noqa: BLE001 - nor may a bug, which is logged
            _log.exception("bug", extra={"run": run_id})
            return RunSummary({}, "it could not be scored; see the log of the service")


def keeper_of(scoring: Scoring) -> ScoreKeeper:
    """Return the keeper of an archive's runs, to be started and closed."""

    def state() -> JudgmentsAt:
        seen = scoring.revision()  # first, so that later changes are counted again
        return JudgmentsAt(seen, scoring.state())

    def score(at: JudgmentsAt, run_id: str, is_leading: bool) -> Evaluation:
        if is_leading:
            return scoring.evaluation(run_id, at.state)  # caches it for the pages
        return scoring.evaluation_once(run_id, at)

    return ScoreKeeper(scoring.revision, state, score, on_settled=scoring.release_memory)


KeeperDep: TypeAlias = Annotated[ScoreKeeper, from_state("keeper")]
