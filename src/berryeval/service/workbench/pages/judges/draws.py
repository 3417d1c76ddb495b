"""The page of draws: queries that people label completely, so that they can correct a model."""

from __future__ import annotations

import re
from dataclasses import dataclass

from anyio import to_thread
from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from berryeval.archive import Archive
from berryeval.archive.label_draws import StoredDraw
from berryeval.errors import ArgumentError
from berryeval.service.bodies import received_form
from berryeval.service.dependencies import ArchiveDep, CallerDep, require
from berryeval.service.paths import NAME
from berryeval.service.routes.label_draws import draw_of
from berryeval.service.workbench.choosing import read_number
from berryeval.service.workbench.rendering import page

__all__ = ["router"]

router = APIRouter(prefix="/judges/draws")

_MOST = 100
_LABELS = ("category", "difficulty")


@dataclass(frozen=True)
class _Row:
    """A draw, and the progress of its labels."""

    stored: StoredDraw
    n_judged: int
    """Drawn queries with at least one judgment."""

    @property
    def n_labelled(self) -> int:
        """Drawn queries."""
        return len(self.stored.draw.labelled)


@router.get("")
def list_draws(request: Request, archive: ArchiveDep) -> Response:
    """List draws, with a form for a new one."""
    return _page(request, archive)


@router.post("", dependencies=[require("admin")])
async def create_draw(request: Request, archive: ArchiveDep, caller: CallerDep) -> Response:
    """Draw queries of the archive."""
    form = await received_form(request)
    texts = {name: str(form.get(name) or "").strip() for name in ("name", "n", "by")}
    problem = await to_thread.run_sync(_create, archive, texts, caller.name)
    if problem:
        return await to_thread.run_sync(
            lambda: _page(request, archive, texts=texts, problem=problem, status=422)
        )
    return RedirectResponse("/judges/draws", 303)


def _create(archive: Archive, texts: dict[str, str], author: str) -> str:
    """Draw and store; return an error message, empty on success."""
    if not re.fullmatch(NAME, texts["name"]):
        return "Name: expected letters, digits, dots, dashes and underscores."
    by = texts["by"] if texts["by"] in _LABELS else None
    try:
        draw = draw_of(archive, read_number(texts["n"], 0), by).draw
    except ArgumentError as error:
        return f"Number of queries: expected {error.expected}, found {error.got}."
    archive.label_draws.put(texts["name"], draw, created_by=author)
    return ""


def _page(
    request: Request,
    archive: Archive,
    *,
    texts: dict[str, str] | None = None,
    problem: str = "",
    status: int = 200,
) -> Response:
    judged = {*archive.judgments.current().query_ids}
    draws = [
        _Row(one, len(one.draw.labelled & judged))
        for one in archive.label_draws.page(limit=_MOST).items
    ]
    return page(
        request,
        "judges_draws.html",
        status=status,
        draws=draws,
        n_queries=len(archive.queries.all()),
        texts=texts or {"name": "", "n": "50", "by": ""},
        labels=_LABELS,
        problem=problem,
        n_proposed=archive.proposals.counts().get("proposed", 0),
    )
