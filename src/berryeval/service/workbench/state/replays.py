"""Would earlier runs have passed? Verdicts that nobody keeps, found in the background.

A gate, kept or still being edited, is put to runs of the archive one after the other, the newest
first. What was found is remembered by the settings, the run, the baseline and the judgments, so
that an edit that is taken back costs nothing. A page asks for all of it again and again, and gets
what is there by then; what no page asks for any more is dropped.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, TypeAlias

from berryeval.archive import Archive
from berryeval.archive.records import StoredRun
from berryeval.core.events import event_logger
from berryeval.errors import BerryEvalError
from berryeval.service.answers import etag_of, json_bytes
from berryeval.service.lru_cache import LruCache
from berryeval.service.run_cache import RunCache
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
"""As gates have them, and what cannot be decided at all."""

_MOST_OUTCOMES = 2_000
_MOST_SETTINGS = 200
_ASKED_SECONDS = 20.0
"""For how long a question is worked on after it was asked."""

_log = event_logger("berryeval.service")


@dataclass(frozen=True)
class Outcome:
    """What a gate would have said of a run."""

    verdict: ReplayVerdict
    sentence: str
    report: Mapping[str, Any] | None = None
    """As `gate_as_dict` has it; None if nothing could be decided."""


Decide: TypeAlias = "Callable[[Mapping[str, Any], StoredRun, StoredRun | None], Outcome]"
"""Decides by the settings of a gate on a run, held against a baseline."""


class Question(NamedTuple):
    """Settings, and the runs that they are put to, the newest first."""

    settings: Mapping[str, Any]
    runs: Sequence[StoredRun]
    baseline: StoredRun | None
    state: str
    """Of judgments and queries: whatever changes when a verdict might."""

    def keys(self) -> list[tuple[str, str, str | None, str]]:
        """Return what each run's outcome is remembered by."""
        settings = key_of(self.settings)
        baseline = None if self.baseline is None else self.baseline.run_id
        return [(settings, run.run_id, baseline, self.state) for run in self.runs]


def key_of(settings: Mapping[str, Any]) -> str:
    """Return a short name for these very settings, fit for an address."""
    return etag_of(json_bytes(settings)).strip('"')


class Replays:
    """Outcomes, and the one thread that finds them."""

    def __init__(self, decide: Decide) -> None:
        self._decide = decide
        self._outcomes: LruCache[tuple[str, str, str | None, str], Outcome] = LruCache(
            _MOST_OUTCOMES
        )
        self._asked: OrderedDict[str, tuple[Question, float]] = OrderedDict()
        self._settings: LruCache[str, Mapping[str, Any]] = LruCache(_MOST_SETTINGS)
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._is_closed = False

    def ask(self, question: Question) -> list[Outcome | None]:
        """Return what is known for each run, and look for the rest; the last question is first."""
        keys = question.keys()
        with self._lock:
            name = key_of(question.settings)
            self._settings.put(name, question.settings)
            found = [self._outcomes.get(key) for key in keys]
            if None in found and not self._is_closed:
                self._asked[name] = question, time.monotonic()
                self._asked.move_to_end(name)
                if self._thread is None:
                    self._thread = threading.Thread(
                        target=self._work, name="berryeval-replay", daemon=True
                    )
                    self._thread.start()
        return found

    def settings_of(self, key: str) -> Mapping[str, Any] | None:
        """Return settings that were asked about by what `key_of` calls them."""
        return self._settings.get(key)

    def close(self) -> None:
        """Stop after the verdict that is being found."""
        with self._lock:
            self._is_closed = True
            self._asked.clear()
            thread = self._thread
        if thread is not None:
            thread.join()

    def _work(self) -> None:
        while (wanted := self._next()) is not None:
            key, settings, run, baseline = wanted
            try:
                outcome = self._decide(settings, run, baseline)
            except BerryEvalError as error:
                outcome = Outcome("undecided", str(error))
            except Exception:  # noqa: BLE001 - a bug must not end the thread, nor stay unseen
                _log.exception("bug", extra={"run": run.run_id})
                outcome = Outcome("undecided", "something that should not happen; see the log")
            self._outcomes.put(key, outcome)

    def _next(self) -> tuple[Any, Mapping[str, Any], StoredRun, StoredRun | None] | None:
        """Return the newest run that is not decided of the question that was asked last."""
        with self._lock:
            for name in [*reversed(self._asked)]:
                question, asked_at = self._asked[name]
                if time.monotonic() - asked_at < _ASKED_SECONDS:
                    for key, run in zip(question.keys(), question.runs, strict=True):
                        if key not in self._outcomes:
                            return key, question.settings, run, question.baseline
                del self._asked[name]
            self._thread = None
            return None


_TOLD: Mapping[ReplayVerdict | None, tuple[str, str]] = {
    "pass": ("passes", "pass"),
    "fail": ("fails", "fail"),
    "inconclusive": ("is inconclusive", "are inconclusive"),
    "undecided": ("cannot be decided", "cannot be decided"),
    None: ("is still to be decided", "are still to be decided"),
}
"""What is said of one run, and of several."""


def open_replays(archive: Archive, runs: RunCache) -> Replays:
    """Return replays that decide at the judgments of now, and keep no verdict."""

    def decide(settings: Mapping[str, Any], run: StoredRun, baseline: StoredRun | None) -> Outcome:
        whole = archive.runs.get(run.run_id) or run  # lists leave out how long queries took
        decided, _ = decide_at_present(archive, runs, settings, whole, baseline, is_brief=True)
        report = report_of(replace(decided, comparison=None))
        return Outcome(decided.verdict, decided.sentence, report)

    return Replays(decide)


def tally(outcomes: Sequence[Outcome | None]) -> str:
    """Say how many runs pass, fail and so on.

    Examples
    --------
    >>> tally([Outcome("pass", ""), Outcome("pass", ""), Outcome("fail", ""), None])
    '2 pass, 1 fails, 1 is still to be decided'
    """
    return ", ".join(_counted(outcomes)) or "no run yet"


def _counted(outcomes: Sequence[Outcome | None]) -> Iterator[str]:
    verdicts = [None if outcome is None else outcome.verdict for outcome in outcomes]
    for verdict, (one, many) in _TOLD.items():
        n_runs = verdicts.count(verdict)
        if n_runs:
            yield f"{n_runs} {one if n_runs == 1 else many}"
