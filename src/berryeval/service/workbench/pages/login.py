"""Login: a token starts a session, whose id the browser stores in a cookie.

Scripts cannot read the cookie. Sessions are in the archive, so a restart does not log users out.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from shlex import quote
from typing import Annotated, TypeAlias

from anyio import to_thread
from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from berryeval.archive import Archive
from berryeval.archive.records import Token
from berryeval.archive.sessions import SESSION_SECONDS
from berryeval.errors import ArchiveError, NotFoundError
from berryeval.service.bodies import received_form
from berryeval.service.check_threads import run_check
from berryeval.service.collections import MAX_OPEN, Collections
from berryeval.service.dependencies import HomeDep, from_service
from berryeval.service.judging_projects import waiting_projects
from berryeval.service.middleware.access import COOKIE, KnownCallers
from berryeval.service.settings import ServiceSettings
from berryeval.service.workbench.rendering import page

__all__ = ["router", "safe_address"]

ServiceSettingsDep: TypeAlias = Annotated[ServiceSettings, from_service("settings")]

router = APIRouter()


@router.get("/login")
async def show_login(request: Request, archive: HomeDep, settings: ServiceSettingsDep) -> Response:
    """Show the login form."""
    return _form(request, archive, settings, safe_address(request.query_params.get("next")))


@router.post("/login")
async def log_in(
    request: Request,
    archive: HomeDep,
    settings: ServiceSettingsDep,
    collections: Annotated[Collections, from_service("collections")],
) -> Response:
    """Start a session, and return to the previous page."""
    form = await received_form(request)
    token = str(form.get("token") or "").strip()
    wanted = safe_address(str(form.get("next") or ""))
    # Starting waits for other writers, so invalid tokens are filtered out first.
    owner = await run_check(archive.tokens.verify, token) if token else None
    session_id = None
    if owner is not None:
        session_id = await to_thread.run_sync(archive.sessions.start, token)
    if owner is None or session_id is None:
        error = "Unknown or revoked token." if token else "Paste a token."
        return _form(request, archive, settings, wanted, error=error)
    if wanted == "/" and owner.role == "judge":
        wanted = await to_thread.run_sync(_first_page_of, collections, owner)
    answer = RedirectResponse(wanted, 303)
    answer.set_cookie(
        COOKIE,
        session_id,
        max_age=SESSION_SECONDS,
        httponly=True,
        samesite="strict",
        # Behind a proxy, only the browser knows the scheme of the address.
        secure=request.headers.get("origin", "").startswith("https://"),
    )
    return answer


@router.post("/logout")
async def log_out(
    request: Request, callers: Annotated[KnownCallers, from_service("callers")]
) -> Response:
    """End the session, and delete the cookie."""
    if session_id := request.cookies.get(COOKIE):
        await callers.end_session(session_id)
    answer = RedirectResponse("/login", 303)
    answer.delete_cookie(COOKIE, httponly=True, samesite="strict")
    return answer


def _form(
    request: Request,
    archive: Archive,
    settings: ServiceSettings,
    wanted: str,
    error: str | None = None,
) -> Response:
    # The page needs no login, so it does not show where the archive is.
    is_file = "://" not in archive.name and not settings.needs_token
    place = quote(Path(archive.name).name) if is_file else "ARCHIVE"
    return page(
        request,
        "login.html",
        status=401 if error else 200,
        next=wanted,
        error=error,
        archive=place,
    )


def _first_page_of(collections: Collections, token: Token) -> str:
    """Return where a judge starts: in the first collection with a project that waits for them."""
    known = collections.home.state.archive.collections.all()
    usable = [one for one in known if token.collections is None or one.name in token.collections]
    for one in usable[:MAX_OPEN]:
        with suppress(ArchiveError, NotFoundError):  # the others still count
            collection = collections.take(one.name)
            try:
                if waiting_projects(collection.state.archive, token.name):
                    return f"{collection.prefix}/"
            finally:
                collection.release()
    return "/"


def safe_address(wanted: str | None) -> str:
    """Return the address if it is one of this service, and the first page otherwise.

    Examples
    --------
    >>> safe_address("/judge?a=main"), safe_address("https://evil.example"), safe_address("//evil")
    ('/judge?a=main', '/', '/')
    """
    if not wanted or not wanted.startswith("/") or wanted[1:2] in ("/", "\\"):
        return "/"
    return wanted if wanted.isprintable() else "/"
