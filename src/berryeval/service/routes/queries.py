"""Queries, with labels that define slices."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field, StringConstraints
from starlette.responses import Response

from berryeval.core.query import Query
from berryeval.errors import NotFoundError
from berryeval.service.answers import (
    NOT_MODIFIED,
    REMOVAL,
    Answer,
    conditional_answer,
    created,
    etag_of,
    shape_of,
    with_examples,
    written,
)
from berryeval.service.bodies import JsonRoute
from berryeval.service.dependencies import ArchiveDep, require
from berryeval.service.fields import LONGEST_QUERY, Body, Id, Label, Many, ShortText, Weight
from berryeval.service.paging import Listed, PagingDep
from berryeval.service.paths import QueryId, quoted
from berryeval.service.preconditions import RemovalDep, WriteDep
from berryeval.service.problems import documented, existing

__all__ = ["router"]

MAX_AT_ONCE = 10_000

router = APIRouter(prefix="/v1/queries", tags=["queries"], route_class=JsonRoute)

_LABELS = {"text": "configure OAuth", "category": "procedural", "difficulty": "medium",
           "description": None, "tags": ["security"], "weight": 120.0,
           "group": None, "stratum": None, "turn": None}  # fmt: skip


class QueryContent(Body):
    """The text of a query, and its labels."""

    model_config = with_examples(_LABELS)

    text: Annotated[str, StringConstraints(max_length=LONGEST_QUERY)]
    category: Label | None = None
    difficulty: Label | None = None
    description: ShortText | None = None
    tags: list[Label] = Field([], max_length=100)
    weight: Weight | None = Field(
        None, description="Weight of the query relative to others, such as its traffic."
    )
    group: Label | None = Field(
        None,
        description="Name shared by queries that are not independent: paraphrases, or the turns "
        "of a session.",
    )
    stratum: Label | None = Field(
        None,
        description="Name shared by queries that were sampled together. "
        "All queries of a group are in one stratum.",
    )
    turn: Annotated[int, Field(ge=1, lt=2**53)] | None = Field(
        None, description="Place of the query in its session, from 1."
    )


class NewQuery(QueryContent):
    """A query with its id."""

    model_config = with_examples({"query_id": "q1", **_LABELS})

    query_id: Id


class StoredQuery(shape_of(Query)):  # type: ignore[misc] # built from the record
    """A stored query."""

    model_config = with_examples({"query_id": "q1", **_LABELS})


class ManyQueries(Body):
    """Queries to store together, all or none."""

    model_config = with_examples({"queries": [{"query_id": "q1", **_LABELS}]})

    queries: Annotated[list[NewQuery], Many] = Field(min_length=1, max_length=MAX_AT_ONCE)


class StoredQueries(BaseModel):
    """The number of stored queries."""

    model_config = with_examples({"received": 2})

    received: int


@router.get("", response_model=Listed[StoredQuery])
def list_queries(archive: ArchiveDep, paging: PagingDep) -> Answer:
    """List queries by id."""
    return paging.answer(archive.queries.page(**paging.bounds), StoredQuery.of)


@router.post("", response_model=StoredQueries, dependencies=[require("judge")])
def store_queries(given: ManyQueries, archive: ArchiveDep) -> Answer:
    """Store many queries, all or none; existing ones are replaced."""
    archive.queries.put([_query(one.query_id, one) for one in given.queries])
    return Answer({"received": len(given.queries)})


@router.get(
    "/{query_id:id}",
    response_model=StoredQuery,
    responses=documented(404) | NOT_MODIFIED,
)
def get_query(request: Request, query_id: QueryId, archive: ArchiveDep) -> Response:
    """Return a query."""
    found = existing(archive.queries.get(query_id), "query", query_id)
    return conditional_answer(request, StoredQuery.of(found), _etag(found))


@router.put(
    "/{query_id:id}",
    response_model=StoredQuery,
    responses=documented(412) | created(StoredQuery),
    dependencies=[require("judge")],
)
def store_query(
    query_id: QueryId, given: QueryContent, archive: ArchiveDep, headers: WriteDep
) -> Answer:
    """Store a query; `If-Match`, if given, must match its current ETag."""
    check = headers.check(_etag, f"query {query_id!r}")
    query = _query(query_id, given)
    archive.queries.put([query], check=check)
    place = f"/v1/queries/{quoted(query_id)}"
    return written(StoredQuery.of(query), place, is_new=check.is_new, etag=_etag(query))


@router.delete(
    "/{query_id:id}", **REMOVAL, responses=documented(404, 412), dependencies=[require("judge")]
)
def remove_query(query_id: QueryId, archive: ArchiveDep, headers: RemovalDep) -> None:
    """Remove a query; its judgments are kept. `If-Match`, if given, must match its ETag."""
    if not archive.queries.remove(query_id, check=headers.check(_etag, f"query {query_id!r}")):
        raise NotFoundError("query", query_id)


def _etag(query: Query) -> str:
    return etag_of(StoredQuery.of(query))


def _query(query_id: str, given: QueryContent) -> Query:
    fields = given.model_dump(exclude={"query_id"})
    return Query(query_id, **{**fields, "tags": tuple(given.tags)})
