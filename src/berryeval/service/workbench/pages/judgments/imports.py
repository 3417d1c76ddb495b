"""The page Imports: which files of judgments were imported, and their undo."""

from __future__ import annotations

from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Path, Query, Request
from starlette.responses import RedirectResponse, Response

from berryeval.service.dependencies import ArchiveDep, CallerDep, require
from berryeval.service.problems import existing
from berryeval.service.routes.imports import check_owner
from berryeval.service.workbench.rendering import page

__all__ = ["router"]

router = APIRouter(prefix="/judgments/imports")

_AT_ONCE = 50
_ImportId = Annotated[int, Path(ge=1, lt=2**63)]


@router.get("")
def list_imports(
    request: Request,
    archive: ArchiveDep,
    after: Annotated[str | None, Query(max_length=200)] = None,
) -> Response:
    """List imports, newest first."""
    found = archive.imports.page(after=after, limit=_AT_ONCE)
    return page(request, "imports.html", found=found, after=after)


@router.get("/{import_id}/undo")
def show_undo(
    request: Request, archive: ArchiveDep, caller: CallerDep, import_id: _ImportId
) -> Response:
    """Show what undoing an import would keep."""
    found = existing(archive.imports.get(import_id), "import", str(import_id))
    return page(
        request,
        "import_undo.html",
        found=found,
        n_kept=archive.imports.changed_since(import_id) if found.undone_at is None else 0,
        is_allowed=caller.may("judge") and (caller.may("admin") or found.author == caller.name),
    )


@router.post("/{import_id}/undo", dependencies=[require("judge")])
async def undo_import(archive: ArchiveDep, caller: CallerDep, import_id: _ImportId) -> Response:
    """Undo an import."""

    def work() -> None:
        check_owner(caller, existing(archive.imports.get(import_id), "import", str(import_id)))
        archive.imports.undo(import_id, author=caller.name)

    await to_thread.run_sync(work)
    return RedirectResponse("/judgments/imports", 303)
