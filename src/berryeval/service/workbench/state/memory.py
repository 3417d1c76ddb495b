"""Sets up the state of pages in memory, and the threads that update it."""

from __future__ import annotations

from functools import partial

from starlette.datastructures import State

from berryeval.archive import Archive
from berryeval.service.lru_cache import LruCache
from berryeval.service.settings import ServiceSettings
from berryeval.service.shared_work import Latest
from berryeval.service.workbench.state.agreement import latest_agreement
from berryeval.service.workbench.state.comparisons import Comparisons
from berryeval.service.workbench.state.judging_queues import Queues
from berryeval.service.workbench.state.many_comparisons import ManyComparisons
from berryeval.service.workbench.state.measuring import Measuring
from berryeval.service.workbench.state.replays import open_replays
from berryeval.service.workbench.state.run_directory import RunDirectory
from berryeval.service.workbench.state.run_figures import RunFigures
from berryeval.service.workbench.state.score_keeper import keeper_of
from berryeval.service.workbench.state.scoring import Scoring
from berryeval.service.workbench.state.warming import WarmUp, is_reading

__all__ = ["set_up", "start", "stop"]

_STAGED_BYTES = 512 << 20
_MAX_TRIES, _MAX_TRIED_ROWS = 500, 5_000_000


def set_up(state: State, archive: Archive, settings: ServiceSettings) -> None:
    """Add the state of pages to that of an application, which already has its `runs`.

    Nothing is read yet: an application that is only described has no archive.
    """
    scoring = Scoring(archive, state.runs, settings.measures)
    state.scoring = scoring
    state.run_figures = RunFigures(scoring)
    state.directory = RunDirectory(archive)
    state.keeper = keeper_of(scoring)
    state.comparisons = Comparisons(scoring)
    state.many_comparisons = ManyComparisons(scoring)
    state.queues = Queues(archive, scoring)
    skip_wait = partial(is_reading, state)
    # The index is looked up later: an application that is only described has none.
    state.judgment_table = Latest(lambda: archive.judgment_index.table(), skip_wait)  # noqa: PLW0108
    state.agreement = latest_agreement(archive, skip_wait)
    state.replays = open_replays(archive, state.runs)
    state.measuring = Measuring(archive, scoring)
    state.staged_imports = LruCache(_STAGED_BYTES, lambda staged: staged.size, seconds=1800.0)
    state.tries = LruCache(_MAX_TRIES, seconds=30.0)
    state.tried_runs = LruCache(_MAX_TRIED_ROWS, lambda scored: scored.n_rows, seconds=1800.0)


def start(state: State) -> None:
    """Start the background threads, including after an application was stopped."""
    if state.is_stopping:
        state.comparisons = Comparisons(state.scoring)
        state.many_comparisons = ManyComparisons(state.scoring)
        state.queues = Queues(state.archive, state.scoring)
        state.replays = open_replays(state.archive, state.runs)
    state.warm_up = WarmUp(state.archive, state.scoring, state.directory)
    state.keeper.start()
    state.warm_up.start()


def stop(state: State) -> None:
    """End all threads."""
    state.warm_up.stop()
    state.keeper.close()
    state.comparisons.close()
    state.many_comparisons.close()
    state.queues.close()
    state.replays.close()
