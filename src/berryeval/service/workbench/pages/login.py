"""Login: a token starts a session, whose id the browser stores in a cookie.

Scripts cannot read the cookie. Sessions are in the archive, so a restart does not log users out.
"""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import Annotated, TypeAlias

from anyio import to_thread
from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from berryeval.archive import Archive
from berryeval.archive.sessions import SESSION_SECONDS
from berryeval.service.bodies import received_form
from berryeval.service.check_threads import run_check
from berryeval.service.dependencies import HomeDep, from_service
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
async def log_in(request: Request, archive: HomeDep, settings: ServiceSettingsDep) -> Response:
    """Start a session, and return to the previous page."""
    form = await received_form(request)
    token = str(form.get("token") or "").strip()
    wanted = safe_address(str(form.get("next") or ""))
    session_id = await _start_session(archive, token)
    if session_id is None:
        error = "Unknown or revoked token." if token else "Paste a token."
        return _form(request, archive, settings, wanted, error=error)
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
    # If tokens are required, the location of the archive is not public.
    place = "ARCHIVE" if settings.needs_token else quote(place_of(archive.name))
    return page(
        request,
        "login.html",
        status=401 if error else 200,
        next=wanted,
        error=error,
        archive=place,
    )


def place_of(name: str) -> str:
    """Return the location of an archive as commands find it from any folder.

    Examples
    --------
    >>> place_of("postgresql://berryeval@db/quality")
    'postgresql://berryeval@db/quality'
    """
    return name if "://" in name else str(Path(name).absolute())


async def _start_session(archive: Archive, token: str) -> str | None:
    # Starting waits for other writers, so invalid tokens are filtered out first.
    if not token or await run_check(archive.tokens.verify, token) is None:
        return None
    return await to_thread.run_sync(archive.sessions.start, token)


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
