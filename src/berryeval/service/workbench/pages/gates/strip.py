"""The strip of a replay: what a gate says of the last runs, as far as that is known by now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from berryeval.archive import Archive
from berryeval.archive.records import StoredRun
from berryeval.errors import NotFoundError
from berryeval.service.references import find_run
from berryeval.service.verdicts import find_anchor
from berryeval.service.workbench.state.replays import (
    N_RUNS,
    Outcome,
    Question,
    Replays,
    key_of,
    tally,
)

__all__ = ["Cell", "Strip", "look", "question_of"]


@dataclass(frozen=True)
class Cell:
    """A run, and what the gate says of it."""

    run: StoredRun
    outcome: Outcome | None
    """None as long as it is not decided."""
    before: Outcome | None
    """What the gate says as it is kept, if it was edited; None if that is not known."""

    @property
    def is_changed(self) -> bool:
        """Whether the edit turns the verdict."""
        both = self.outcome, self.before
        return None not in both and both[0].verdict != both[1].verdict  # type: ignore[union-attr]

    @property
    def label(self) -> str:
        """What a run is known by, in a few letters."""
        return (self.run.facts.commit or self.run.run_id)[:7]


@dataclass(frozen=True)
class Strip:
    """A replay, oldest run first."""

    key: str
    """What the settings are called."""
    series: str
    """The name of the runs; empty for all."""
    cells: tuple[Cell, ...]
    baseline: StoredRun | None
    problem: str | None
    """Why nothing can be decided."""
    is_edited: bool
    sentence: str
    sentence_before: str
    """With the gate as it is kept; empty if it was not edited."""

    @property
    def is_finished(self) -> bool:
        """Whether nothing is left to be found."""
        waiting = any(cell.outcome is None for cell in self.cells)
        waiting |= self.is_edited and any(cell.before is None for cell in self.cells)
        return self.problem is not None or not waiting

    @property
    def n_changed(self) -> int:
        """How many verdicts the edit turns."""
        return sum(cell.is_changed for cell in self.cells)


def look(
    archive: Archive,
    replays: Replays,
    settings: Mapping[str, Any],
    kept: Mapping[str, Any] | None,
    series: str | None = None,
) -> Strip:
    """Return what is known of a replay, and have the rest found.

    Parameters
    ----------
    settings : mapping
        What is replayed, saved or not.
    kept : mapping or None
        The gate as the archive has it, in the form in which `settings` are; None if it has none.
    series : str or None
        The name whose runs are replayed, or an empty text for all runs. None is the name of the
        baseline's run, if it is a series: a gate is about what is to take its place.
    """
    chosen = _series_of_baseline(archive, settings) if series is None else series
    runs = archive.runs.page(name=chosen or None, limit=N_RUNS, newest_first=True).items
    is_edited = kept is not None and kept != settings
    try:
        question = question_of(archive, settings, runs)
        before = question_of(archive, kept, runs) if is_edited and kept is not None else None
    except NotFoundError as error:
        cells = tuple(Cell(run, None, None) for run in reversed(runs))
        return Strip(key_of(settings), chosen, cells, None, str(error), is_edited, "", "")
    # What is asked last is found first.
    known_before = [None] * len(runs) if before is None else replays.ask(before)
    known = replays.ask(question)
    cells = tuple(map(Cell, runs, known, known_before))[::-1]
    told_before = "" if before is None else tally(known_before)
    return Strip(
        key_of(settings),
        chosen,
        cells,
        question.baseline,
        None,
        is_edited,
        tally(known),
        told_before,
    )


def _series_of_baseline(archive: Archive, settings: Mapping[str, Any]) -> str:
    """Return the name of the baseline's run, if others have it, too."""
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
    """Return what is to be decided, against the baseline and at the judgments of now.

    Raises
    ------
    NotFoundError
        If the baseline or the anchor that the gate names is not there.
    """
    name = settings.get("baseline")
    baseline = None if name is None else find_run(archive, name)
    anchor = find_anchor(archive, settings, baseline)
    release = "" if anchor is None else anchor[1].run_id
    state = f"{archive.judgments.revision()} {archive.queries.stamp()} {release}"
    return Question(settings, runs, baseline, state)
