"""Login: the browser stores a token in a cookie that scripts cannot read.

The token is the session: the server stores nothing, so a restart does not log users out, and
revoking a token ends all its sessions.
"""

from __future__ import annotations

from anyio import to_thread
from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from berryeval.service.dependencies import ArchiveDep
from berryeval.service.middleware.access import COOKIE
from berryeval.service.workbench.rendering import page

__all__ = ["router", "safe_address"]

_LASTS_SECONDS = 14 * 24 * 3600

router = APIRouter()


@router.get("/login")
async def show_login(request: Request) -> Response:
    """Show the login form."""
    return page(
        request, "login.html", next=safe_address(request.query_params.get("next")), error=None
    )


@router.post("/login")
async def log_in(request: Request, archive: ArchiveDep) -> Response:
    """Store a token in a cookie, and return to the previous page."""
    form = await request.form()
    token = str(form.get("token") or "").strip()
    wanted = safe_address(str(form.get("next") or ""))
    if not token or await to_thread.run_sync(archive.tokens.verify, token) is None:
        error = "Unknown or revoked token." if token else "Paste a token."
        return page(request, "login.html", status=401, next=wanted, error=error)
    answer = RedirectResponse(wanted, 303)
    answer.set_cookie(
        COOKIE,
        token,
        max_age=_LASTS_SECONDS,
        httponly=True,
        samesite="strict",
        # Behind a proxy, only the browser knows the scheme of the address.
        secure=request.headers.get("origin", "").startswith("https://"),
    )
    return answer


@router.post("/logout")
async def log_out() -> Response:
    """Delete the cookie."""
    answer = RedirectResponse("/login", 303)
    answer.delete_cookie(COOKIE, httponly=True, samesite="strict")
    return answer


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
