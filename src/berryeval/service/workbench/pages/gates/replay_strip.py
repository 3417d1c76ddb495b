"""The strip of a replay: the verdicts of a gate on the latest runs that are known so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from berryeval.archive import Archive
from berryeval.archive.records import StoredRun
from berryeval.errors import NotFoundError
from berryeval.service.stored_runs import find_run
from berryeval.service.verdicts import find_anchor
from berryeval.service.workbench.state.replays import (
    N_RUNS,
    Outcome,
    Question,
    Replays,
    key_of,
    tally,
)

__all__ = ["Cell", "ReplayStrip", "question_of", "strip_of"]


@dataclass(frozen=True)
class Cell:
    """A run and its outcome."""

    run: StoredRun
    outcome: Outcome | None
    """None until it is decided."""
    before: Outcome | None
    """The outcome of the saved gate, if it was edited; None if unknown."""

    @property
    def is_changed(self) -> bool:
        """Whether the edit changes the verdict."""
        both = self.outcome, self.before
        return None not in both and both[0].verdict != both[1].verdict  # type: ignore[union-attr]

    @property
    def label(self) -> str:
        """A short name of the run."""
        return (self.run.facts.commit or self.run.run_id)[:7]


@dataclass(frozen=True)
class ReplayStrip:
    """A replay, oldest run first."""

    key: str
    """The key of the settings."""
    series: str
    """The name of the runs; empty for all."""
    cells: tuple[Cell, ...]
    baseline: StoredRun | None
    problem: str | None
    """Why there can be no verdicts."""
    is_edited: bool
    sentence: str
    sentence_before: str
    """The sentence about the saved gate; empty if it was not edited."""

    @property
    def is_finished(self) -> bool:
        """Whether all outcomes are known."""
        waiting = any(cell.outcome is None for cell in self.cells)
        waiting |= self.is_edited and any(cell.before is None for cell in self.cells)
        return self.problem is not None or not waiting

    @property
    def n_changed(self) -> int:
        """How many verdicts the edit changes."""
        return sum(cell.is_changed for cell in self.cells)


def strip_of(
    archive: Archive,
    replays: Replays,
    settings: Mapping[str, Any],
    saved: Mapping[str, Any] | None,
    series: str | None = None,
) -> ReplayStrip:
    """Return the known outcomes of a replay, and request the others.

    Parameters
    ----------
    settings : mapping
        The settings to replay, saved or not.
    saved : mapping or None
        The saved settings, in the same form; None for a new gate.
    series : str or None
        The series to replay; empty for all runs. None means the series of the baseline, if it
        is one: its next run is what a gate decides on.
    """
    chosen = _series_of_baseline(archive, settings) if series is None else series
    runs = archive.runs.page(name=chosen or None, limit=N_RUNS, newest_first=True).items
    is_edited = saved is not None and saved != settings
    try:
        question = question_of(archive, settings, runs)
        before = question_of(archive, saved, runs) if is_edited and saved is not None else None
    except NotFoundError as error:
        cells = tuple(Cell(run, None, None) for run in reversed(runs))
        return ReplayStrip(key_of(settings), chosen, cells, None, str(error), is_edited, "", "")
    # The last request is computed first.
    known_before = [None] * len(runs) if before is None else replays.ask(before)
    known = replays.ask(question)
    cells = tuple(map(Cell, runs, known, known_before))[::-1]
    sentence_before = "" if before is None else tally(known_before)
    return ReplayStrip(
        key_of(settings),
        chosen,
        cells,
        question.baseline,
        None,
        is_edited,
        tally(known),
        sentence_before,
    )


def _series_of_baseline(archive: Archive, settings: Mapping[str, Any]) -> str:
    """Return the series of the baseline, if it has other runs."""
    reference = settings.get("baseline")
    if reference is None:
        return ""
    try:
        name = find_run(archive, reference).facts.name
    except NotFoundError:
        return ""
    return name if len(archive.runs.page(name=name, limit=2).items) > 1 else ""


def question_of(
    archive: Archive, settings: Mapping[str, Any], runs: Sequence[StoredRun]
) -> Question:
    """Return what to decide: against the baseline, with the current judgments.

    Raises
    ------
    NotFoundError
        If the baseline or the anchor of the gate does not exist.
    """
    name = settings.get("baseline")
    baseline = None if name is None else find_run(archive, name)
    anchor = find_anchor(archive, settings, baseline)
    release = "" if anchor is None else anchor[1].run_id
    state = f"{archive.judgments.revision()} {archive.queries.stamp()} {release}"
    return Question(settings, runs, baseline, state)
