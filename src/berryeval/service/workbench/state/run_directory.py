"""The directory of all runs: series and search."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Annotated, NamedTuple, TypeAlias

from berryeval.archive import Archive
from berryeval.archive.records import StoredRun
from berryeval.service.dependencies import from_state

__all__ = [
    "MAIN",
    "Directory",
    "DirectoryDep",
    "ReferenceRun",
    "RunDirectory",
    "Series",
    "reference_run",
]

MAIN = "main"
"""The default baseline of pages."""


@dataclass(frozen=True, slots=True)
class Series:
    """Runs of the same name, oldest first."""

    name: str
    runs: tuple[StoredRun, ...]

    @property
    def newest(self) -> StoredRun:
        """The run that was stored last."""
        return self.runs[-1]


@dataclass(frozen=True)
class Directory:
    """A snapshot of all runs, oldest first, without durations."""

    runs: tuple[StoredRun, ...]

    @cached_property
    def series(self) -> dict[str, Series]:
        """Series by name, the one with the newest run first."""
        names: dict[str, None] = dict.fromkeys(run.facts.name for run in reversed(self.runs))
        by_name: dict[str, list[StoredRun]] = {name: [] for name in names}
        for run in self.runs:
            by_name[run.facts.name].append(run)
        return {name: Series(name, tuple(runs)) for name, runs in by_name.items()}

    @cached_property
    def by_id(self) -> dict[str, StoredRun]:
        """Runs by their ids."""
        return {run.run_id: run for run in self.runs}

    def search(self, words: str = "", series: str | None = None) -> list[StoredRun]:
        """Return runs, newest first, that have every word in a name, a tag, a commit or an id.

        Commits and ids match by prefix, names and tags by any part.
        """
        wanted = words.casefold().split()
        found = self.runs if series is None else _runs_of(self.series, series)
        return [run for run in reversed(found) if all(_has(run, word) for word in wanted)]

    def before(self, run: StoredRun) -> StoredRun | None:
        """Return the previous run of the series; None for the first."""
        runs = _runs_of(self.series, run.facts.name)
        place = next((i for i, one in enumerate(runs) if one.run_id == run.run_id), 0)
        return runs[place - 1] if place else None


def _runs_of(series: dict[str, Series], name: str) -> Sequence[StoredRun]:
    return series[name].runs if name in series else ()


def _has(run: StoredRun, word: str) -> bool:
    facts = run.facts
    return (
        any(word in text.casefold() for text in (facts.name, *facts.tags))
        or (facts.commit or "").casefold().startswith(word)
        or run.run_id.startswith(word)
    )


class RunDirectory:
    """The directory of an archive, reread only if a run was stored or removed."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._lock = threading.Lock()
        self._mark: tuple[int, datetime | None] | None = None
        self._found = Directory(())

    def current(self) -> Directory:
        """Return the current runs."""
        mark = self._archive.runs.mark()
        with self._lock:
            if mark != self._mark:
                self._found = Directory(self._archive.runs.directory())
                self._mark = mark
            return self._found


class ReferenceRun(NamedTuple):
    """The run that another is compared with by default."""

    run: StoredRun
    baseline: str | None
    """The name of the baseline; None for the previous run."""

    @property
    def name(self) -> str:
        """Its name in sentences."""
        return self.baseline or "the previous run"

    def has_other_documents(self, run: StoredRun) -> bool:
        """Whether a run is known to have searched a different corpus."""
        corpora = run.facts.corpus_hash, self.run.facts.corpus_hash
        return None not in corpora and corpora[0] != corpora[1]


def reference_run(archive: Archive, directory: Directory, run: StoredRun) -> ReferenceRun | None:
    """Return the baseline ``main``, or the previous run of the series; None without either."""
    main = archive.baselines.get(MAIN)
    if main is not None and main.run_id != run.run_id and main.run_id in directory.by_id:
        return ReferenceRun(directory.by_id[main.run_id], MAIN)
    before = directory.before(run)
    return None if before is None else ReferenceRun(before, None)


DirectoryDep: TypeAlias = Annotated[RunDirectory, from_state("directory")]
