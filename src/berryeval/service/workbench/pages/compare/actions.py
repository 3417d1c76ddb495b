"""Actions on a comparison: run a gate, make the candidate a baseline."""

from __future__ import annotations

import re

from anyio import to_thread
from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from berryeval.archive import Archive
from berryeval.archive.records import StoredVerdict
from berryeval.errors import ArgumentError, NotFoundError
from berryeval.service.dependencies import ArchiveDep, RunsDep, require
from berryeval.service.jobs import no_progress
from berryeval.service.paths import NAME
from berryeval.service.run_cache import RunCache
from berryeval.service.verdicts import decide_on
from berryeval.service.workbench.choosing import choose_run
from berryeval.service.workbench.pages.compare.addresses import Pair

__all__ = ["router"]

router = APIRouter(prefix="/compare")

_LENGTH_OF_IDS = 64


@router.post("/gate", dependencies=[require("judge")])
async def decide(request: Request, archive: ArchiveDep, runs: RunsDep) -> Response:
    """Run a gate on the candidate and the baseline, and show its verdict."""
    form = await request.form()
    pair = Pair(str(form.get("a") or ""), str(form.get("b") or ""))
    name = str(form.get("gate") or "")
    verdict = await to_thread.run_sync(_decide, archive, runs, name, pair)
    return RedirectResponse(f"{pair.address()}&verdict={verdict.verdict_id}#decide", 303)


def _decide(archive: Archive, runs: RunCache, name: str, pair: Pair) -> StoredVerdict:
    gate = archive.gates.get(name) if name else None
    if gate is None:
        raise NotFoundError("gate", name)
    baseline, candidate = (choose_run(archive, one) for one in (pair.a, pair.b))
    return decide_on(
        archive, runs, gate, candidate, baseline, milliseconds=None, progress=no_progress
    )


@router.post("/baseline", dependencies=[require("admin")])
async def set_baseline(request: Request, archive: ArchiveDep) -> Response:
    """Make the candidate a baseline; the page still shows the same two runs."""
    form = await request.form()
    pair = Pair(str(form.get("a") or ""), str(form.get("b") or ""))
    name = str(form.get("name") or "").strip()
    if not re.fullmatch(NAME, name) or len(name) == _LENGTH_OF_IDS:
        expected = "letters, digits, dots, dashes and underscores, up to 100"
        raise ArgumentError("name", expected, repr(name[:120]))
    stay = await to_thread.run_sync(_set, archive, name, pair)
    return RedirectResponse(f"{stay.address()}&done=baseline#decide", 303)


def _set(archive: Archive, name: str, pair: Pair) -> Pair:
    """Set the baseline, and return the pair by ids, as the names may now mean another run."""
    before, after = (choose_run(archive, one) for one in (pair.a, pair.b))
    archive.baselines.put(name, after.run_id)
    return Pair(before.run_id, after.run_id)
