"""History: how a measure went from run to run, every run scored with the same judgments."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field
from starlette.responses import Response

from berryeval.evaluation.evaluate import read_measures
from berryeval.service.answers import Answer
from berryeval.service.dependencies import ArchiveDep, CallerDep, JobsDep
from berryeval.service.examples import EXAMPLE_RUN, OTHER_RUN, with_examples
from berryeval.service.fields import Label
from berryeval.service.jobs import Progress
from berryeval.service.problems import documented
from berryeval.service.trends import trend_as_dict
from berryeval.service.working import ACCEPTED, Prefer, answer_or_start

__all__ = ["router"]

router = APIRouter(prefix="/v1/history", tags=["history"])

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
    "p_value": None,
    "is_decline": False,
    "reason": None,
}


class HistoryPoint(BaseModel):
    """A run in its series."""

    model_config = with_examples(_POINT)

    run_id: str
    name: str
    stored_at: datetime
    commit: str | None
    evaluation_id: str | None
    mean: float | None = Field(description="null where the run cannot be scored.")
    query_count: int = Field(description="Number of queries in the mean.")
    failed_count: int = Field(
        description="Number of queries that a store did not answer; they are in no mean."
    )
    missing_count: int = Field(
        description="Number of judged queries that the run lacks; they score 0 in the mean."
    )
    change: float | None = Field(
        description="Difference to the point before; null for the first, and where other queries "
        "were asked."
    )
    p_value: float | None = Field(
        description="Two-sided, for no difference from the best before it, adjusted over all looks."
    )
    is_decline: bool = Field(
        description="Whether this is where it became worse than the best before it."
    )
    reason: str | None = Field(description="Why there is no mean.")


class HistoryReport(BaseModel):
    """A measure over time."""

    model_config = with_examples(
        {"measure": "nDCG@10", "judgments_hash": OTHER_RUN, "points": [_POINT]}
    )

    measure: str = Field(examples=["nDCG@10"])
    judgments_hash: str = Field(description="What every run was scored with.")
    points: list[HistoryPoint]


@router.get("", response_model=HistoryReport, responses={**ACCEPTED, **documented(404)})
def get_history(
    archive: ArchiveDep,
    jobs: JobsDep,
    caller: CallerDep,
    measure: Annotated[Label, Query(description="By any name.")] = "nDCG@10",
    name: Annotated[
        Label | None, Query(description="Only runs of this name.", examples=["bm25"])
    ] = None,
    at: Annotated[
        str | None,
        Query(
            description="Hash of the judgments; today's unless told.",
            pattern="^[0-9a-f]{64}$",
            examples=[OTHER_RUN],
        ),
    ] = None,
    prefer: Prefer = None,
) -> Response:
    """Follow a measure over the runs, in the order in which they were stored.

    All are scored with the same judgments, so that a change is one of the system. Each run is
    compared with the best before it of the same name and with the same queries, as
    `berryeval history` does. Each evaluation of a store is a point, over the judged queries that
    it was asked and answered.
    """
    read_measures(measure)

    def work(progress: Progress) -> Response:
        progress(0, 1, "scoring")
        found: dict[str, Any] = trend_as_dict(archive, measure, name, at)
        return Answer(found)

    return answer_or_start("history", work, prefer=prefer, jobs=jobs, caller=caller)
