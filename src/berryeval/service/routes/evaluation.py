"""Three routes that evaluate a store: store judgments, score queries, return the summary."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from itertools import repeat
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    RootModel,
    StringConstraints,
    model_validator,
)
from starlette.responses import Response

from berryeval.archive import Archive
from berryeval.archive.clock import now
from berryeval.archive.records import JudgmentEntry, RunFacts
from berryeval.core.cutoff import DEFAULT_KS
from berryeval.core.query import Query as AskedQuery
from berryeval.errors import SystemTimeoutError
from berryeval.evaluation.weighting import weights_of
from berryeval.service.answers import Answer, json_bytes, shape_of, with_examples
from berryeval.service.bodies import JsonRoute
from berryeval.service.dependencies import (
    ACCEPTED,
    ArchiveDep,
    CallerDep,
    DeadlineDep,
    LongWorkDep,
    StoresDep,
    require,
)
from berryeval.service.fields import LONGEST_QUERY, Body, Grade, Id, Many, check_hits
from berryeval.service.jobs import Progress
from berryeval.service.paths import NAME
from berryeval.service.problems import documented
from berryeval.service.routes.judgments import MAX_AT_ONCE
from berryeval.service.routes.stores import ChangedSettings, changes_of
from berryeval.service.stores.query_deadline import QueryDeadline, deadline_before
from berryeval.service.stores.store import Store
from berryeval.service.stores.stores import DEFAULT
from berryeval.suite.evaluate_system import (
    MIN_DEPTH,
    QueryEvaluation,
    Summary,
    SystemEvaluation,
    evaluate_system,
)

__all__ = ["router"]

MAX_QUERIES = 10_000
MAX_KS = 100
LARGEST_K = 10_000

router = APIRouter(prefix="/v1/evaluation", tags=["stores"], route_class=JsonRoute)

_NONE = Summary(0, {}, {}, {}, mean_mrr=0.0, map=0.0)
"""The summary of a store that was never evaluated."""

_StoreName = Annotated[str, StringConstraints(pattern=NAME)]


class JudgedPair(Body):
    """The grade of a document for a query: 0 not, 1 marginally, 2 relevant, 3 highly."""

    model_config = with_examples({"query_id": "q1", "doc_id": "d7", "relevance": 3})

    query_id: Id
    doc_id: Id
    relevance: Grade | None = None
    grade: Grade | None = Field(None, description="Alias of relevance.")

    @model_validator(mode="after")
    def _has_one_grade(self) -> JudgedPair:
        if (self.relevance is None) == (self.grade is None):
            raise ValueError("either relevance or grade")
        return self

    @property
    def value(self) -> float:
        """The grade, under either name."""
        value = self.relevance if self.grade is None else self.grade
        assert value is not None
        return value


class JudgedPairs(RootModel[Annotated[list[JudgedPair], Many, Field(max_length=MAX_AT_ONCE)]]):
    """Judgments to store together, all or none."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                [
                    {"query_id": "q1", "doc_id": "d7", "relevance": 3},
                    {"query_id": "q1", "doc_id": "d9", "relevance": 0},
                ]
            ]
        }
    )


class QueryToAsk(Body):
    """A query to run."""

    model_config = with_examples({"id": "q1", "query": "configure OAuth"})

    id: Id
    query: Annotated[str, Field(max_length=LONGEST_QUERY, description="The text of the query.")]


class EvaluateStore(Body):
    """Queries for a store, and cutoffs."""

    model_config = with_examples(
        {
            "queries": [{"id": "q1", "query": "configure OAuth"}],
            "store": "default",
            "ks": [5, 10, 20],
        }
    )

    queries: Annotated[list[QueryToAsk], Many] = Field(min_length=1, max_length=MAX_QUERIES)
    store: _StoreName = DEFAULT
    ks: list[Annotated[int, Field(ge=1, le=LARGEST_K)]] = Field(
        default_factory=lambda: list(DEFAULT_KS), min_length=1, max_length=MAX_KS
    )
    settings: ChangedSettings = Field(default_factory=dict)

    @model_validator(mode="after")
    def _asks_each_once(self) -> EvaluateStore:
        seen: set[str] = set()
        for one in self.queries:
            if one.id in seen:
                raise ValueError(f"each query once, not {one.id!r} twice")
            seen.add(one.id)
        return self

    @model_validator(mode="after")
    def _fits_into_memory(self) -> EvaluateStore:
        check_hits(len(self.queries), max(MIN_DEPTH, *self.ks))
        return self


_SCORES = {
    "query_id": "q1",
    "query": "configure OAuth",
    "ndcg": {"5": 0.63, "10": 0.7},
    "recall": {"5": 0.5, "10": 1.0},
    "precision": {"5": 0.2, "10": 0.2},
    "mrr": 0.5,
    "ap": 0.42,
    "result_count": 100,
    "unjudged": False,
}


class QueryScores(
    shape_of(  # type: ignore[misc] # built from the record
        QueryEvaluation,
        ndcg="By k.",
        recall="By k.",
        precision="By k.",
        mrr="Its reciprocal rank, over all hits.",
        ap="Average precision, over all hits.",
        result_count="Number of returned hits, of 100 or the largest k.",
        unjudged="Whether the query has no judgments; it is excluded from means.",
    )
):
    """The scores of one query."""

    model_config = with_examples(_SCORES)


_SUMMARY = {
    "query_count": 1,
    "mean_ndcg": {"5": 0.63, "10": 0.7},
    "mean_recall": {"5": 0.5, "10": 1.0},
    "mean_precision": {"5": 0.2, "10": 0.2},
    "mean_mrr": 0.5,
    "map": 0.42,
    "unjudged_count": 0,
    "failed_count": 1,
}


class StoreSummary(
    shape_of(  # type: ignore[misc] # built from the record
        Summary, mean_ndcg="By k.", mean_recall="By k.", mean_precision="By k."
    )
):
    """Means over the judged and answered queries.

    Without such queries they are 0, or null if queries failed.
    """

    model_config = with_examples(_SUMMARY)

    effective_queries: float | None = Field(
        None,
        description="Equivalent number of queries of equal weight. Null without weights.",
    )


_FAILED = {"query_id": "q2", "error": "default: timeout: no answer within 54 s for all queries"}


class FailedQuery(BaseModel):
    """A failed query, which is excluded from means."""

    model_config = with_examples(_FAILED)

    query_id: str
    error: str


class StoreEvaluation(BaseModel):
    """The scores of a store."""

    model_config = with_examples(
        {
            "results": [_SCORES],
            "summary": _SUMMARY,
            "failed": [_FAILED],
            "notes": [],
        }
    )

    results: list[QueryScores]
    summary: StoreSummary
    failed: list[FailedQuery]
    notes: list[str] = Field(description="What is missing, and how to add it.")


@router.post(
    "/judgments",
    status_code=204,
    response_class=Response,
    responses=documented(409),
    dependencies=[require("judge")],
)
def post_judgments(given: JudgedPairs, archive: ArchiveDep, caller: CallerDep) -> Response:
    """Store judgments, all or none; the response is sent when they are on disk.

    A pair that is already judged gets the new grade, and the old one stays in its history. Two
    grades for one pair in one body are an error. Judgments are shared by all stores.
    """
    entries = [JudgmentEntry(one.query_id, one.doc_id, one.value) for one in given.root]
    archive.judgments.put(entries, author=caller.name, source="/v1/evaluation/judgments")
    return Response(status_code=204)


@router.post(
    "/evaluate",
    response_model=StoreEvaluation,
    responses={**ACCEPTED, **documented(404)},
    dependencies=[require("judge")],
)
def evaluate_store(
    given: EvaluateStore,
    archive: ArchiveDep,
    stores: StoresDep,
    deadline: DeadlineDep,
    long_work: LongWorkDep,
) -> Response:
    """Run queries on a store, and score the results with the current judgments.

    Each query requests 100 hits, or the largest k if that is more. A query that fails does not
    affect the others: it is listed under `failed`, and excluded from means. So is a query that
    does not finish within the time limit of a request; a job has more time.

    The summary is stored, and the rankings as a run with the name of the store:
    `GET /v1/history?name=` shows the history of the store. With changed `settings`, only the run
    is stored, and its settings contain them.
    """
    store = stores.find(given.store)
    changes = changes_of(store, given.settings)
    queries = _weighted(archive, given.queries)
    depth = max(MIN_DEPTH, *given.ks)
    limit = QueryDeadline() if long_work.is_job else deadline_before(deadline, len(queries), depth)

    def work(progress: Progress) -> Response:
        progress(0, len(queries), "indexing")
        asked_at = now().isoformat()
        judgments = archive.judgments.current()
        prepared, limits = limit.prepared(store)
        is_ready = prepared is store
        with store.tuned(changes) if is_ready else nullcontext(prepared) as system:
            found = evaluate_system(
                system,
                queries,
                given.ks,
                judgments=judgments,
                limits=limits,
                progress=lambda done, total: progress(done, total, "searching"),
            )
            settings = system.fingerprint()
        facts = RunFacts(
            store.name,
            settings,
            store.corpus_hash() if is_ready else None,
            ("store",),
            asked_at=asked_at,
            failed=tuple(found.failed),
        )
        stored = _stored(archive, None if changes else store, found, facts)
        return Answer({**stored, "notes": list(_notes(store, found, limit))})

    return long_work.answer("store evaluation", work)


def _weighted(archive: Archive, asked: Sequence[QueryToAsk]) -> list[AskedQuery]:
    """Return queries with their weights in the archive."""
    weights = weights_of(archive.queries.all(), [one.id for one in asked])
    return [
        AskedQuery(one.id, one.query, weight=weight)
        for one, weight in zip(asked, weights or repeat(None), strict=False)
    ]


def _stored(
    archive: Archive, store: Store | None, found: SystemEvaluation, facts: RunFacts
) -> dict[str, Any]:
    """Store the results, also as the summary of a store if one is given; return them as JSON."""
    archive.runs.put(found.run, facts)
    body = found.to_dict()
    if store is None:
        return body
    summary = json.loads(json_bytes(body["summary"]))
    archive.stores.note_summary(store.name, store.kind, store.settings, summary)
    return body


def _notes(store: Store, found: SystemEvaluation, limit: QueryDeadline) -> Iterator[str]:
    """Return what is missing, and how to add it."""
    n_queries = len(found.results) + len(found.failed)
    if store.n_documents == 0:
        yield (
            f"Store {store.name!r} has no documents, so no query has results; add them with "
            f"POST /v1/stores/{store.name}/documents."
        )
    if found.summary.unjudged_count:
        yield (
            f"Queries without judgments, excluded from means: {found.summary.unjudged_count} of "
            f"{n_queries}; add judgments with POST /v1/evaluation/judgments."
        )
    n_late = sum(isinstance(error, SystemTimeoutError) for error in found.failed.values())
    if n_late and limit.deadline is not None:
        yield (
            f"Queries that timed out: {n_late} of {n_queries}; send fewer at once, or "
            "run a job with the header Prefer: respond-async."
        )


@router.get("/summary", response_model=StoreSummary)
def get_summary(
    archive: ArchiveDep,
    store: Annotated[
        _StoreName, Query(description="Name of the store.", examples=[DEFAULT])
    ] = DEFAULT,
) -> Answer:
    """Return the summary of a store's latest evaluation; `query_count` is 0 if there is none."""
    known = archive.stores.get(store)
    return Answer(_NONE if known is None or known.summary is None else known.summary)
