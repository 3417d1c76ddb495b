"""Comparisons of several runs with a baseline, cached for the next request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, NamedTuple, TypeAlias

from berryeval.archive.records import StoredRun
from berryeval.core.query import Query
from berryeval.evaluation.all_pairs import SystemPair, all_pairs
from berryeval.evaluation.comparing import compare_evaluations
from berryeval.evaluation.comparison import Comparison
from berryeval.evaluation.result import Evaluation
from berryeval.measures import Measure
from berryeval.service import shared_work
from berryeval.service.dependencies import from_state
from berryeval.service.lru_cache import LruCache
from berryeval.service.shared_work import SharedWork
from berryeval.service.stored_runs import labels_of
from berryeval.service.workbench.state.comparisons import (
    RecalledComparison,
    Runs,
    labels_in,
)
from berryeval.service.workbench.state.scoring import Scoring, State

__all__ = [
    "MAX_COMPARED",
    "ManyCompared",
    "ManyComparisons",
    "ManyComparisonsDep",
    "compare_runs",
]

MAX_COMPARED = 20
"""Maximum number of runs to compare on one page."""

_MAX_CACHED = 6
_AT_ONCE, _MAX_WAITING = 1, 4


class ManyCompared(NamedTuple):
    """A comparison of several runs in one measure, with every pair of them."""

    runs: dict[str, StoredRun]
    """The runs by label; the first is the baseline."""
    comparison: Comparison
    """The comparison in one measure; its runs and judgments are read on access."""
    pairs: list[SystemPair]
    state: State
    """The judgments used to score the runs."""


_Key: TypeAlias = "tuple[tuple[str, ...], Measure, str, object]"


class ManyComparisons:
    """The most recently requested comparisons of several runs."""

    def __init__(self, scoring: Scoring) -> None:
        self._scoring = scoring
        self._found: LruCache[_Key, ManyCompared] = LruCache(_MAX_CACHED)
        self._work: SharedWork[tuple[object, ...], ManyCompared] = SharedWork(
            "berryeval-comparing-many", _AT_ONCE, most=_MAX_WAITING
        )

    def compare(
        self, runs: Sequence[StoredRun], measure: Measure, at: int | None = None
    ) -> ManyCompared:
        """Compare runs with the first of them, by the current judgments or those of a revision.

        Raises
        ------
        ArgumentError
            If a run is repeated.
        MismatchError
            If no judged query is in all of them.
        NotFoundError
            If there is no such revision.
        """
        labels = dict(labels_of(runs))
        state = self._scoring.recent() if at is None else self._scoring.pinned(at)
        known = self._scoring.all_queries()

        def make() -> ManyCompared:
            comparison = compare_runs(self._scoring, state, labels, [measure], known.queries)
            pairs = all_pairs(comparison)
            return ManyCompared(labels, RecalledComparison.of(comparison, state), pairs, state)

        key = tuple(run.run_id for run in runs), measure, state.hash, known.stamp
        return self._found.get_or_compute(key, make)

    def soon(
        self, runs: Sequence[StoredRun], measure: Measure, at: int | None = None
    ) -> ManyCompared | None:
        """Compare runs as `compare` does; return None if that continues in a thread."""
        key = tuple(run.run_id for run in runs), measure, at
        found, _ = self._work.get(
            key, lambda: self.compare(runs, measure, at), seconds=shared_work.FIRST_WAIT_SECONDS
        )
        return found

    def close(self) -> None:
        """Stop accepting work, and wait for what is running."""
        self._work.close()


def compare_runs(
    scoring: Scoring,
    state: State,
    runs: Mapping[str, StoredRun],
    measures: Sequence[Measure],
    queries: Mapping[str, Query],
) -> Comparison:
    """Compare runs with the first of them, in all slices."""
    run_ids = {label: run.run_id for label, run in runs.items()}
    evaluations = {}
    for label, run_id in run_ids.items():
        found = scoring.evaluation(run_id, state)
        evaluations[label] = Evaluation(found.scores, measures, queries, cautions=found.cautions)
    query_ids = next(iter(evaluations.values())).scores.query_ids
    return compare_evaluations(
        state.judgments,
        Runs(scoring, run_ids),
        evaluations,
        queries=queries,
        slices=labels_in(queries, query_ids),
    )


ManyComparisonsDep: TypeAlias = Annotated[ManyComparisons, from_state("many_comparisons")]
