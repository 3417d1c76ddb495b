"""Runs as requests name them: by id, or by the name of a baseline."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from berryeval.archive import Archive
from berryeval.archive.records import StoredRun
from berryeval.core.run import Run
from berryeval.errors import ArgumentError, NotFoundError
from berryeval.service.jobs import Progress
from berryeval.service.run_cache import RunCache

__all__ = ["find_run", "labels_of", "load_runs"]

_RUN_ID = re.compile("[0-9a-f]{64}")


def find_run(archive: Archive, reference: str) -> StoredRun:
    """Return a run by its id, or by the name of a baseline.

    Raises
    ------
    NotFoundError
        If there is neither.
    """
    run_id = reference
    if not _RUN_ID.fullmatch(reference):
        baseline = archive.baselines.get(reference)
        if baseline is None:
            raise NotFoundError("run or baseline", reference)
        run_id = baseline.run_id
    found = archive.runs.get(run_id)
    if found is None:
        raise NotFoundError("run", reference)
    return found


def labels_of(runs: Sequence[StoredRun]) -> Mapping[str, StoredRun]:
    """Return runs by label: the name, with a part of the id if two runs share it.

    Raises
    ------
    ArgumentError
        If a run is repeated.
    """
    if len({run.run_id for run in runs}) < len(runs):
        raise ArgumentError("runs", "each run once", "a repeated run")
    names = [run.facts.name for run in runs]
    return {
        name if names.count(name) == 1 else f"{name} ({run.run_id[:8]})": run
        for name, run in zip(names, runs, strict=True)
    }


def load_runs(
    cache: RunCache, runs: Mapping[str, StoredRun], progress: Progress, n_steps: int
) -> dict[str, Run]:
    """Return the rankings of runs by label; each is a step of a job."""
    found = {}
    for number, (label, run) in enumerate(runs.items()):
        progress(number, n_steps, f"reading run {number + 1} of {len(runs)}")
        found[label] = cache.load(run.run_id)
    return found
