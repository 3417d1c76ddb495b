"""Proposed queries, which become queries when a person accepts them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from pydantic import Field, StringConstraints

from berryeval.judges.proposals import Proposal, Status
from berryeval.service.answers import Answer, shape_of, with_examples
from berryeval.service.bodies import JsonRoute
from berryeval.service.dependencies import ArchiveDep, CallerDep, require
from berryeval.service.fields import Body, Grade, Id, Label, Many, ShortText
from berryeval.service.paging import Listed, PagingDep
from berryeval.service.paths import QueryId
from berryeval.service.problems import documented, existing
from berryeval.service.routes.judges import Stored

__all__ = ["router"]

router = APIRouter(prefix="/v1/proposals", tags=["judges"], route_class=JsonRoute)

MAX_PROPOSALS = 10_000

_PROPOSAL: dict[str, Any] = {
    "query_id": "P1a2b3c4d", "status": "proposed", "query": "reset password", "intent":
    "Sign in again without the old password.", "category": "procedural", "difficulty": "easy",
    "doc_id": "d7", "content": "a1b2c3d4e5f60718", "model": "qwen3:8b", "template": "1:9c41",
    "proposed_at": "2026-11-18T08:00:00+00:00", "why": "", "judge": "qwen3@localhost:11434",
    "grade": 3.0, "system": "bm25", "rank": 2, "original": None, "reviewed_by": None,
    "reviewed_at": None,
}  # fmt: skip

_Line = Annotated[str, StringConstraints(max_length=1000)]


class NewProposal(Body):
    """A proposed query, like a line of query-proposals.jsonl."""

    model_config = with_examples(_PROPOSAL)

    query_id: Id
    status: Status = Field(
        "proposed",
        description="`accepted` is stored as `proposed`: a person has to review it here.",
    )
    query: _Line
    intent: _Line
    category: Label | None = None
    difficulty: Label | None = None
    doc_id: Id = Field(description="The document that it was written for.")
    content: Label = ""
    model: ShortText | None = None
    template: Annotated[str, StringConstraints(max_length=200)] = ""
    proposed_at: Annotated[str, StringConstraints(max_length=40)] = ""
    why: _Line = ""
    judge: ShortText | None = None
    grade: Grade | None = None
    system: ShortText | None = None
    rank: Annotated[int, Field(ge=1, lt=2**31)] | None = None
    original: _Line | None = None
    reviewed_by: ShortText | None = None
    reviewed_at: Annotated[str, StringConstraints(max_length=40)] | None = None


class NewProposals(Body):
    """Proposed queries to store together, all or none."""

    model_config = with_examples({"proposals": [_PROPOSAL]})

    proposals: Annotated[list[NewProposal], Many] = Field(min_length=1, max_length=MAX_PROPOSALS)


class ProposalState(shape_of(Proposal)):  # type: ignore[misc] # built from the record
    """A proposed query, and what people decided."""

    model_config = with_examples(_PROPOSAL)


class Decision(Body):
    """What a person decided on a proposal."""

    model_config = with_examples({"decision": "accept", "query": "reset my password"})

    decision: Literal["accept", "reject"]
    query: ShortText | None = Field(None, description="Another text of the query.")
    intent: ShortText | None = None
    category: Label | None = None
    difficulty: Label | None = None
    why: _Line = Field("", description="Why it is rejected.")


@router.get("", response_model=Listed[ProposalState])
def list_proposals(
    archive: ArchiveDep,
    paging: PagingDep,
    status: Annotated[Status | None, Query(description="Only proposals of this status.")] = None,
) -> Answer:
    """List proposed queries by id."""
    return paging.answer(archive.proposals.page(status=status, **paging.bounds), ProposalState.of)


@router.post("", response_model=Stored, dependencies=[require("judge")])
def store_proposals(given: NewProposals, archive: ArchiveDep) -> Answer:
    """Store proposed queries, all or none; existing ones are kept.

    None of them becomes a query before a person accepts it.
    """
    proposals = [Proposal(**one.model_dump()) for one in given.proposals]
    return Answer({"received": len(proposals), "new": archive.proposals.put(proposals)})


@router.get("/{query_id:id}", response_model=ProposalState, responses=documented(404))
def get_proposal(query_id: QueryId, archive: ArchiveDep) -> Answer:
    """Return a proposed query."""
    return Answer(ProposalState.of(existing(archive.proposals.get(query_id), "proposal", query_id)))


@router.post(
    "/{query_id:id}/decision",
    response_model=ProposalState,
    responses=documented(404, 409),
    dependencies=[require("judge")],
)
def decide_on_proposal(
    query_id: QueryId, given: Decision, archive: ArchiveDep, caller: CallerDep
) -> Answer:
    """Accept or reject a proposed query. An accepted one becomes a query with the same id.

    Texts may be changed; the query as the model wrote it is kept. A decision is final.
    """
    if given.decision == "reject":
        found = archive.proposals.reject(query_id, reviewer=caller.name, why=given.why)
    else:
        changed = given.model_dump(include={"query", "intent", "category", "difficulty"})
        found = archive.proposals.accept(query_id, reviewer=caller.name, **changed)
    return Answer(ProposalState.of(found))
