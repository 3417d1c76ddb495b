"""Would earlier runs have passed? Verdicts that are not stored, computed in the background.

A gate, saved or being edited, is applied to runs of the archive one by one, newest first.
Outcomes are cached by the settings, the run, the baseline and the judgments, so reverting an edit
costs nothing. A page polls for the outcomes known so far; work that no page requests any more is
dropped.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, TypeAlias

from berryeval.archive import Archive
from berryeval.archive.records import StoredRun
from berryeval.core.events import event_logger
from berryeval.errors import BerryEvalError
from berryeval.service.answers import etag_of, json_bytes
from berryeval.service.lru_cache import LruCache
from berryeval.service.stored_runs import RunCache
from berryeval.service.verdicts import decide_at_present, report_of

__all__ = [
    "N_RUNS",
    "Decide",
    "Outcome",
    "Question",
    "Replays",
    "key_of",
    "open_replays",
    "tally",
]

N_RUNS = 20

ReplayVerdict: TypeAlias = Literal["pass", "fail", "inconclusive", "undecided"]
"""The verdicts of gates, and ``undecided`` if there can be none."""

_MAX_OUTCOMES = 2_000
_MAX_SETTINGS = 200
_REQUESTED_SECONDS = 20.0
"""Seconds for which a question is worked on after the last request."""
_REST, _REST_WHILE_JUDGING = 1.0, 9.0
"""How long the thread rests after a verdict, as a multiple of the time that it took; longer if the
next judgment will outdate the verdict anyway, so that pages get the processor."""

_log = event_logger("berryeval.service")


@dataclass(frozen=True)
class Outcome:
    """The verdict that a gate would have given on a run."""

    verdict: ReplayVerdict
    sentence: str
    report: Mapping[str, Any] | None = None
    """The report of `gate_as_dict`; None if undecided."""


Decide: TypeAlias = "Callable[[Mapping[str, Any], StoredRun, StoredRun | None], Outcome]"
"""Applies the settings of a gate to a run and a baseline."""


class Question(NamedTuple):
    """Settings, and the runs that they are applied to, newest first."""

    settings: Mapping[str, Any]
    runs: Sequence[StoredRun]
    baseline: StoredRun | None
    state: str
    """A stamp of judgments and queries, which changes when a verdict might."""

    def keys(self) -> list[tuple[str, str, str | None, str]]:
        """Return the cache key of each run's outcome."""
        settings = key_of(self.settings)
        baseline = None if self.baseline is None else self.baseline.run_id
        return [(settings, run.run_id, baseline, self.state) for run in self.runs]


def key_of(settings: Mapping[str, Any]) -> str:
    """Return a short key of the settings, for use in addresses."""
    return etag_of(json_bytes(settings)).strip('"')


class Replays:
    """Outcomes, and the thread that computes them."""

    def __init__(self, decide: Decide) -> None:
        self._decide = decide
        self._outcomes: LruCache[tuple[str, str, str | None, str], Outcome] = LruCache(
            _MAX_OUTCOMES
        )
        self._requested: LruCache[str, Question] = LruCache(
            _MAX_SETTINGS, seconds=_REQUESTED_SECONDS
        )
        self._settings: LruCache[str, Mapping[str, Any]] = LruCache(_MAX_SETTINGS)
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._is_closed = False
        self._stopping = threading.Event()
        self._outdated_at = -_REQUESTED_SECONDS

    def ask(self, question: Question) -> list[Outcome | None]:
        """Return the known outcomes, and compute the others; the latest question comes first."""
        keys = question.keys()
        with self._lock:
            name = key_of(question.settings)
            self._settings.put(name, question.settings)
            found = [self._outcomes.get(key) for key in keys]
            if None in found and not self._is_closed:
                before = self._requested.get(name)
                if before is not None and before.state != question.state:
                    self._outdated_at = time.monotonic()
                self._requested.put(name, question)
                if self._thread is None:
                    self._thread = threading.Thread(
                        target=self._work, name="berryeval-replay", daemon=True
                    )
                    self._thread.start()
        return found

    def settings_of(self, key: str) -> Mapping[str, Any] | None:
        """Return requested settings by their key, see `key_of`."""
        return self._settings.get(key)

    def close(self) -> None:
        """Stop after the current verdict."""
        with self._lock:
            self._is_closed = True
            self._stopping.set()
            thread = self._thread
        if thread is not None:
            thread.join()

    def _work(self) -> None:
        while (wanted := self._next()) is not None:
            key, settings, run, baseline = wanted
            start = time.monotonic()
            try:
                outcome = self._decide(settings, run, baseline)
            except BerryEvalError as error:
                outcome = Outcome("undecided", str(error))
            except Exception:  # noqa: BLE001 - a bug must be logged, and must not end the thread
                _log.exception("bug", extra={"run": run.run_id})
                outcome = Outcome("undecided", "an internal error; see the log")
            self._outcomes.put(key, outcome)
            end = time.monotonic()
            is_judging = end - self._outdated_at < _REQUESTED_SECONDS
            self._stopping.wait((_REST_WHILE_JUDGING if is_judging else _REST) * (end - start))

    def _next(self) -> tuple[Any, Mapping[str, Any], StoredRun, StoredRun | None] | None:
        """Return the newest undecided run of the latest question."""
        with self._lock:
            while not self._is_closed and (latest := self._requested.find(lambda _name: True)):
                name, question = latest
                for key, run in zip(question.keys(), question.runs, strict=True):
                    if key not in self._outcomes:
                        return key, question.settings, run, question.baseline
                self._requested.forget(name)
            self._thread = None
            return None


_PHRASES: Mapping[ReplayVerdict | None, tuple[str, str]] = {
    "pass": ("passes", "pass"),
    "fail": ("fails", "fail"),
    "inconclusive": ("is inconclusive", "are inconclusive"),
    "undecided": ("cannot be decided", "cannot be decided"),
    None: ("is pending", "are pending"),
}
"""Phrases for one run and for several."""


def open_replays(archive: Archive, runs: RunCache) -> Replays:
    """Return replays with the current judgments, which store no verdicts."""
    passing = runs.passing()

    def decide(settings: Mapping[str, Any], run: StoredRun, baseline: StoredRun | None) -> Outcome:
        decided, _ = decide_at_present(archive, passing, settings, run, baseline, is_brief=True)
        report = report_of(replace(decided, comparison=None))
        return Outcome(decided.verdict, decided.sentence, report)

    return Replays(decide)


def tally(outcomes: Sequence[Outcome | None]) -> str:
    """Return how many runs pass, fail and so on.

    Examples
    --------
    >>> tally([Outcome("pass", ""), Outcome("pass", ""), Outcome("fail", ""), None])
    '2 pass, 1 fails, 1 is pending'
    """
    return ", ".join(_counted(outcomes)) or "no runs yet"


def _counted(outcomes: Sequence[Outcome | None]) -> Iterator[str]:
    verdicts = [None if outcome is None else outcome.verdict for outcome in outcomes]
    for verdict, (one, many) in _PHRASES.items():
        n_runs = verdicts.count(verdict)
        if n_runs:
            yield f"{n_runs} {one if n_runs == 1 else many}"
