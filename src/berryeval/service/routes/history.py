"""History: a measure from run to run, all scored with the same judgments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field
from starlette.responses import Response

from berryeval.archive import Archive
from berryeval.archive.records import TrendPoint
from berryeval.evaluation.evaluate import read_measure
from berryeval.reports.history import look_as_dict
from berryeval.service.answers import EXAMPLE_RUN, OTHER_RUN, Answer, Shape, with_examples
from berryeval.service.bodies import JsonRoute
from berryeval.service.dependencies import ACCEPTED, ArchiveDep, LongWorkDep
from berryeval.service.fields import Label
from berryeval.service.jobs import Progress
from berryeval.service.problems import documented
from berryeval.suite.archived_history import archived_entry
from berryeval.suite.history import Entry, History
from berryeval.suite.trends import Point, trends

__all__ = ["router"]

router = APIRouter(prefix="/v1/history", tags=["history"], route_class=JsonRoute)

_POINT = {
    "run_id": EXAMPLE_RUN,
    "name": "bm25",
    "stored_at": "2026-11-16T08:00:00+00:00",
    "commit": "4f1c2d3",
    "evaluation_id": OTHER_RUN,
    "mean": 0.4121,
    "query_count": 50,
    "failed_count": 0,
    "missing_count": 0,
    "change": None,
    "decline": None,
    "is_alarm": False,
    "reason": None,
}
_LOOK = {
    "name": "bm25",
    "from": "2026-11-02T08:00:00Z",
    "to": "2026-11-16T08:00:00Z",
    "n_evaluations": 15,
    "n_queries": 50,
    "n_left_out": 0,
    "p_value": 0.0021,
    "level": 0.05,
    "is_decline": True,
    "kind": "step",
    "at": "2026-11-12T08:00:00Z",
    "change": -0.0312,
    "sentence": "Decline: a step at 2026-11-12 08:00, means are 0.0312 lower from there on "
    "(p = 0.0021; 15 evaluations of 50 queries).",
}


class HistoryPoint(Shape):
    """A run in its series."""

    model_config = with_examples(_POINT)

    run_id: str
    name: str
    stored_at: datetime
    commit: str | None
    evaluation_id: str | None
    mean: float | None = Field(description="null if the run cannot be scored.")
    query_count: int = Field(description="Number of queries in the mean.")
    failed_count: int = Field(
        description="Number of queries that a store did not answer; they are excluded from means."
    )
    missing_count: int = Field(
        description="Number of judged queries that the run lacks; they score 0 in the mean."
    )
    change: float | None = Field(
        description="Difference from the previous point; null for the first, and if the queries "
        "differ."
    )
    decline: Literal["step", "creep"] | None = Field(
        description="A step that starts here, or a creep that ends here."
    )
    is_alarm: bool = Field(description="Whether this run raised a daily alarm.")
    reason: str | None = Field(description="Why there is no mean.")


class HistoryLook(BaseModel):
    """A test of the runs of one name for a decline."""

    model_config = with_examples(_LOOK)

    name: str
    from_: datetime = Field(alias="from", description="Time of the first run.")
    to: datetime = Field(description="Time of the last run.")
    n_evaluations: int = Field(description="Number of runs.")
    n_queries: int = Field(description="Number of queries that all of them have; these are tested.")
    n_left_out: int = Field(description="Number of queries that some of the runs lack.")
    p_value: float = Field(description="One-sided, for no decline.")
    level: float = Field(description="The highest p-value of a decline.")
    is_decline: bool
    kind: Literal["step", "creep"] = Field(description="The strongest sign that was found.")
    at: datetime | None = Field(description="Time of the first run after a step.")
    change: float = Field(
        description="Mean after the step minus mean before; of a creep, from first to last."
    )
    sentence: str = Field(description="What was found, in words.")


class HistoryReport(BaseModel):
    """A measure over time."""

    model_config = with_examples(
        {
            "measure": "nDCG@10",
            "judgments_hash": OTHER_RUN,
            "daily": False,
            "looks": [_LOOK],
            "points": [_POINT],
        }
    )

    measure: str = Field(examples=["nDCG@10"])
    judgments_hash: str = Field(description="Hash of the judgments.")
    daily: bool = Field(description="Whether every run was tested as it came.")
    looks: list[HistoryLook] = Field(
        description="Tests for a decline; runs without any change are not tested."
    )
    points: list[HistoryPoint]


@router.get("", response_model=HistoryReport, responses={**ACCEPTED, **documented(404)})
def get_history(
    archive: ArchiveDep,
    long_work: LongWorkDep,
    measure: Annotated[Label, Query(description="Name of the measure.")] = "nDCG@10",
    name: Annotated[
        Label | None, Query(description="Only runs of this name.", examples=["bm25"])
    ] = None,
    at: Annotated[
        str | None,
        Query(
            description="Hash of the judgments. Default: the current ones.",
            pattern="^[0-9a-f]{64}$",
            examples=[OTHER_RUN],
        ),
    ] = None,
    daily: Annotated[  # noqa: FBT002
        bool, Query(description="Test after every run, as an alarm, rather than once.")
    ] = False,
) -> Response:
    """Return a measure for all runs, in the order in which they were stored.

    All are scored with the same judgments, so that changes are due to the system. The runs of each
    name are tested for a decline, as in `berryeval history`. Each evaluation of a store is a
    point, over the judged queries that it answered.
    """
    read_measure(measure)

    def work(progress: Progress) -> Response:
        progress(0, 1, "scoring")
        return Answer(_report(archive, measure, name, at, daily=daily, check=progress.check))

    return long_work.answer("history", work)


def _report(
    archive: Archive,
    measure: str,
    name: str | None,
    at: str | None,
    *,
    daily: bool,
    check: Callable[[], None],
) -> dict[str, Any]:
    """Score every run with the same judgments, and test the runs of each name for a decline."""
    judgments_hash = archive.judgments.hash() if at is None else at
    found = archive.trend(measure, name=name, at=judgments_hash, check=check)
    chosen = str(read_measure(measure))
    points: dict[str, Point] = {}
    looks: list[dict[str, Any]] = []
    for entries in _entries(archive, chosen, judgments_hash, found):
        check()
        [series] = trends(History("archive", tuple(entries.values())), chosen, daily=daily)
        points.update(zip(entries, series.points, strict=True))
        looks += [{"name": series.run, **look_as_dict(look)} for look in series.looks]
    return {
        "measure": chosen,
        "judgments_hash": judgments_hash,
        "daily": daily,
        "looks": looks,
        "points": [_point(point, points.get(point.run.run_id)) for point in found],
    }


def _entries(
    archive: Archive, measure: str, judgments_hash: str, found: Sequence[TrendPoint]
) -> list[dict[str, Entry]]:
    """Return the runs that have a mean, by id: one series per name."""
    by_name: dict[str, dict[str, Entry]] = {}
    for point in found:
        if point.mean is not None and point.evaluation_id is not None:
            entries = by_name.setdefault(point.run.facts.name, {})
            entries[point.run.run_id] = archived_entry(archive, measure, judgments_hash, point)
    return [*by_name.values()]


def _point(point: TrendPoint, tested: Point | None) -> dict[str, Any]:
    run = point.run
    return HistoryPoint.of(
        point,
        run,
        run.facts,
        query_count=point.n_queries,
        failed_count=len(run.facts.failed),
        missing_count=0 if tested is None else tested.entry.n_missing,
        change=None if tested is None else tested.change,
        decline=None if tested is None else tested.decline,
        is_alarm=tested is not None and tested.is_alarm,
    )
