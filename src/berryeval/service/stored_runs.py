"""Runs of the archive: found by id or by the name of a baseline, and cached in memory."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from berryeval.archive import Archive
from berryeval.archive.records import StoredRun
from berryeval.core.run import Run
from berryeval.errors import ArgumentError, NotFoundError
from berryeval.service.jobs import Progress
from berryeval.service.lru_cache import LruCache
from berryeval.service.paths import NAME

__all__ = ["RunCache", "check_baseline_name", "find_run", "labels_of", "load_runs"]

_LENGTH_OF_IDS = 64
_RUN_ID = re.compile(f"[0-9a-f]{{{_LENGTH_OF_IDS}}}")
_MAX_BYTES = 24 << 20
"""Maximum size of the cached runs in bytes; one is always kept, however large."""

_PER_QUERY = 150
"""Size of a query in bytes: its id in a dictionary, and the time that it took."""

_KEPT_SECONDS = 120.0
"""How long a run is kept after it was last loaded: most uploads are looked at once."""
_TRUSTED_SECONDS = 1.0
"""How long a cached run is used before checking that it still exists in the archive."""
_MAX_CHECKED = 10_000


class RunCache:
    """Rankings by the id of their run. They never change, but another instance may remove a run."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._runs: LruCache[str, Run] = LruCache(_MAX_BYTES, _bytes_of, seconds=_KEPT_SECONDS)
        self._existing: LruCache[str, bool] = LruCache(_MAX_CHECKED, seconds=_TRUSTED_SECONDS)

    def load(self, run_id: str) -> Run:
        """Return a run from memory or the archive.

        Raises
        ------
        NotFoundError
            If there is no such run.
        """
        run = self.read(run_id)
        self._runs.put(run_id, run)
        return run

    def read(self, run_id: str) -> Run:
        """Return a run as `load` does, without keeping it: many would evict those in use.

        Raises
        ------
        NotFoundError
            If there is no such run.
        """
        known = self._runs.get(run_id)
        if known is None:
            return self._archive.runs.load(run_id)
        if run_id not in self._existing:
            if not self._archive.runs.exists(run_id):
                self._runs.forget(run_id)
                raise NotFoundError("run", run_id)
            self._existing.put(run_id, value=True)
        return known

    def forget(self, run_id: str) -> None:
        """Drop a run that was removed."""
        self._runs.forget(run_id)

    def invalidate(self) -> None:
        """Ask the archive again whether runs still exist."""
        self._existing.clear()

    def passing(self) -> RunCache:
        """Return a view of the cache for work on many runs, which keeps none of them."""
        return _PassingRuns(self)


class _PassingRuns(RunCache):
    def __init__(self, kept: RunCache) -> None:
        self._archive, self._runs = kept._archive, kept._runs  # noqa: SLF001 - of the same class
        self._existing = kept._existing  # noqa: SLF001

    def load(self, run_id: str) -> Run:
        return self.read(run_id)


def _bytes_of(run: Run) -> int:
    """Return about how much memory a run takes: ids, places and scores, and times of queries."""
    ids = len(run.doc_ids.data) + len(run.query_ids.data)
    return ids + 16 * run.n_rows + _PER_QUERY * run.n_queries


def find_run(archive: Archive, reference: str) -> StoredRun:
    """Return a run by its id, or by the name of a baseline, without durations.

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
    found = archive.runs.get(run_id, with_durations=False)
    if found is None:
        raise NotFoundError("run", reference)
    return found


def check_baseline_name(name: str) -> None:
    """Raise for a name that a baseline cannot have: one of 64 characters could be an id.

    Raises
    ------
    ArgumentError
        If it is invalid.
    """
    if not re.fullmatch(NAME, name):
        expected = "letters, digits, dots, dashes and underscores, at most 100"
        raise ArgumentError("name", expected, repr(name[:120]))
    if len(name) == _LENGTH_OF_IDS:
        raise ArgumentError("name", "a name that is not as long as the id of a run", str(len(name)))


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
