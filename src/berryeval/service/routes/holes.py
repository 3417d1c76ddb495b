"""Holes: which unjudged documents to judge next."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from berryeval.archive.records import StoredRun
from berryeval.evaluation.evaluate import read_measures
from berryeval.measures import Measure
from berryeval.service.answers import EXAMPLE_RUN, Answer, with_examples
from berryeval.service.bodies import JsonRoute
from berryeval.service.dependencies import (
    ACCEPTED,
    ArchiveDep,
    LongWorkDep,
    RunsDep,
    SettingsDep,
    WorkersDep,
)
from berryeval.service.fields import (
    Body,
    MaxGrade,
    MeasureNames,
    RunReference,
    check_measures,
)
from berryeval.service.jobs import Progress
from berryeval.service.prices import CHEAP, check_price, price_of_holes
from berryeval.service.problems import documented
from berryeval.service.stored_runs import find_run, labels_of, load_runs
from berryeval.service.workers import tasks

__all__ = ["router"]

router = APIRouter(prefix="/v1/holes", tags=["holes"], route_class=JsonRoute)

MAX_RUNS = 20
DEEPEST = 1000
MAX_LISTED = 10_000
_FORMULA = "runs x measures x queries x cutoff x cutoff"


class HolesRequest(Body):
    """The runs whose holes to list."""

    model_config = with_examples({"runs": [EXAMPLE_RUN], "measures": ["nDCG@10"]})

    runs: list[RunReference] = Field(min_length=1, max_length=MAX_RUNS)
    against: RunReference | None = Field(
        None, description="Baseline: holes are ranked by their effect on the difference from it."
    )
    measures: MeasureNames = Field(default=["nDCG@10"])
    k: Annotated[int, Field(ge=1, le=DEEPEST)] | None = Field(
        None, description="Ranks to consider. Default: the largest cutoff of the measures."
    )
    max_grade: MaxGrade = None
    limit: Annotated[int, Field(ge=1, le=MAX_LISTED)] = 50


_EXAMPLE: dict[str, Any] = {
    "version": 1,
    "runs": ["bm25"],
    "baseline": None,
    "measures": ["nDCG@10"],
    "max_grade": 2.0,
    "n_holes": 1,
    "n_queries": 50,
    "n_queries_with_holes": 1,
    "bounds": [{"run": "bm25", "measure": "nDCG@10", "low": 0.41, "high": 0.43}],
    "holes": [
        {"query_id": "q1", "doc_id": "d9", "grade": None, "effect": 0.02, "ranks": {"bm25": 1}}
    ],
}


class HolesReport(BaseModel):
    """What `berryeval holes --json` writes; docs/reference/json.md describes it."""

    model_config = ConfigDict(extra="allow", json_schema_extra={"examples": [_EXAMPLE]})

    version: int = Field(examples=[1])
    runs: list[str]
    baseline: str | None
    measures: list[str]
    max_grade: float
    n_holes: int
    n_queries: int
    effective_queries: float | None = None
    n_queries_with_holes: int
    bounds: list[dict[str, Any]]
    holes: list[dict[str, Any]]


@router.post("", response_model=HolesReport, responses={**ACCEPTED, **documented(404)})
def list_holes(
    given: HolesRequest,
    archive: ArchiveDep,
    runs: RunsDep,
    long_work: LongWorkDep,
    settings: SettingsDep,
    workers: WorkersDep,
) -> Response:
    """List the unjudged documents of runs, those with the largest effect first.

    The price of the list (runs x measures x queries x the square of the cutoff) is limited by the
    server.
    """
    measures = check_measures(read_measures(given.measures))
    references = given.runs if given.against is None else [given.against, *given.runs]
    named = labels_of([find_run(archive, reference) for reference in references])
    baseline = None if given.against is None else next(iter(named))
    price = _price(measures, named.values(), has_baseline=baseline is not None)
    way_out = "choose fewer runs or measures, or measures with a lower cutoff"
    check_price("list of holes", _FORMULA, price, settings.max_comparison, way_out)

    def work(progress: Progress) -> Response:
        arguments: dict[str, Any] = {
            "runs": load_runs(runs, named, progress, len(named) + tasks.HOLES_STEPS),
            "judgments": archive.judgments.current(),
            "queries": dict(archive.queries.all()),  # to be pickled
            "measures": measures,
            "baseline": baseline,
            "max_grade": given.max_grade,
            "k": given.k,
            "limit": given.limit,
        }
        if price <= CHEAP:
            return Answer(tasks.list_holes(progress=progress, **arguments))
        return Answer(workers.run(tasks.list_holes, progress, **arguments))

    return long_work.answer("holes", work)


def _price(
    measures: Sequence[Measure], runs: Collection[StoredRun], *, has_baseline: bool
) -> float:
    depths = [run.n_rows / max(1, run.n_queries) for run in runs]
    n_queries = max(run.n_queries for run in runs)
    return price_of_holes(measures, depths, n_queries, has_baseline=has_baseline)
