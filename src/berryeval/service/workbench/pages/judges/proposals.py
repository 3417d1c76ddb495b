"""The page of proposed queries: people accept, edit or reject them."""

from __future__ import annotations

from typing import Annotated, Any, get_args

from anyio import to_thread
from fastapi import APIRouter, Query, Request
from starlette.datastructures import FormData
from starlette.responses import RedirectResponse, Response

from berryeval.archive import Archive
from berryeval.errors import ArgumentError, NotFoundError
from berryeval.judges.proposals import Proposal, Status
from berryeval.service.bodies import received_form
from berryeval.service.dependencies import ArchiveDep, CallerDep, require
from berryeval.service.paths import QueryId, address
from berryeval.service.workbench.rendering import page

__all__ = ["router"]

router = APIRouter(prefix="/judges/proposals")

_ON_A_PAGE = 10
_EXCERPT = 1200
_TEXTS = ("query", "intent", "category", "difficulty")
_LONGEST = 1000
_DONE = {"accepted": "Added to the queries.", "rejected": "Rejected."}


@router.get("")
def list_proposals(
    request: Request,
    archive: ArchiveDep,
    status: str = "proposed",
    after: Annotated[str | None, Query(max_length=2000)] = None,
    done: str = "",
) -> Response:
    """List proposals of a status, ten per page, with the documents that answer them."""
    if status not in get_args(Status):
        raise NotFoundError("list of proposals", status)
    return _page(request, archive, status, after, message=_DONE.get(done, ""))


@router.post("/{query_id:id}", dependencies=[require("judge")])
async def decide(
    request: Request, archive: ArchiveDep, caller: CallerDep, query_id: QueryId
) -> Response:
    """Accept a proposal, as it is or edited, or reject it."""
    form = await received_form(request)
    try:
        done = await to_thread.run_sync(_decide, archive, query_id, form, caller.name)
    except ArgumentError as error:
        problem = f"{error.argument}: expected {error.expected}."
        return await to_thread.run_sync(
            lambda: _page(request, archive, "proposed", None, problem=problem, status_code=422)
        )
    return RedirectResponse(address("/judges/proposals", done=done), 303)


def _decide(archive: Archive, query_id: str, form: FormData, reviewer: str) -> str:
    texts = {name: str(form.get(name) or "").strip()[: _LONGEST + 1] for name in (*_TEXTS, "why")}
    if form.get("decision") == "reject":
        archive.proposals.reject(query_id, reviewer=reviewer, why=texts["why"])
        return "rejected"
    for name in ("query", "intent"):
        if not 0 < len(texts[name]) <= _LONGEST:
            raise ArgumentError(name, f"1 to {_LONGEST:,} characters", "others")
    changed = {name: texts[name] or None for name in _TEXTS}
    archive.proposals.accept(query_id, reviewer=reviewer, **changed)
    return "accepted"


def _page(
    request: Request,
    archive: Archive,
    status: str,
    after: str | None,
    *,
    message: str = "",
    problem: str = "",
    status_code: int = 200,
) -> Response:
    counts = archive.proposals.counts()
    wanted: Any = status
    found = archive.proposals.page(status=wanted, after=after, limit=_ON_A_PAGE)
    documents = archive.documents.some({one.doc_id for one in found.items})

    def text_of(proposal: Proposal) -> tuple[str, str]:
        document = documents.get(proposal.doc_id)
        text = "" if document is None else document.text or ""
        title = "" if document is None else document.title or ""
        return title, text[:_EXCERPT] + (" …" if len(text) > _EXCERPT else "")

    queries = archive.queries.all().values()
    return page(
        request,
        "judges_proposals.html",
        status=status_code,
        shown=status,
        counts=counts,
        statuses=[one for one in get_args(Status) if one in ("proposed", "added") or counts[one]],
        proposals=[(one, *text_of(one)) for one in found.items],
        first=address("/judges/proposals", status=status) if after else None,
        following=found.next and address("/judges/proposals", status=status, after=found.next),
        categories=sorted({one.category for one in queries if one.category}),
        n_proposed=counts["proposed"],
        message=message,
        problem=problem,
    )
