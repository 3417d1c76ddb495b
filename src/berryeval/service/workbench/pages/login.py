"""Login: a token starts a session, whose id the browser stores in a cookie.

Scripts cannot read the cookie. Sessions are in the archive, so a restart does not log users out.
"""

from __future__ import annotations

from typing import Annotated

from anyio import to_thread
from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from berryeval.archive import Archive
from berryeval.archive.sessions import SESSION_SECONDS
from berryeval.service.bodies import received_form
from berryeval.service.check_threads import run_check
from berryeval.service.dependencies import HomeDep, from_service
from berryeval.service.middleware.access import COOKIE, KnownCallers
from berryeval.service.workbench.rendering import page

__all__ = ["router", "safe_address"]

router = APIRouter()


@router.get("/login")
async def show_login(request: Request) -> Response:
    """Show the login form."""
    return page(
        request, "login.html", next=safe_address(request.query_params.get("next")), error=None
    )


@router.post("/login")
async def log_in(request: Request, archive: HomeDep) -> Response:
    """Start a session, and return to the previous page."""
    form = await received_form(request)
    token = str(form.get("token") or "").strip()
    wanted = safe_address(str(form.get("next") or ""))
    session_id = await _start_session(archive, token)
    if session_id is None:
        error = "Unknown or revoked token." if token else "Paste a token."
        return page(request, "login.html", status=401, next=wanted, error=error)
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


async def _start_session(archive: Archive, token: str) -> str | None:
    # Starting waits for other writers, so only valid tokens get as far.
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
