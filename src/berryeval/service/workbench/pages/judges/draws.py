"""The page of draws: queries that people label completely, so that they can correct a model."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Query, Request
from starlette.responses import RedirectResponse, Response

from berryeval.archive import Archive
from berryeval.archive.label_draws import StoredDraw
from berryeval.errors import ArgumentError
from berryeval.evaluation.label_draw import LabelDraw
from berryeval.service.bodies import received_form
from berryeval.service.dependencies import ArchiveDep, CallerDep, require
from berryeval.service.paths import NAME
from berryeval.service.routes.label_draws import draw_of
from berryeval.service.workbench.choosing import read_number
from berryeval.service.workbench.rendering import page

__all__ = ["router"]

router = APIRouter(prefix="/judges/draws")

_MOST = 100
_EMPTY = {"name": "", "n": "50", "by": "", "allocation": ""}
_LABELS = ("category", "difficulty")
_ALLOCATIONS = {"neyman": "more where runs differ", "proportional": "the same share"}

Text = Annotated[str, Query(max_length=100)]


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


@router.get("/preview", tags=["part"], dependencies=[require("admin")])
def preview_draw(
    request: Request, archive: ArchiveDep, n: Text = "", by: Text = "", allocation: Text = ""
) -> Response:
    """Show how many queries of each group would be drawn, and why. Nothing is stored."""
    draw, problem = _drawn(archive, {"n": n, "by": by, "allocation": allocation})
    return page(request, "judges_draw_preview.html", draw=draw, problem=problem)


@router.post("", dependencies=[require("admin")])
async def create_draw(request: Request, archive: ArchiveDep, caller: CallerDep) -> Response:
    """Draw queries of the archive."""
    form = await received_form(request)
    texts = {name: str(form.get(name) or "").strip() for name in _EMPTY}
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
    draw, problem = _drawn(archive, texts)
    if draw is not None:
        archive.label_draws.put(texts["name"], draw, created_by=author)
    return problem


def _drawn(archive: Archive, texts: Mapping[str, str]) -> tuple[LabelDraw | None, str]:
    """Return the draw that a form describes, or what is wrong."""
    by = texts["by"] if texts["by"] in _LABELS else None
    n, is_proportional = read_number(texts["n"], 0), texts["allocation"] == "proportional"
    try:
        return draw_of(archive, n, by, is_proportional=is_proportional), ""
    except ArgumentError as error:
        return None, f"Number of queries: expected {error.expected}, found {error.got}."


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
        texts=texts or _EMPTY,
        labels=_LABELS,
        allocations=_ALLOCATIONS,
        problem=problem,
        n_proposed=archive.proposals.counts().get("proposed", 0),
    )
