"""A measure from run to run, with fixed judgments."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from berryeval.archive.evaluations import ArchivedEvaluations
from berryeval.archive.judgments import ArchivedJudgments
from berryeval.archive.records import StoredRun, TrendPoint
from berryeval.archive.runs import ArchivedRuns
from berryeval.errors import ArgumentError, MismatchError
from berryeval.evaluation.evaluate import MeasureLike, read_measures
from berryeval.measures import Measure

__all__ = ["trend"]

_AT_ONCE = 1000


def trend(
    runs: ArchivedRuns,
    evaluations: ArchivedEvaluations,
    judgments: ArchivedJudgments,
    measure: MeasureLike,
    *,
    name: str | None,
    at: str | datetime | None,
) -> tuple[TrendPoint, ...]:
    """Score every run with the same judgments; see `berryeval.archive.Archive.trend`."""
    measures = read_measures(measure)
    if len(measures) != 1:
        raise ArgumentError("measure", "one measure", f"{len(measures)}")
    # Resolved once, so that concurrent judging does not change it in between.
    _, hashed = judgments.as_of(at)
    return tuple(_point(evaluations, run, measures[0], hashed) for run in _all(runs, name))


def _point(
    evaluations: ArchivedEvaluations, run: StoredRun, measure: Measure, hashed: str
) -> TrendPoint:
    try:
        found = evaluations.score(run.run_id, measure, at=hashed)
    except MismatchError as error:
        return TrendPoint(run, None, None, str(error))
    mean = found.means[str(measure)]
    return TrendPoint(run, mean, found.evaluation_id, n_queries=found.n_queries)


def _all(runs: ArchivedRuns, name: str | None) -> Iterator[StoredRun]:
    after = None
    while True:
        page = runs.page(name=name, after=after, limit=_AT_ONCE)
        yield from page.items
        if page.next is None:
            return
        after = page.next
