"""The page Systems: an administrator registers search systems, and removes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from anyio import to_thread
from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from berryeval.archive import Archive
from berryeval.archive.paging import MAX_PER_PAGE
from berryeval.errors import ArgumentError, ConflictError
from berryeval.service.bodies import received_form
from berryeval.service.dependencies import ArchiveDep, CallerDep, SettingsDep, StoresDep, require
from berryeval.service.settings import ServiceSettings
from berryeval.service.workbench.rendering import page

__all__ = ["router"]

router = APIRouter(prefix="/try/systems", dependencies=[require("admin")])


@router.get("")
def show_systems(request: Request, archive: ArchiveDep, settings: SettingsDep) -> Response:
    """List registered systems, with a form for another one."""
    return _page(request, archive, settings, {})


@router.post("")
async def register(
    request: Request,
    archive: ArchiveDep,
    stores: StoresDep,
    settings: SettingsDep,
    caller: CallerDep,
) -> Response:
    """Register a system."""
    form = await received_form(request)
    given = {name: str(value) for name, value in form.items()}

    def work() -> Response:
        try:
            stores.register(
                given.get("name", "").strip(),
                given.get("place", "").strip(),
                _lines(given.get("settings", ""), "settings"),
                _lines(given.get("secrets", ""), "credentials"),
                author=caller.name,
            )
        except (ArgumentError, ConflictError) as error:
            return _page(request, archive, settings, given, str(error))
        return RedirectResponse("/try/systems", 303)

    return await to_thread.run_sync(work)


@router.post("/remove")
async def remove(request: Request, stores: StoresDep) -> Response:
    """Remove a registered system with its credentials."""
    form = await received_form(request)
    await to_thread.run_sync(stores.unregister, str(form.get("name") or ""))
    return RedirectResponse("/try/systems", 303)


def _lines(text: str, where: str) -> dict[str, str]:
    """Return the values of lines ``name = value``. Messages do not repeat them."""
    found = {}
    for number, line in enumerate(text.splitlines(), start=1):
        name, equals, value = line.partition("=")
        if not line.strip():
            continue
        if not equals or not name.strip():
            raise ArgumentError(f"{where}, line {number}", "name = value", "something else")
        found[name.strip()] = value.strip()
    return found


def _page(
    request: Request,
    archive: Archive,
    settings: ServiceSettings,
    given: Mapping[str, Any],
    error: str | None = None,
) -> Response:
    return page(
        request,
        "systems.html",
        status=200 if error is None else 422,
        systems=archive.systems.page(limit=MAX_PER_PAGE).items,
        hosts=settings.search_hosts,
        given=given,
        error=error,
    )
