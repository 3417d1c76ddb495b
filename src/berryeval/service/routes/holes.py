"""Holes: which unjudged documents to judge next."""

from __future__ import annotations

import json
from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from berryeval.evaluation.evaluate import read_measures
from berryeval.evaluation.holes import find_holes, highest_grade
from berryeval.evaluation.mean_bounds import mean_bounds
from berryeval.evaluation.weighing import effective_queries
from berryeval.measures import depth_of
from berryeval.reports.holes import HoleList, holes_to_json
from berryeval.service.answers import EXAMPLE_RUN, Answer, with_examples
from berryeval.service.bodies import JsonRoute
from berryeval.service.dependencies import ACCEPTED, ArchiveDep, LongWorkDep, RunsDep
from berryeval.service.fields import (
    Body,
    MaxGrade,
    MeasureNames,
    RunReference,
    check_measures,
)
from berryeval.service.jobs import Progress
from berryeval.service.problems import documented
from berryeval.service.stored_runs import find_run, labels_of, load_runs

__all__ = ["router"]

router = APIRouter(prefix="/v1/holes", tags=["holes"], route_class=JsonRoute)

MOST_RUNS = 20
DEEPEST = 1000


class HolesRequest(Body):
    """The runs whose holes to list."""

    model_config = with_examples({"runs": [EXAMPLE_RUN], "measures": ["nDCG@10"]})

    runs: list[RunReference] = Field(min_length=1, max_length=MOST_RUNS)
    against: RunReference | None = Field(
        None, description="Baseline: holes are ranked by their effect on the difference from it."
    )
    measures: MeasureNames = Field(default=["nDCG@10"])
    k: Annotated[int, Field(ge=1, le=DEEPEST)] | None = Field(
        None, description="Ranks to consider. Default: the largest cutoff of the measures."
    )
    max_grade: MaxGrade = None
    limit: Annotated[int, Field(ge=1, le=10_000)] = 50


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
) -> Response:
    """List the unjudged documents of runs, those with the largest effect first."""
    measures = check_measures(read_measures(given.measures))
    references = given.runs if given.against is None else [given.against, *given.runs]
    named = labels_of([find_run(archive, reference) for reference in references])
    baseline = None if given.against is None else next(iter(named))

    def work(progress: Progress) -> Response:
        n_steps = len(named) + 2
        loaded = load_runs(runs, named, progress, n_steps)
        judgments = archive.judgments.current()
        scale = highest_grade(judgments) if given.max_grade is None else given.max_grade
        progress(len(named), n_steps, "finding holes")
        queries = archive.queries.all()
        holes = find_holes(
            judgments,
            loaded,
            measures,
            baseline=baseline,
            max_grade=scale,
            k=given.k,
            queries=queries,
        )
        progress(len(named) + 1, n_steps, "computing bounds")
        found = HoleList(
            holes=holes,
            n_shown=given.limit,
            runs=[*loaded],
            measures=measures,
            max_grade=scale,
            n_queries=judgments.n_queries,
            depth=depth_of(measures) if given.k is None else given.k,
            means=mean_bounds(
                judgments, loaded, measures, baseline=baseline, max_grade=scale, queries=queries
            ),
            baseline=baseline,
            texts={query_id: query.text for query_id, query in queries.items()},
            effective_queries=effective_queries(queries, judgments.query_ids),
        )
        return Answer(json.loads(holes_to_json(found)))

    return long_work.answer("holes", work)
