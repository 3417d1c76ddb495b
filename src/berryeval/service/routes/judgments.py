"""Judgments: single, in bulk, and their history."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from berryeval.archive.records import JudgmentEntry, JudgmentKind, StoredJudgment
from berryeval.errors import ConflictError, NotFoundError
from berryeval.service.answers import Answer, Shape, conditional_answer, json_bytes, written
from berryeval.service.dependencies import ArchiveDep, Caller, CallerDep, require
from berryeval.service.examples import with_examples
from berryeval.service.fields import Body, Grade, Id, ShortText
from berryeval.service.paging import After, Limit, Listed, listed
from berryeval.service.paths import DocId, QueryId, quoted
from berryeval.service.preconditions import (
    IfMatch,
    IfNoneMatch,
    Precondition,
    concurrent_change,
    precondition,
)
from berryeval.service.problems import Problem, documented

__all__ = ["router"]

MOST_AT_ONCE = 100_000

router = APIRouter(prefix="/v1/judgments", tags=["judgments"])

_EXAMPLE = {
    "query_id": "q1",
    "doc_id": "d7",
    "grade": 2.0,
    "author": "ada",
    "source": "workbench",
    "judged_at": "2026-11-16T08:00:00+00:00",
    "document_hash": None,
    "revision": 3,
    "is_stale": False,
    "kind": "judgment",
}


class JudgmentState(Shape):
    """A current or earlier judgment."""

    model_config = with_examples(_EXAMPLE)

    query_id: str
    doc_id: str
    grade: float | None = Field(description="null if the judgment was withdrawn.")
    author: str
    source: str | None = Field(description="Where it comes from, such as a file.")
    judged_at: datetime
    document_hash: str | None = Field(description="Hash of the document when it was judged.")
    revision: int = Field(description="The number in its ETag.")
    is_stale: bool = Field(description="Whether the document has changed since then.")
    kind: JudgmentKind = Field(
        description="The judgment itself (judgment), a second opinion (opinion), or the grade "
        "that the rule for several judges chose (rule)."
    )


_SecondOpinion = Annotated[
    bool,
    Field(
        description="Store it as a second opinion. It counts by the rule of `/v1/judging`, "
        "or when a judge settles the conflict."
    ),
]


class NewJudgment(Body):
    """A grade for one pair."""

    model_config = with_examples({"query_id": "q1", "doc_id": "d7", "grade": 2})

    query_id: Id
    doc_id: Id
    grade: Grade
    document_hash: ShortText | None = None


class Judged(Body):
    """A grade for the pair in the path."""

    model_config = with_examples({"grade": 2, "source": "workbench"})

    grade: Grade
    source: ShortText | None = None
    document_hash: ShortText | None = None
    author: ShortText | None = Field(
        None, description="Default: the caller. Others require the role admin."
    )
    second_opinion: _SecondOpinion = False


class ManyJudgments(Body):
    """Judgments to store together, all or none."""

    model_config = with_examples(
        {
            "judgments": [
                {"query_id": "q1", "doc_id": "d7", "grade": 2},
                {"query_id": "q1", "doc_id": "d9", "grade": 0},
            ],
            "source": "pool of 2026-11-16",
        }
    )

    judgments: list[NewJudgment] = Field(min_length=1, max_length=MOST_AT_ONCE)
    source: ShortText | None = None
    author: ShortText | None = Field(
        None, description="Default: the caller. Others require the role admin."
    )
    second_opinion: _SecondOpinion = False


class Stored(BaseModel):
    """The number of stored judgments."""

    model_config = with_examples({"received": 2, "changed": 1})

    received: int
    changed: int = Field(description="Number of new or changed judgments.")


def _etag(judgment: StoredJudgment | None) -> str | None:
    return None if judgment is None else f'"{judgment.revision}"'


@router.get("", response_model=Listed[JudgmentState])
def list_judgments(
    request: Request,
    archive: ArchiveDep,
    query_id: Annotated[
        Id | None, Query(description="Only those of this query.", examples=["q1"])
    ] = None,
    is_stale: Annotated[
        bool | None,
        Query(description="Only those whose document has changed (true) or not (false)."),
    ] = None,
    after: After = None,
    limit: Limit = 100,
) -> Answer:
    """List judgments by id."""
    page = archive.judgments.page(query_id=query_id, is_stale=is_stale, after=after, limit=limit)
    return listed(request, page.items, page.next, JudgmentState.of)


@router.post("", response_model=Stored, dependencies=[require("judge")])
def store_judgments(given: ManyJudgments, archive: ArchiveDep, caller: CallerDep) -> Answer:
    """Store many judgments, all or none.

    A pair that is already judged gets the new grade, and the old one stays in its history; a
    second opinion does not change it. The response is sent when everything is on disk.
    """
    entries = [
        JudgmentEntry(one.query_id, one.doc_id, one.grade, one.document_hash)
        for one in given.judgments
    ]
    author = _author(caller, given.author)
    changed = archive.judgments.put(
        entries, author=author, source=given.source, as_opinion=given.second_opinion
    )
    return Answer({"received": len(entries), "changed": changed})


@router.get(
    "/{query_id:id}/{doc_id:id}",
    response_model=JudgmentState,
    responses=documented(404) | {304: {"description": "Not modified"}},
)
def get_judgment(
    request: Request, query_id: QueryId, doc_id: DocId, archive: ArchiveDep
) -> Response:
    """Return the judgment of a pair; its ETag is its revision."""
    found = archive.judgments.get(query_id, doc_id)
    if found is None:
        raise _missing(query_id, doc_id)
    return conditional_answer(request, json_bytes(JudgmentState.of(found)), f'"{found.revision}"')


@router.put(
    "/{query_id:id}/{doc_id:id}",
    response_model=JudgmentState,
    responses=documented(412, 428)
    | {201: {"model": JudgmentState, "description": "Judged for the first time"}},
    dependencies=[require("judge")],
)
def judge(
    query_id: QueryId,
    doc_id: DocId,
    given: Judged,
    archive: ArchiveDep,
    caller: CallerDep,
    if_match: IfMatch = None,
    if_none_match: IfNoneMatch = None,
) -> Answer:
    """Judge a pair.

    Replacing a judgment requires its ETag in `If-Match`: 428 without it, 412 if another judge
    has changed it. `If-Match: *` replaces any judgment. A second opinion replaces nothing and
    needs no ETag.
    """
    place = f"/v1/judgments/{quoted(query_id)}/{quoted(doc_id)}"
    author = _author(caller, given.author)
    if given.second_opinion:
        opinion = archive.judgments.add_opinion(
            query_id,
            doc_id,
            given.grade,
            author=author,
            source=given.source,
            document_hash=given.document_hash,
        )
        is_new = opinion.kind == "judgment"
        return written(JudgmentState.of(opinion), place, is_new=is_new, etag=_etag(opinion))
    wanted = precondition(if_match, if_none_match)
    before = _checked(archive, query_id, doc_id, wanted)
    expected = 0 if before is None else before.revision
    try:
        stored = archive.judgments.change(
            query_id,
            doc_id,
            given.grade,
            author=author,
            source=given.source,
            document_hash=given.document_hash,
            if_revision=None if wanted.is_any else expected,
        )
    except ConflictError:
        # Another judge changed it between our read and our write.
        raise concurrent_change(_named(query_id, doc_id), None) from None
    return written(JudgmentState.of(stored), place, is_new=before is None, etag=_etag(stored))


@router.delete(
    "/{query_id:id}/{doc_id:id}",
    status_code=204,
    response_class=Response,
    responses=documented(404, 412, 428),
    dependencies=[require("judge")],
)
def take_judgment_back(
    query_id: QueryId,
    doc_id: DocId,
    archive: ArchiveDep,
    caller: CallerDep,
    if_match: IfMatch = None,
) -> Response:
    """Withdraw a judgment; its history is kept. `If-Match` works as for judging.

    The ETag of the response can be sent to `undo` to restore the judgment.
    """
    wanted = precondition(if_match, None)
    before = archive.judgments.get(query_id, doc_id)
    if before is None:
        raise _missing(query_id, doc_id)
    wanted.check(_etag(before), _named(query_id, doc_id))
    try:
        gone = archive.judgments.remove(
            query_id,
            doc_id,
            author=caller.name,
            if_revision=None if wanted.is_any else before.revision,
        )
    except ConflictError:
        raise concurrent_change(_named(query_id, doc_id), None) from None
    return Response(status_code=204, headers={"ETag": f'"{gone.revision}"'})


@router.post(
    "/{query_id:id}/{doc_id:id}/undo",
    response_model=JudgmentState,
    responses=documented(412, 428)
    | {204: {"description": "Undone; there was no earlier judgment"}},
    dependencies=[require("judge")],
)
def undo_judgment(
    query_id: QueryId,
    doc_id: DocId,
    archive: ArchiveDep,
    caller: CallerDep,
    if_match: IfMatch = None,
) -> Response:
    """Undo the caller's own judgment, second opinion or withdrawal.

    `If-Match` is the ETag of its response. The previous judgment counts again, with its own
    author, and is returned; 412 if another judge has changed it.
    """
    tags = precondition(if_match, None).tags or ()
    revisions = [int(tag.strip('"')) for tag in tags if tag.strip('"').isdecimal()]
    if len(revisions) != 1:
        way_out = "send the ETag of the response"
        raise Problem(428, f"If-Match names nothing to undo; {way_out}", where="If-Match",
                      expected="the ETag of the caller's own judgment", found=if_match or "nothing",
                      way_out=way_out)  # fmt: skip
    try:
        found = archive.judgments.undo(
            query_id, doc_id, author=caller.name, if_revision=revisions[0]
        )
    except ConflictError:
        raise concurrent_change(_named(query_id, doc_id), None) from None
    if found is None:
        return Response(status_code=204)
    return Answer(JudgmentState.of(found), headers={"ETag": f'"{found.revision}"'})


@router.get(
    "/{query_id:id}/{doc_id:id}/history",
    response_model=list[JudgmentState],
    responses=documented(404),
)
def get_judgment_history(query_id: QueryId, doc_id: DocId, archive: ArchiveDep) -> Answer:
    """List all states of a pair, oldest first, including second opinions."""
    found = archive.judgments.history(query_id, doc_id)
    if not found:
        raise _missing(query_id, doc_id)
    return Answer([JudgmentState.of(state) for state in found])


def _checked(
    archive: ArchiveDep, query_id: str, doc_id: str, wanted: Precondition
) -> StoredJudgment | None:
    before = archive.judgments.get(query_id, doc_id)
    wanted.check(_etag(before), _named(query_id, doc_id))
    return before


def _author(caller: Caller, named: str | None) -> str:
    if named is None or named == caller.name:
        return caller.name
    if not caller.may("admin"):
        raise Problem(403, f"author: {caller.name!r} cannot judge for {named!r}", where="author",
                      expected=caller.name, found=named, way_out="omit it")  # fmt: skip
    return named


def _named(query_id: str, doc_id: str) -> str:
    return f"the judgment of {doc_id!r} for {query_id!r}"


def _missing(query_id: str, doc_id: str) -> NotFoundError:
    return NotFoundError("judgment", f"{doc_id} for {query_id}")
