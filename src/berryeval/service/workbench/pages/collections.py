"""The page of collections: all that the caller may use; managers create, rename and remove them."""

from __future__ import annotations

from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from berryeval.archive import Archive
from berryeval.errors import InputError, NotFoundError
from berryeval.service.bodies import received_form
from berryeval.service.collections import Collections
from berryeval.service.dependencies import HomeDep, from_service, require, require_manager
from berryeval.service.paths import name_from
from berryeval.service.workbench.rendering import page

__all__ = ["router"]

router = APIRouter(prefix="/collections")

_LONGEST, _LONGEST_NAME = 200, 40
_MANAGED = [require("admin"), require_manager]


@router.get("")
def show_collections(request: Request, saved: str = "") -> Response:
    """List the collections that the caller may use."""
    message = {"title": "Saved.", "removed": "Removed."}.get(saved)
    return page(request, "collections.html", message=message, wrong=None, name="", title="")


@router.post("", dependencies=_MANAGED)
async def create_collection(request: Request, home: HomeDep) -> Response:
    """Create a collection, and open it."""
    form = await received_form(request)
    name, title = (str(form.get(key) or "").strip()[:_LONGEST] for key in ("name", "title"))

    name = name or name_from(title, _LONGEST_NAME).lower()

    def work() -> Response:
        try:
            home.collections.create(name, title or None)
        except InputError as error:
            return page(
                request, "collections.html", status=422, message=None, wrong=_sentence(error),
                name=name, title=title,
            )  # fmt: skip
        return RedirectResponse(f"/c/{name}/", 303)

    return await to_thread.run_sync(work)


@router.post("/{name}/title", dependencies=_MANAGED)
async def change_title(request: Request, name: str, home: HomeDep) -> Response:
    """Change the title of a collection."""
    form = await received_form(request)
    title = str(form.get("title") or "").strip()[:_LONGEST]
    await to_thread.run_sync(home.collections.retitle, name, title)
    return RedirectResponse("/collections?saved=title", 303)


@router.post("/{name}/remove", dependencies=_MANAGED)
async def remove_collection(
    request: Request,
    name: str,
    home: HomeDep,
    collections: Annotated[Collections, from_service("collections")],
) -> Response:
    """Remove a collection, if its name was typed in."""
    form = await received_form(request)
    await to_thread.run_sync(_check_exists, home, name)
    if str(form.get("confirmation") or "").strip() != name:
        wrong = f"Nothing was removed: type {name} to confirm."
        return page(
            request, "collections.html", status=422, message=None, wrong=wrong, name="", title=""
        )
    await to_thread.run_sync(collections.remove, name)
    return RedirectResponse("/collections?saved=removed", 303)


def _check_exists(home: Archive, name: str) -> None:
    if home.collections.get(name) is None:
        raise NotFoundError("collection", name)


def _sentence(error: InputError) -> str:
    text = str(error)
    return f"{text[0].upper()}{text[1:]}."
