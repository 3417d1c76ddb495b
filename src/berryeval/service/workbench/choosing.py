"""Runs and the measure that an address names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from berryeval.archive import Archive
from berryeval.archive.records import StoredRun
from berryeval.errors import ArgumentError, BerryEvalError, NotFoundError
from berryeval.measures import Measure, parse_measure
from berryeval.service.stored_runs import find_run

__all__ = [
    "RunChoice",
    "baseline_names",
    "choose_measure",
    "choose_revision",
    "choose_run",
    "read_number",
    "run_choices",
]

_N_NEWEST = 50
_MAX_DIGITS = 9


@dataclass(frozen=True)
class RunChoice:
    """A run to choose from."""

    reference: str
    """Its name in an address: its id, or the name of a baseline."""
    run: StoredRun
    baseline: str | None = None
    """The name of its baseline, if it is one."""
    before: str | None = None
    """The id of the run of the same name that came before it, if that is among the newest."""

    @property
    def words(self) -> str:
        """The text of the run in a list of choices."""
        run, name = self.run, self.run.facts.name
        if self.reference == self.baseline:
            return f"{self.baseline} — {name} ({run.run_id[:8]})"
        return f"{name} · {run.stored_at:%Y-%m-%d %H:%M} ({run.run_id[:8]})"


def choose_run(archive: Archive, reference: str) -> StoredRun:
    """Return the run that an address names.

    Raises
    ------
    NotFoundError
        If there is no such run.
    """
    try:
        return find_run(archive, reference)
    except NotFoundError:
        raise
    except BerryEvalError:  # not a valid id
        raise NotFoundError("run or baseline", reference) from None


def choose_measure(measures: Sequence[Measure], name: str) -> Measure:
    """Return the measure that an address names; by default the first.

    Raises
    ------
    ArgumentError
        If it is not a measure of the pages.
    """
    if not name:
        return measures[0]
    wanted = parse_measure(name)
    if wanted not in measures:
        known = " or ".join(map(str, measures))
        raise ArgumentError("measure", f"one of {known}", name)
    return wanted


def choose_revision(given: Mapping[str, str]) -> int | None:
    """Return the revision of the judgments that an address pins; None without one.

    Raises
    ------
    ArgumentError
        If it is not a number.
    """
    text = given.get("at", "")
    revision = read_number(text, -1)
    if text and revision < 0:
        raise ArgumentError("at", "a revision of the judgments, such as 1200", repr(text[:40]))
    return revision if text else None


def read_number(text: str, default: int) -> int:
    """Return a number of an address; the default if it is not one."""
    is_number = text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS
    return int(text) if is_number else default


def run_choices(archive: Archive) -> tuple[list[RunChoice], list[RunChoice]]:
    """Return the baselines by name, and the newest runs."""
    baselines = []
    for one in archive.baselines.page(limit=_N_NEWEST).items:
        run = archive.runs.get(one.run_id, with_durations=False)
        if run is not None:
            baselines.append(RunChoice(one.name, run, one.name))
    name_of = {one.run.run_id: one.baseline for one in baselines}
    newest: list[RunChoice] = []
    before: dict[str, str] = {}
    for run in reversed(archive.runs.page(limit=_N_NEWEST, newest_first=True).items):
        name, run_id = run.facts.name, run.run_id
        newest.insert(0, RunChoice(run_id, run, name_of.get(run_id), before.get(name)))
        before[name] = run_id
    return baselines, newest


def baseline_names(archive: Archive) -> Mapping[str, list[str]]:
    """Return the names of baselines by the ids of their runs."""
    found: dict[str, list[str]] = {}
    for baseline in archive.baselines.page(limit=1000).items:
        found.setdefault(baseline.run_id, []).append(baseline.name)
    return found
