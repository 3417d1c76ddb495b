"""Judgments: single, in bulk, and their history."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, NamedTuple, TypeAlias

from fastapi import APIRouter, Depends, Query, Request
from pydantic import BaseModel, Field, StringConstraints
from starlette.responses import Response

from berryeval.archive.records import JudgmentEntry, StoredJudgment
from berryeval.errors import ConflictError, DisagreementError
from berryeval.service.answers import (
    NOT_MODIFIED,
    Answer,
    conditional_answer,
    shape_of,
    with_examples,
    written,
)
from berryeval.service.bodies import JsonRoute
from berryeval.service.dependencies import ArchiveDep, Caller, CallerDep, require
from berryeval.service.fields import Body, Grade, Id, Many, ShortText, Weight
from berryeval.service.paging import Listed, PagingDep
from berryeval.service.paths import DocId, QueryId, quoted
from berryeval.service.preconditions import RemovalDep, WriteDep, concurrent_change
from berryeval.service.problems import Problem, documented, existing

__all__ = ["router"]

MAX_AT_ONCE = 100_000

router = APIRouter(prefix="/v1/judgments", tags=["judgments"], route_class=JsonRoute)

_PAIR = "/{query_id:id}/{doc_id:id}"

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
    "subtopics": {"animal": 2.0, "car": 0.0},
    "subtopic_weights": None,
    "stratum": None,
    "note": "Names the error, but not the fix.",
    "given_at": None,
}


class JudgmentState(
    shape_of(  # type: ignore[misc] # built from the record
        StoredJudgment,
        without=["restores"],
        grade="null if the judgment was withdrawn.",
        source="Where it comes from, such as a file.",
        document_hash="Hash of the document when it was judged.",
        revision="The number in its ETag.",
        is_stale="Whether the document has changed since then.",
        subtopics="Grades by subtopic, as they were given; those above `grade` count as `grade`.",
        subtopic_weights="Weights of the subtopics.",
        stratum="The stratum of the pool that the document was drawn from.",
        note="What the judge wrote about it.",
        given_at="Time of the judgment in the imported file; null if it is `judged_at`.",
        kind="The judgment itself (judgment), a second opinion (opinion), or the grade "
        "that the rule for several judges chose (rule).",
    )
):
    """A current or earlier judgment."""

    model_config = with_examples(_EXAMPLE)


class Graded(Body):
    """A grade, and grades by subtopic."""

    grade: Grade
    document_hash: ShortText | None = None
    subtopics: dict[Id, Grade] | None = Field(
        None,
        description="Grades by subtopic, for intent-aware measures; `grade` is at least the "
        "highest of them. If omitted, those of the current judgment are kept; {} removes them.",
        examples=[{"animal": 2, "car": 0}],
    )
    subtopic_weights: dict[Id, Weight] | None = Field(
        None,
        description="Weights of these subtopics. If omitted, those of the current judgment are "
        "kept. If a subtopic of a query has several weights, the newest counts.",
        examples=[{"animal": 3}],
    )
    stratum: Annotated[str, StringConstraints(max_length=1024)] | None = Field(
        None,
        description="The stratum of the pool that the document was drawn from, for xinfAP and "
        "infNDCG; documents of the pool that were not judged have a grade below 0. If omitted, "
        'that of the current judgment is kept; "" removes it. A second opinion has none.',
        examples=["top"],
    )
    note: Annotated[str, StringConstraints(max_length=10_000)] | None = Field(
        None, description="What the judge writes about it.", examples=["Names the error."]
    )


class PairInBody(Body):
    """A query and a document."""

    query_id: Id
    doc_id: Id


class NewJudgment(Graded, PairInBody):
    """A grade for one pair."""

    model_config = with_examples({"query_id": "q1", "doc_id": "d7", "grade": 2})

    def entry(self) -> JudgmentEntry:
        """Return the entry for the archive."""
        return JudgmentEntry(**self.model_dump())


class Provenance(Body):
    """Author and source of judgments, and whether they are second opinions."""

    source: ShortText | None = None
    author: ShortText | None = Field(
        None, description="Default: the caller. Others require the role admin."
    )
    second_opinion: bool = Field(
        default=False,
        description="Store it as a second opinion. It counts by the rule of `/v1/judging`, "
        "or when the conflict is settled.",
    )


class Judged(Provenance, Graded):
    """A grade for the pair in the path."""

    model_config = with_examples({"grade": 2, "source": "workbench"})


class ManyJudgments(Provenance):
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

    judgments: Annotated[list[NewJudgment], Many] = Field(min_length=1, max_length=MAX_AT_ONCE)


class Stored(BaseModel):
    """The number of stored judgments."""

    model_config = with_examples({"received": 2, "changed": 1})

    received: int
    changed: int = Field(description="Number of new or changed judgments.")


class Pair(NamedTuple):
    """The query and the document in a path."""

    query_id: str
    doc_id: str

    @property
    def judgment(self) -> str:
        """The judgment, as messages name it."""
        return f"the judgment of {self.doc_id!r} for {self.query_id!r}"

    @property
    def name(self) -> str:
        """The pair, as errors name it."""
        return f"{self.doc_id} for {self.query_id}"


async def _pair(query_id: QueryId, doc_id: DocId) -> Pair:
    return Pair(query_id, doc_id)


_PairDep: TypeAlias = Annotated[Pair, Depends(_pair)]


@router.get("", response_model=Listed[JudgmentState])
def list_judgments(
    archive: ArchiveDep,
    paging: PagingDep,
    query_id: Annotated[
        Id | None, Query(description="Only those of this query.", examples=["q1"])
    ] = None,
    is_stale: Annotated[
        bool | None,
        Query(description="Only those whose document has changed (true) or not (false)."),
    ] = None,
) -> Answer:
    """List judgments by id."""
    page = archive.judgments.page(query_id=query_id, is_stale=is_stale, **paging.bounds)
    return paging.answer(page, JudgmentState.of)


@router.post("", response_model=Stored, responses=documented(409), dependencies=[require("judge")])
def store_judgments(given: ManyJudgments, archive: ArchiveDep, caller: CallerDep) -> Answer:
    """Store many judgments, all or none.

    A pair that is already judged gets the new grade, and the old one stays in its history; a
    second opinion does not change it. The response is sent when everything is on disk.
    """
    entries = [one.entry() for one in given.judgments]
    author = _author(caller, given.author)
    changed = archive.judgments.put(
        entries, author=author, source=given.source, as_opinion=given.second_opinion
    )
    return Answer({"received": len(entries), "changed": changed})


@router.get(_PAIR, response_model=JudgmentState, responses=documented(404) | NOT_MODIFIED)
def get_judgment(request: Request, pair: _PairDep, archive: ArchiveDep) -> Response:
    """Return the judgment of a pair; its ETag is its revision."""
    found = existing(archive.judgments.get(*pair), "judgment", pair.name)
    return conditional_answer(request, JudgmentState.of(found), _etag(found))


@router.put(
    _PAIR,
    response_model=JudgmentState,
    responses=documented(409, 412, 428)
    | {201: {"model": JudgmentState, "description": "Judged for the first time"}},
    dependencies=[require("judge")],
)
def judge(
    pair: _PairDep, given: Judged, archive: ArchiveDep, caller: CallerDep, headers: WriteDep
) -> Answer:
    """Judge a pair.

    Replacing a judgment requires its ETag in `If-Match`: 428 without it, 412 if another judge
    has changed it. `If-Match: *` replaces any judgment. A second opinion replaces nothing and
    needs no ETag. 409 if judges disagree and the pair belongs to an unfinished project: it must be
    settled there.
    """
    facts: dict[str, Any] = {
        "author": _author(caller, given.author),
        "source": given.source,
        "document_hash": given.document_hash,
        "subtopics": given.subtopics,
        "subtopic_weights": given.subtopic_weights,
        "stratum": given.stratum,
        "note": given.note,
    }
    if given.second_opinion:
        stored = archive.judgments.add_opinion(*pair, given.grade, **facts)
        is_new = stored.kind == "judgment"
    else:
        wanted = headers.precondition()
        before = archive.judgments.get(*pair)
        wanted.check(None if before is None else _etag(before), pair.judgment)
        is_new = before is None
        revision = 0 if before is None else before.revision
        if_revision = None if wanted.is_any else revision
        with _conflict_reported(pair):
            stored = archive.judgments.change(*pair, given.grade, **facts, if_revision=if_revision)
    place = f"/v1/judgments/{quoted(pair.query_id)}/{quoted(pair.doc_id)}"
    return written(JudgmentState.of(stored), place, is_new=is_new, etag=_etag(stored))


@router.delete(
    _PAIR,
    status_code=204,
    response_class=Response,
    responses=documented(404, 409, 412, 428),
    dependencies=[require("judge")],
)
def withdraw_judgment(
    pair: _PairDep, archive: ArchiveDep, caller: CallerDep, headers: RemovalDep
) -> Response:
    """Withdraw a judgment; its history is kept. `If-Match` works as for judging.

    The ETag of the response can be sent to `undo` to restore the judgment.
    """
    wanted = headers.precondition()
    before = existing(archive.judgments.get(*pair), "judgment", pair.name)
    wanted.check(_etag(before), pair.judgment)
    revision = None if wanted.is_any else before.revision
    with _conflict_reported(pair):
        gone = archive.judgments.remove(*pair, author=caller.name, if_revision=revision)
    return Response(status_code=204, headers={"ETag": _etag(gone)})


@router.post(
    f"{_PAIR}/undo",
    response_model=JudgmentState,
    responses=documented(412, 428)
    | {204: {"description": "Undone; there was no earlier judgment"}},
    dependencies=[require("judge")],
)
def undo_judgment(
    pair: _PairDep, archive: ArchiveDep, caller: CallerDep, headers: RemovalDep
) -> Response:
    """Undo the caller's own judgment, second opinion or withdrawal.

    `If-Match` is the ETag of its response. The previous judgment counts again, with its own
    author, and is returned; 412 if another judge has changed it.
    """
    tags = headers.precondition().tags or ()
    revisions = [int(tag.strip('"')) for tag in tags if tag.strip('"').isdecimal()]
    if len(revisions) != 1:
        way_out = "send the ETag of the response"
        raise Problem(428, f"If-Match names nothing to undo; {way_out}", where="If-Match",
                      expected="the ETag of the caller's own judgment",
                      found=headers.if_match or "nothing", way_out=way_out)  # fmt: skip
    with _conflict_reported(pair):
        found = archive.judgments.undo(*pair, author=caller.name, if_revision=revisions[0])
    if found is None:
        return Response(status_code=204)
    return Answer(JudgmentState.of(found), etag=_etag(found))


@router.get(f"{_PAIR}/history", response_model=list[JudgmentState], responses=documented(404))
def get_judgment_history(pair: _PairDep, archive: ArchiveDep) -> Answer:
    """List all states of a pair, oldest first, including second opinions."""
    found = existing(archive.judgments.history(*pair) or None, "judgment", pair.name)
    return Answer([JudgmentState.of(state) for state in found])


@contextmanager
def _conflict_reported(pair: Pair) -> Iterator[None]:
    """Report that another judge changed the judgment between our read and our write."""
    try:
        yield
    except DisagreementError:
        raise
    except ConflictError:
        raise concurrent_change(pair.judgment, None) from None


def _etag(judgment: StoredJudgment) -> str:
    return f'"{judgment.revision}"'


def _author(caller: Caller, named: str | None) -> str:
    if named is None or named == caller.name:
        return caller.name
    if not caller.may("admin"):
        raise Problem(403, f"author: {caller.name!r} cannot judge for {named!r}", where="author",
                      expected=caller.name, found=named, way_out="omit it")  # fmt: skip
    return named
