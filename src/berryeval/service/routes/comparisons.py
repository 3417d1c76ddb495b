"""Comparisons: runs compared with a baseline, query by query."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from berryeval.evaluation.evaluate import COMPARED_MEASURES, read_measures
from berryeval.service.answers import EXAMPLE_RUN, OTHER_RUN, Answer, with_examples
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
    Label,
    MaxGrade,
    MeasureNames,
    RunReference,
    Seed,
    SliceLabels,
    check_measures,
)
from berryeval.service.jobs import Progress
from berryeval.service.paths import NAME
from berryeval.service.prices import CHEAP, PRICE_OF_BOUNDS, check_price
from berryeval.service.problems import documented
from berryeval.service.stored_runs import find_run, labels_of, load_runs
from berryeval.service.workers import tasks
from berryeval.stats.paired_tests import TestName
from berryeval.stats.risk import MAX_ALPHA
from berryeval.stats.validation import MIN_RESAMPLES
from berryeval.suite.archived_judges import depth_of_model, model_judgments_in

__all__ = ["router"]

router = APIRouter(prefix="/v1/comparisons", tags=["comparisons"], route_class=JsonRoute)

MAX_CANDIDATES = 100
MAX_RESAMPLES = 100_000
_FORMULA = "candidates x measures x queries x resamples"


class ModelUse(Body):
    """Grades of an automated judge, corrected by queries that people labelled."""

    model_config = with_examples({"label_draw": "first"})

    label_draw: Annotated[str, Field(pattern=NAME)] = Field(
        description="Name of the draw of queries that people labelled."
    )
    judge: Label | None = Field(
        None, description="Name or identity of the judge. Default: the only admitted one."
    )


class ComparisonRequest(Body):
    """What to compare, and how."""

    model_config = with_examples(
        {"baseline": "main", "candidates": [EXAMPLE_RUN], "measures": ["nDCG@10", "P@5"]}
    )

    baseline: RunReference
    candidates: list[RunReference] = Field(min_length=1, max_length=MAX_CANDIDATES)
    measures: MeasureNames | None = Field(
        default=None,
        description="The first one decides. Default: nDCG@10, then RR, P@5 and R@100.",
    )
    slices: SliceLabels = Field(default=[])
    bounds: bool = Field(
        default=False,
        description="Whether to report how unjudged documents could change the differences.",
    )
    max_grade: MaxGrade = None
    missing: Literal["zero", "skip"] = "zero"
    no_relevant: Literal["zero", "skip"] = "zero"
    level: Annotated[float, Field(gt=0, lt=1, description="Confidence level of intervals.")] = 0.95
    tests: list[TestName] = Field(
        default=[],
        max_length=4,
        description="Further tests to report, unadjusted. They decide nothing.",
    )
    risk: list[Annotated[float, Field(ge=0, le=MAX_ALPHA)]] = Field(
        default=[],
        max_length=10,
        description="Weights alpha for U-risk, T-risk and geo-risk: a loss counts 1 + alpha times "
        "as much as a gain.",
    )
    resamples: Annotated[int, Field(ge=MIN_RESAMPLES, le=MAX_RESAMPLES)] = 10_000
    seed: Seed = 0
    per_query: bool = Field(default=False, description="Whether to report every query.")
    model: ModelUse | None = Field(
        None,
        description="If given, means and differences rest on people and a model. Not together "
        "with bounds, risk, tests and `no_relevant` skip.",
    )


_EXAMPLE: dict[str, Any] = {
    "version": 2,
    "kind": "comparison",
    "sentence": "hybrid is better than bm25: nDCG@10 rises from 0.4121 to 0.4431.",
    "baseline": "bm25",
    "candidates": ["hybrid"],
    "queries": 50,
    "statistics": {"level": 0.95, "tests": [], "resamples": 10_000, "seed": 0},
    "runs": [{"run": "bm25", "queries": 50, "means": {"nDCG@10": 0.4121}}],
    "differences": [
        {"system": "hybrid", "measure": "nDCG@10", "difference": 0.031, "finding": "better"}
    ],
    "common": [],
    "slices": [],
    "risks": [],
    "changed_most": [],
    "notes": [],
    "judgments_hash": "8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4",
    "run_ids": {"bm25": OTHER_RUN, "hybrid": EXAMPLE_RUN},
}


class ComparisonReport(BaseModel):
    """What `berryeval compare --json` writes; docs/reference/json.md describes it."""

    model_config = ConfigDict(extra="allow", json_schema_extra={"examples": [_EXAMPLE]})

    version: int = Field(examples=[2])
    kind: Literal["comparison"]
    sentence: str = Field(description="The result by the first measure.")
    baseline: str
    candidates: list[str]
    queries: int
    statistics: dict[str, Any]
    runs: list[dict[str, Any]]
    differences: list[dict[str, Any]]
    common: list[dict[str, Any]] = Field(
        description="The same over the queries that every run has; empty if no query is missing."
    )
    slices: list[dict[str, Any]]
    risks: list[dict[str, Any]]
    changed_most: list[dict[str, Any]]
    notes: list[str]
    judgments_hash: str = Field(description="Hash of the judgments that were used.")
    run_ids: dict[str, str] = Field(description="Runs by their names in the report.")


@router.post("", response_model=ComparisonReport, responses={**ACCEPTED, **documented(404)})
def compare_runs(
    given: ComparisonRequest,
    archive: ArchiveDep,
    runs: RunsDep,
    long_work: LongWorkDep,
    settings: SettingsDep,
    workers: WorkersDep,
) -> Response:
    """Compare runs with a baseline, using the current judgments: differences, intervals, tests.

    Nothing is stored. For large runs, use a job. The price of a comparison (candidates x measures x
    queries x resamples) is limited by the server.
    """
    measures = given.measures and check_measures(read_measures(given.measures))
    named = labels_of([find_run(archive, one) for one in (given.baseline, *given.candidates)])
    price = _price(given, max(run.n_queries for run in named.values()))
    way_out = "compare fewer candidates or measures, lower resamples"
    check_price("comparison", _FORMULA, price, settings.max_comparison, way_out)

    def work(progress: Progress) -> Response:
        loaded = load_runs(runs, named, progress, len(named) + 1)
        judgments, judgments_hash = archive.judgments.as_of(None)
        model = None
        if given.model is not None:
            k = depth_of_model(measures or COMPARED_MEASURES)
            model = model_judgments_in(
                archive, loaded, given.model.label_draw, k=k, judge=given.model.judge
            )
        judgments = archive.documents.with_lengths(judgments, measures or (), loaded.values())
        arguments: dict[str, Any] = {
            "judgments": judgments,
            "runs": loaded,
            "measures": measures,
            "queries": list(archive.queries.all().values()),
            "slices": given.slices,
            "bounds": given.bounds,
            "max_grade": given.max_grade,
            "missing": given.missing,
            "no_relevant": given.no_relevant,
            "level": given.level,
            "tests": given.tests,
            "n_resamples": given.resamples,
            "seed": given.seed,
            "risk": given.risk,
            "per_query": given.per_query,
            "model": model,
        }
        if price <= CHEAP:
            report = tasks.compare_runs(progress=progress, **arguments)
        else:
            report = workers.run(tasks.compare_runs, progress, **arguments)
        run_ids = {label: run.run_id for label, run in named.items()}
        return Answer({**report, "judgments_hash": judgments_hash, "run_ids": run_ids})

    return long_work.answer("comparison", work)


def _price(given: ComparisonRequest, n_queries: int) -> float:
    """Return about how many numbers a comparison adds up."""
    n_measures = len(given.measures or COMPARED_MEASURES)
    n_parts = 1 + len(given.slices)  # the slices of a label have each query about once
    per_query = given.resamples + PRICE_OF_BOUNDS * given.bounds
    return float(len(given.candidates) * n_measures * n_parts * n_queries * per_query)
