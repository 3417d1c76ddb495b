"""The page that settles the disagreements of a project, side by side with notes."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import unquote

from anyio import to_thread
from fastapi import APIRouter, Query, Request
from starlette.responses import RedirectResponse, Response

from berryeval.errors import ArgumentError, ConflictError
from berryeval.service.bodies import received_form
from berryeval.service.dependencies import ArchiveDep, CallerDep, require
from berryeval.service.paging import numbered_page
from berryeval.service.paths import Name
from berryeval.service.problems import Problem
from berryeval.service.workbench.grading import change_sentence, grade_labels, read_revision
from berryeval.service.workbench.pages.projects.routes import texts_of
from berryeval.service.workbench.rendering import page
from berryeval.service.workbench.state.agreement import TableDep

__all__ = ["router"]

router = APIRouter(prefix="/projects/{name}/settle")

_AT_ONCE = 10
_TEXT_SHOWN = 1500
_MAX_SETTLED = 200


@router.get("")
def show_conflicts(
    request: Request,
    archive: ArchiveDep,
    latest: TableDep,
    name: Name,
    page_number: Annotated[int, Query(alias="page", ge=1)] = 1,
) -> Response:
    """Show the disagreements of a project, and who settled the others."""
    board = archive.projects.board(name)
    conflicts = board.conflicts
    part = numbered_page(len(conflicts), page_number, _AT_ONCE)
    shown = conflicts[part.rows]
    settled = [one for one in board.pairs if one.settled_by is not None]
    documents = {one.asked.doc_id: archive.documents.get(one.asked.doc_id) for one in shown}
    return page(
        request,
        "project_settle.html",
        project=board.project,
        shown=shown,
        n_conflicts=len(conflicts),
        part=part,
        settled=settled[:_MAX_SETTLED],
        n_settled=len(settled),
        texts=texts_of(archive, [*shown, *settled[:_MAX_SETTLED]]),
        queries=archive.queries.some({one.asked.query_id for one in shown}),
        documents={
            doc_id: (document.text or "")[:_TEXT_SHOWN]
            for doc_id, document in documents.items()
            if document is not None
        },
        labels=grade_labels(archive, latest.get()),
    )


@router.post("", dependencies=[require("admin")])
async def settle(request: Request, archive: ArchiveDep, caller: CallerDep, name: Name) -> Response:
    """Settle a disagreement, unless the judgment has changed."""
    form = await received_form(request)
    # Ids are escaped, as in addresses: a form cannot contain bytes that are not text.
    ids = (str(form.get(key) or "") for key in ("query_id", "doc_id"))
    query_id, doc_id = (unquote(one, errors="surrogateescape") for one in ids)

    def work() -> None:
        try:
            archive.projects.settle(
                name,
                query_id,
                doc_id,
                _number(str(form.get("grade") or "")),
                author=caller.name,
                note=str(form.get("note") or "").strip() or None,
                if_revision=read_revision(str(form.get("revision") or "0")),
            )
        except ConflictError:
            changed = change_sentence(archive.judgments.get(query_id, doc_id))
            raise Problem(
                412,
                f"{changed}. Nothing was changed; reload the page and try again.",
                kind="conflict",
                where=f"/projects/{name}/settle",
            ) from None

    await to_thread.run_sync(work)
    return RedirectResponse(f"/projects/{name}/settle", 303)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ArgumentError("grade", "a number", repr(text)[:40]) from None
