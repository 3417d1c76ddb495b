"""Runs: uploaded as files in any supported format, identified by content."""

from __future__ import annotations

import json
import math
from contextlib import ExitStack
from copy import copy
from datetime import datetime, timezone
from typing import Annotated, Any, Literal

from anyio import to_thread
from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, Field
from starlette.background import BackgroundTask
from starlette.responses import FileResponse

from berryeval.archive import Archive
from berryeval.archive.records import RunFacts, StoredRun
from berryeval.core.id_column import encode_id
from berryeval.core.timings import MAX_MILLISECONDS
from berryeval.errors import ArgumentError, NotFoundError
from berryeval.formats import write_run
from berryeval.formats.rows import as_tag
from berryeval.service.answers import (
    EXAMPLE_RUN,
    REMOVAL,
    Answer,
    shape_of,
    with_examples,
    written,
)
from berryeval.service.bodies import JsonRoute
from berryeval.service.clients import client_wait
from berryeval.service.dependencies import ArchiveDep, RunsDep, SettingsDep, WorkersDep, require
from berryeval.service.fields import Body, Id, Label
from berryeval.service.paging import Listed, PagingDep
from berryeval.service.paths import QueryId, RunId
from berryeval.service.problems import documented, existing, shown
from berryeval.service.temporary import temporary_folder
from berryeval.service.uploads import file_body, received
from berryeval.service.workers.tasks import read_packed_run

__all__ = ["router"]

router = APIRouter(prefix="/v1/runs", tags=["runs"], route_class=JsonRoute)

FileFormat = Literal[
    "trec", "jsonl", "json", "table", "letor", "parquet", "arrow",
    "quepid-snapshot", "quepid-snapshot-csv", "srw-experiment", "rank-eval-response",
    "search-response", "msmarco", "ranx-lz4",
]  # fmt: skip
"""Formats that runs are read from, and LETOR, whose reader explains that it contains no runs."""

MAX_TIMES = 100_000
DEEPEST = 1000
"""Documents of a ranking in one response."""
"""Queries in one request."""

_EXAMPLE = {
    "run_id": EXAMPLE_RUN,
    "name": "bm25",
    "content_hash": "0d5f6ea8d2b1f1d8c5f3b3b1b7e9e1a0c4c6a4b2c0d1e2f3a4b5c6d7e8f9a0b1",
    "settings": {"k1": 0.9},
    "corpus_hash": None,
    "tags": ["nightly"],
    "commit": "4f1c2d3",
    "asked_at": None,
    "failed": [],
    "stored_at": "2026-11-16T08:00:00+00:00",
    "queries": 50,
    "rows": 5000,
}

_FILE = "q1 Q0 d7 1 12.5 bm25\nq1 Q0 d2 2 11.0 bm25\n"
_DOCUMENT = {"rank": 1, "doc_id": "d7", "score": 12.5, "grade": 2.0}


class RunState(
    shape_of(  # type: ignore[misc] # built from the record
        RunFacts,
        without=("durations", "cautions"),
        name="Name of the system; runs of the same name form a series.",
        failed="Queries that the store did not answer.",
    ),
    shape_of(  # type: ignore[misc]
        StoredRun,
        without=("facts", "n_queries", "n_rows"),
        run_id="Hash of its rankings and facts.",
        content_hash="Hash of its rankings only.",
    ),
):
    """A run, without its rankings."""

    model_config = with_examples(_EXAMPLE)

    asked_at: datetime | None = Field(
        description="When a store was evaluated; null for an uploaded run."
    )
    queries: int
    rows: int
    notes: list[str] | None = Field(
        None,
        description="Cautions about its scores, such as ranks that contradict them; only in the "
        "response to an upload.",
    )


class RankedDocument(BaseModel):
    """A document at its rank."""

    model_config = with_examples(_DOCUMENT)

    rank: int
    doc_id: str
    score: float | None = Field(description="null if it is infinite.")
    grade: float | None = Field(description="null if it is unjudged.")


class Ranking(BaseModel):
    """The ranking of a query in a run, with the current grades."""

    model_config = with_examples(
        {"query_id": "q1", "run_id": EXAMPLE_RUN, "retrieved": 100, "documents": [_DOCUMENT]}
    )

    query_id: str
    run_id: str
    retrieved: int = Field(description="Number of documents in the whole ranking.")
    documents: list[RankedDocument]


class Timings(Body):
    """How long the queries of a run took."""

    model_config = with_examples({"timings": {"q1": 12.5, "q2": 31.0}})

    timings: dict[Id, Annotated[float, Field(ge=0, le=MAX_MILLISECONDS, allow_inf_nan=False)]] = (
        Field(description="Milliseconds by query.", min_length=1, max_length=MAX_TIMES)
    )


class StoredTimings(BaseModel):
    """The number of times."""

    model_config = with_examples({"received": 2, "changed": True})

    received: int
    changed: bool = Field(description="Whether the run had no times before.")


def _shape(run: StoredRun) -> dict[str, Any]:
    shape: dict[str, Any] = RunState.of(run, run.facts, queries=run.n_queries, rows=run.n_rows)
    return shape


@router.get("", response_model=Listed[RunState])
def list_runs(
    archive: ArchiveDep,
    paging: PagingDep,
    name: Annotated[
        Label | None, Query(description="Only runs of this name.", examples=["bm25"])
    ] = None,
) -> Answer:
    """List runs, newest first."""
    page = archive.runs.page(name=name, newest_first=True, **paging.bounds)
    return paging.answer(page, _shape)


@router.post(
    "",
    response_model=RunState,
    status_code=201,
    responses={200: {"model": RunState, "description": "Already stored"}},
    openapi_extra=file_body(_FILE),
    dependencies=[require("judge")],
)
async def upload_run(
    request: Request,
    archive: ArchiveDep,
    settings: SettingsDep,
    workers: WorkersDep,
    name: Annotated[
        Label,
        Query(
            description="Name of the system; runs of the same name form a series.",
            examples=["bm25"],
        ),
    ],
    file_name: Annotated[Label, Query(description="Name of the file in messages.")] = "upload",
    format: Annotated[
        FileFormat | None, Query(description="Default: detected from the first line.")
    ] = None,
    tag: Annotated[list[Label], Query(description="Tag; repeatable.", max_length=50)] = [],  # noqa: B006 - FastAPI copies it
    commit: Annotated[Label | None, Query(description="Git commit.", examples=["4f1c2d3"])] = None,
    corpus_hash: Annotated[
        Label | None,
        Query(description="Identifier of the searched documents.", examples=["docs of 2026-11-16"]),
    ] = None,
    system_settings: Annotated[
        str | None,
        Query(
            alias="settings",
            description="Settings of the system, as a JSON object.",
            max_length=20_000,
            examples=['{"k1": 0.9}'],
        ),
    ] = None,
) -> Answer:
    """Upload the file of a run in any supported format.

    Uploading the same file with the same facts again changes nothing, and returns 200. An upload
    that is cut off or invalid stores nothing.
    """
    facts = RunFacts(name, _settings(system_settings), corpus_hash, tuple(tag), commit)
    began = datetime.now(timezone.utc)
    async with received(request, file_name) as path, client_wait(request) as wait:
        limits = {"rows": settings.max_rows, "content": settings.max_upload}
        packed, notes = await workers.call(
            read_packed_run, wait, path=path, format=format, **limits
        )
    stored = await to_thread.run_sync(archive.runs.put, packed, facts)
    place = f"/v1/runs/{stored.run_id}"
    answer = _shape(stored) | ({"notes": notes} if notes else {})
    return written(answer, place, is_new=stored.stored_at >= began)


@router.get("/{run_id}", response_model=RunState, responses=documented(404))
def get_run(run_id: RunId, archive: ArchiveDep) -> Answer:
    """Return a run, without its rankings."""
    return Answer(_shape(_existing(archive, run_id)))


@router.get(
    "/{run_id}/file",
    response_class=FileResponse,
    responses=documented(404)
    | {
        200: {
            "description": "The run as a file",
            "content": {
                "application/octet-stream": {"schema": {"type": "string"}, "example": _FILE}
            },
        }
    },
)
def download_run(
    run_id: RunId,
    archive: ArchiveDep,
    runs: RunsDep,
    format: Annotated[
        Literal["trec", "jsonl", "json", "table"], Query(description="Format of the file.")
    ] = "trec",
) -> FileResponse:
    """Download a run as a file; the tag is the run's name, if it is one word."""
    stored = _existing(archive, run_id)
    run = copy(runs.load(run_id))  # others may share the run
    run.tag = as_tag(stored.facts.name)
    with ExitStack() as kept:
        path = kept.enter_context(temporary_folder()) / "run"
        write_run(run, path, format=format)
        removal = BackgroundTask(kept.pop_all().close)
    return FileResponse(
        path,
        media_type="application/octet-stream",
        headers={"Content-Disposition": f'attachment; filename="{stored.run_id[:12]}.{format}"'},
        background=removal,
    )


@router.get("/{run_id}/rankings/{query_id:id}", response_model=Ranking, responses=documented(404))
def get_ranking(
    run_id: RunId,
    query_id: QueryId,
    archive: ArchiveDep,
    runs: RunsDep,
    depth: Annotated[
        int, Query(ge=1, le=DEEPEST, description="Maximum number of documents.")
    ] = 100,
) -> Answer:
    """Return the ranking of a query in a run, best first, with the current grades."""
    run = runs.load(run_id)
    if query_id not in run:
        raise NotFoundError("query in this run", query_id)
    encoded = encode_id(query_id)
    rows = run.rows_of(encoded)
    scores = {run.doc_ids[row]: run.values[row] for row in rows}
    grades = archive.judgments.current().grades_of(encoded)
    documents = [
        {
            "rank": rank,
            "doc_id": doc_id,
            "score": scores[doc_id] if math.isfinite(scores[doc_id]) else None,
            "grade": grades.get(encode_id(doc_id)),
        }
        for rank, doc_id in enumerate(run.ranking(query_id, depth), start=1)
    ]
    found = {"query_id": query_id, "run_id": run_id, "retrieved": len(rows)}
    return Answer({**found, "documents": documents})


@router.put(
    "/{run_id}/timings",
    response_model=StoredTimings,
    responses=documented(404, 409),
    dependencies=[require("judge")],
)
def store_timings(run_id: RunId, given: Timings, archive: ArchiveDep, runs: RunsDep) -> Answer:
    """Store how long the queries of a run took, for measures of time such as `ms@p95`.

    The times of a run never change: sending the same ones again changes nothing, and others are a
    conflict (409). Runs of stores already have their times.
    """
    is_new = archive.runs.put_timings(run_id, given.timings)
    runs.forget(run_id)
    return Answer({"received": len(given.timings), "changed": is_new})


@router.delete(
    "/{run_id}", **REMOVAL, responses=documented(404, 409), dependencies=[require("admin")]
)
def remove_run(run_id: RunId, archive: ArchiveDep, runs: RunsDep) -> None:
    """Remove a run with its evaluations; 409 if it is a baseline. Its verdicts are kept."""
    if not archive.runs.remove(run_id):
        raise NotFoundError("run", run_id)
    runs.forget(run_id)


def _existing(archive: Archive, run_id: str) -> StoredRun:
    return existing(archive.runs.get(run_id, with_durations=False), "run", run_id)


def _settings(text: str | None) -> dict[str, Any]:
    if text is None:
        return {}
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise ArgumentError("settings", "a JSON object", shown(text))
    return found
