"""The means of many runs at the same judgments, kept in memory and brought up to date aside.

Trends show a hundred runs at once: scoring them takes seconds, and a page may not. So a thread
scores the runs that pages asked for, and pages show the last complete state meanwhile. Nothing
is written into the archive: while people judge, each state lasts a moment only.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Annotated, NamedTuple, TypeAlias

from fastapi import Depends, Request

from berryeval.archive import Archive
from berryeval.core.judgments import Judgments
from berryeval.errors import BerryEvalError, NotFoundError
from berryeval.evaluation.evaluate import evaluate
from berryeval.evaluation.result import Evaluation
from berryeval.measures import Measure
from berryeval.service.workbench.standing import interval_method
from berryeval.stats import Interval

__all__ = [
    "JudgmentsAt",
    "KeeperDep",
    "Kept",
    "Mean",
    "RunSummary",
    "ScoreKeeper",
    "keeper_of",
    "summary_of",
]

_MOST_RUNS = 1000
"""How many runs are kept up to date: those that were asked for last."""
_QUIET_SECONDS = 1.0
_LONGEST_WAIT_SECONDS = 15.0
_PATIENCE_SECONDS = 0.08
_REST = 4.0
_SECONDS_AFTER_ERROR = 5.0

_log = logging.getLogger("berryeval.service")


class JudgmentsAt(NamedTuple):
    """The judgments at a moment."""

    revision: int
    """Of a change that they have: the newest, or one shortly before it."""
    judgments: Judgments
    hash: str


@dataclass(frozen=True, slots=True)
class Mean:
    """The mean of a measure."""

    value: float
    interval: Interval | None
    """Of 95%; None where there is none."""


@dataclass(frozen=True, slots=True)
class RunSummary:
    """What is kept of a run."""

    means: Mapping[str, Mean]
    """By measure; none where the run cannot be scored."""
    reason: str | None = None
    """Why there are no means."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What is known of some runs, all at the same judgments."""

    summaries: Mapping[str, RunSummary]
    """By run, without those that wait."""
    state: JudgmentsAt | None
    """The judgments; None before the first count."""
    as_of: datetime | None
    """When they were the newest."""
    n_waiting: int
    """How many of the runs are not scored yet."""
    n_newer: int
    """How many changes of judgments are not counted yet."""

    @property
    def is_current(self) -> bool:
        """Whether nothing is being counted any more."""
        return not self.n_waiting and not self.n_newer


@dataclass(eq=False)
class _Generation:
    """Summaries at one state of the judgments."""

    state: JudgmentsAt
    as_of: datetime
    summaries: dict[str, RunSummary] = field(default_factory=dict)


class _Pace:
    """When to count again: once judging pauses, or goes on for long; then a rest.

    The rest is some times as long as the count took, so that people who judge without a pause
    leave most of the machine to the pages.
    """

    def __init__(self, quiet_seconds: float) -> None:
        self.quiet_seconds = quiet_seconds
        self._seen: int | None = None
        self._changed = self._behind_since = self._rests_until = self._began = 0.0

    def is_due(self, revision: int) -> bool:
        """Whether to count judgments of a revision that is not counted yet."""
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


def summary_of(evaluation: Evaluation) -> RunSummary:
    """Return the means of an evaluation with their intervals, without the scores of queries."""
    method = interval_method(evaluation.n_queries)
    means = {
        name: Mean(result.mean, result.interval_at(method=method))
        for name, result in evaluation.items()
    }
    return RunSummary(means)


class ScoreKeeper:
    """Summaries of the runs that pages ask for, at one state of the judgments.

    Parameters
    ----------
    revision : callable
        Returns the revision of the newest judgment, quickly.
    state : callable
        Returns the judgments as they are.
    score : callable
        Evaluates a run, by its id, at a state.
    quiet_seconds : float
        How long judgments have to stay as they are before they are counted.
    patience : float
        Seconds that a page may wait for runs that were never scored.
    """

    def __init__(
        self,
        revision: Callable[[], int],
        state: Callable[[], JudgmentsAt],
        score: Callable[[JudgmentsAt, str], Evaluation],
        *,
        quiet_seconds: float = _QUIET_SECONDS,
        patience: float = _PATIENCE_SECONDS,
    ) -> None:
        self._revision = revision
        self._state = state
        self._score = score
        self._pace = _Pace(quiet_seconds)
        self._patience = patience
        self._wanted: OrderedDict[str, None] = OrderedDict()
        self._shown: _Generation | None = None
        self._lock = threading.Lock()
        self._progress = threading.Condition(self._lock)
        self._asked = threading.Event()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to count in the background."""
        self._stopping.clear()
        self._thread = threading.Thread(target=self._run, name="berryeval-scores", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop, at the latest after the run that is being scored."""
        self._stopping.set()
        self._asked.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def summaries(self, run_ids: Iterable[str]) -> Kept:
        """Return what is known of runs, and see to the rest in the background.

        The first of the runs is scored first. Waits a moment for runs that were never scored, so
        that pages of small archives are complete at once; never for newer judgments.
        """
        wanted = list(dict.fromkeys(run_ids))
        last = time.monotonic() + self._patience
        newest = self._revision()
        with self._lock:
            self._want(wanted)
            found = self._known(wanted, newest)
            if not found.is_current:
                self._asked.set()
            while found.n_waiting and self._progress.wait(last - time.monotonic()):
                found = self._known(wanted, newest)
        return found

    def _known(self, wanted: Sequence[str], newest: int) -> Kept:
        shown = self._shown
        if shown is None:
            return Kept({}, None, None, len(wanted), 0)
        summaries = {one: shown.summaries[one] for one in wanted if one in shown.summaries}
        n_newer = max(0, newest - shown.state.revision)
        return Kept(summaries, shown.state, shown.as_of, len(wanted) - len(summaries), n_newer)

    def forget(self, run_id: str) -> None:
        """Drop a run that was removed."""
        with self._lock:
            self._wanted.pop(run_id, None)
            if self._shown is not None:
                self._shown.summaries.pop(run_id, None)

    def _want(self, run_ids: list[str]) -> None:
        for run_id in reversed(run_ids):  # the last of the dictionary is scored first
            self._wanted[run_id] = None
            self._wanted.move_to_end(run_id)
        while len(self._wanted) > _MOST_RUNS:
            dropped, _ = self._wanted.popitem(last=False)
            if self._shown is not None:
                self._shown.summaries.pop(dropped, None)

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._asked.wait()
            self._asked.clear()
            try:
                self._catch_up()
            except Exception:  # noqa: BLE001 - neither a database that is away nor a bug may end it
                _log.exception("scores could not be brought up to date")
                self._stopping.wait(_SECONDS_AFTER_ERROR)

    def _catch_up(self) -> None:
        """Score until every run that is wanted has its means at the newest judgments."""
        if self._shown is None:
            self._shown = self._generation()
        while not self._stopping.is_set():
            if self._score_next(self._shown):
                continue
            newest = self._revision()
            if newest == self._shown.state.revision:
                return
            if self._pace.is_due(newest):
                with self._pace:
                    self._count_anew(self._shown)
            else:
                self._asked.wait(self._pace.quiet_seconds / 4)
                self._asked.clear()

    def _generation(self) -> _Generation:
        return _Generation(self._state(), datetime.now(timezone.utc))

    def _count_anew(self, before: _Generation) -> None:
        """Score all that is wanted at the newest judgments, then show it at once."""
        generation = self._generation()
        if before.state.hash == generation.state.hash:  # judged, and taken back
            generation.summaries = before.summaries
        # What nobody has seen at any judgments is shown at those of before as soon as it is known.
        while not self._stopping.is_set():
            if not (self._score_next(before) or self._score_next(generation)):
                self._shown = generation
                return

    def _score_next(self, generation: _Generation) -> bool:
        """Score the run that was asked for last and has no means yet; False if there is none."""
        with self._lock:
            known = generation.summaries
            run_id = next((one for one in reversed(self._wanted) if one not in known), None)
        if run_id is None:
            return False
        summary = self._summary(generation.state, run_id)
        with self._lock:
            if summary is None:
                self._wanted.pop(run_id, None)
            elif run_id in self._wanted:
                generation.summaries[run_id] = summary
            self._progress.notify_all()
        return True

    def _summary(self, state: JudgmentsAt, run_id: str) -> RunSummary | None:
        try:
            return summary_of(self._score(state, run_id))
        except NotFoundError:
            return None  # it was removed meanwhile
        except BerryEvalError as error:
            return RunSummary({}, str(error))
        except Exception:  # noqa: BLE001 - nor may a bug, which the log shows
            _log.exception("bug", extra={"run": run_id})
            return RunSummary({}, "it could not be scored; the log of the service says why")


def keeper_of(archive: Archive, measures: Sequence[Measure]) -> ScoreKeeper:
    """Return what keeps the means of an archive's runs; to be started and closed."""

    def state() -> JudgmentsAt:
        revision = archive.judgments.revision()  # before the rest: whatever comes is counted again
        return JudgmentsAt(revision, *archive.judgments.as_of(None))

    def score(at: JudgmentsAt, run_id: str) -> Evaluation:
        stored = archive.evaluations.find(run_id, measures, judgments_hash=at.hash)
        if stored is not None:
            return stored
        return evaluate(at.judgments, archive.runs.load(run_id), measures)

    def revision() -> int:
        return archive.judgments.revision()

    return ScoreKeeper(revision, state, score)


async def _keeper(request: Request) -> ScoreKeeper:
    keeper: ScoreKeeper = request.app.state.keeper
    return keeper


KeeperDep: TypeAlias = Annotated[ScoreKeeper, Depends(_keeper)]
