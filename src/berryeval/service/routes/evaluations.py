"""Evaluations: a run scored with the judgments at a point in time."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from anyio import to_thread
from fastapi import APIRouter, Path, Query, Request
from pydantic import ConfigDict, Field
from starlette.responses import Response

from berryeval.archive import Archive
from berryeval.archive.records import StoredEvaluation
from berryeval.core.notes import caution_notes
from berryeval.evaluation.evaluate import DEFAULT_MEASURES, read_measures
from berryeval.evaluation.slices import SliceLabel
from berryeval.reports.evaluation import Shown, evaluation_as_dict
from berryeval.service.answers import (
    EXAMPLE_RUN,
    NOT_MODIFIED,
    OTHER_RUN,
    Answer,
    conditional_answer,
    etag_of,
    json_bytes,
    shape_of,
    with_examples,
)
from berryeval.service.bodies import JsonRoute
from berryeval.service.dependencies import (
    ACCEPTED,
    ArchiveDep,
    EvaluationsDep,
    LongWorkDep,
    require,
)
from berryeval.service.fields import (
    Body,
    MeasureNames,
    RunReference,
    check_measures,
)
from berryeval.service.jobs import Progress
from berryeval.service.paging import Listed, PagingDep
from berryeval.service.problems import documented, existing
from berryeval.service.stored_runs import find_run

__all__ = ["router"]

router = APIRouter(prefix="/v1/evaluations", tags=["evaluations"], route_class=JsonRoute)

_HASH = "^[0-9a-f]{64}$"

EvaluationId = Annotated[
    str, Path(description="Id of an evaluation.", examples=[OTHER_RUN], pattern=_HASH)
]
Hash = Annotated[str, Field(pattern=_HASH)]

_EXAMPLE: dict[str, Any] = {
    "evaluation_id": OTHER_RUN,
    "run_id": EXAMPLE_RUN,
    "judgments_hash": "8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4",
    "created_at": "2026-11-16T08:00:00+00:00",
    "missing": "zero",
    "no_relevant": "zero",
    "queries": 50,
    "effective_queries": None,
    "counts": {"judged": 50, "missing": 0, "ignored": 0, "no_relevant": 1},
    "means": {"nDCG@10": 0.4121, "AP": 0.2873},
    "holes": {"nDCG@10": 12, "AP": 4711},
    "notes": [],
}


class EvaluationRequest(Body):
    """What to score, and how."""

    model_config = with_examples({"run": EXAMPLE_RUN, "measures": ["nDCG@10", "AP"]})

    run: RunReference
    measures: MeasureNames | None = Field(
        None, description="Default: RR, and R, P, nDCG and success at 1, 3, 5 and 10."
    )
    at: Hash | None = Field(
        None, description="Score with the judgments of this hash instead of the current ones."
    )
    missing: Literal["zero", "skip", "error"] | None = Field(
        None,
        description="How to score judged queries that are missing from the run. If omitted, `skip` "
        "for the evaluation of a store, and `zero` for any other run.",
    )
    no_relevant: Literal["zero", "skip"] = "zero"


class EvaluationState(
    shape_of(  # type: ignore[misc] # built from the record
        StoredEvaluation,
        without=("n_queries", "counts", "cautions", "effective_queries"),
        missing="How judged queries that are missing from the run were scored.",
        means="Weighted, if queries have weights.",
        holes="Unjudged documents that a measure considered.",
    )
):
    """Means of a run with some judgments."""

    model_config = with_examples(_EXAMPLE)

    queries: int
    effective_queries: float | None = Field(
        None, description="Equivalent number of queries of equal weight. Null without weights."
    )
    counts: dict[str, int]
    notes: list[str] = Field(
        default_factory=list,
        description="Cautions about the scores of the run, such as distances in place of scores.",
    )


class EvaluationReport(EvaluationState):
    """An evaluation query by query, or by slice, as `berryeval evaluate --json` writes a run."""

    model_config = ConfigDict(
        extra="allow", **with_examples({**_EXAMPLE, "per_query": {"q1": {"AP": 0.25}}})
    )

    intervals: dict[str, list[float] | None] | None = None
    per_query: dict[str, dict[str, float]] | None = None
    slices: dict[str, dict[str, Any]] | None = None


@router.get("", response_model=Listed[EvaluationState])
def list_evaluations(
    archive: ArchiveDep,
    paging: PagingDep,
    run_id: Annotated[
        Hash | None, Query(description="Only those of this run.", examples=[EXAMPLE_RUN])
    ] = None,
    judgments_hash: Annotated[
        Hash | None, Query(description="Only those with these judgments.", examples=[OTHER_RUN])
    ] = None,
) -> Answer:
    """List evaluations, newest first."""
    page = archive.evaluations.page(run_id=run_id, judgments_hash=judgments_hash, **paging.bounds)
    return paging.answer(page, _shape)


@router.post(
    "",
    response_model=EvaluationState,
    responses={**ACCEPTED, **documented(404)},
    dependencies=[require("judge")],
)
def evaluate_run(given: EvaluationRequest, archive: ArchiveDep, long_work: LongWorkDep) -> Response:
    """Score a stored run; an identical evaluation is reused."""
    measures = check_measures(read_measures(given.measures or DEFAULT_MEASURES))
    run = find_run(archive, given.run)

    def work(progress: Progress) -> Response:
        progress(0, 1, "scoring")
        stored = archive.evaluations.score(
            run.run_id,
            measures,
            at=given.at,
            missing=given.missing,
            no_relevant=given.no_relevant,
        )
        headers = {"Location": f"/v1/evaluations/{stored.evaluation_id}"}
        return Answer(_shape(stored), headers=headers)

    return long_work.answer("evaluation", work)


@router.get(
    "/{evaluation_id}",
    response_model=EvaluationState,
    responses=documented(404) | NOT_MODIFIED,
)
async def get_evaluation(
    request: Request, evaluation_id: EvaluationId, archive: ArchiveDep, known: EvaluationsDep
) -> Response:
    """Return the means of an evaluation, with an ETag.

    They change only if the weights of queries do.
    """
    key = evaluation_id, archive.queries.n_writes
    found = known.get(key)
    if found is None:
        body = await to_thread.run_sync(_body, archive, evaluation_id)
        found = body, etag_of(body)
        known.put(key, found)
    return conditional_answer(request, *found)


@router.get("/{evaluation_id}/report", response_model=EvaluationReport, responses=documented(404))
def report_evaluation(
    evaluation_id: EvaluationId,
    archive: ArchiveDep,
    per_query: Annotated[bool, Query(description="Whether to return every query.")] = False,  # noqa: FBT002
    by: Annotated[
        SliceLabel | None,
        Query(description="Label whose slices to return."),
    ] = None,
    intervals: Annotated[  # noqa: FBT002 - as above
        bool, Query(description="Whether to return 95% intervals of means.")
    ] = False,
) -> Answer:
    """Return an evaluation with every query, slices or intervals."""
    stored = existing(archive.evaluations.get(evaluation_id), "evaluation", evaluation_id)
    loaded = archive.evaluations.load(evaluation_id)
    shown = Shown(per_query=per_query, label=by, intervals=intervals)
    return Answer({**_shape(stored), **evaluation_as_dict(loaded, shown)})


def _body(archive: Archive, evaluation_id: str) -> bytes:
    stored = existing(archive.evaluations.get(evaluation_id), "evaluation", evaluation_id)
    return json_bytes(_shape(stored))


def _shape(stored: StoredEvaluation) -> dict[str, Any]:
    notes = [*map(str, caution_notes(stored.cautions))]
    shape: dict[str, Any] = EvaluationState.of(stored, queries=stored.n_queries, notes=notes)
    return shape
