"""The page of tokens: managers create them, see who uses them, and revoke them."""

from __future__ import annotations

from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from berryeval.archive import Archive
from berryeval.archive.records import ROLES
from berryeval.errors import BerryEvalError, InputError, NotFoundError
from berryeval.service.bodies import received_form
from berryeval.service.dependencies import (
    CallerDep,
    HomeDep,
    from_service,
    require,
    require_manager,
)
from berryeval.service.middleware.access import KnownCallers
from berryeval.service.workbench.rendering import page

__all__ = ["router"]

router = APIRouter(prefix="/tokens", dependencies=[require("admin"), require_manager])

_LONGEST = 200
_MEANINGS = {
    "read": "sees and compares everything",
    "judge": "also adds queries, documents, judgments, runs and verdicts",
    "admin": "also sets baselines, gates and stores, and removes runs",
}


@router.get("")
def show_tokens(request: Request, home: HomeDep, revoked: str = "") -> Response:
    """List all tokens."""
    message = f"The token of {revoked} is revoked." if revoked else None
    return _page(request, home, message=message)


@router.post("")
async def create_token(request: Request, home: HomeDep) -> Response:
    """Create a token, and show it once."""
    form = await received_form(request)
    name = str(form.get("name") or "").strip()[:_LONGEST]
    role: Any = str(form.get("role") or "read")
    chosen = [str(one) for one in form.getlist("collection")]
    # A ticked collection limits the token, even if "all" was left selected.
    is_limited = form.get("limited") == "yes" or bool(chosen)
    given = {"name": name, "role": role, "chosen": chosen, "is_limited": is_limited}

    def refused(wrong: str) -> Response:
        return _page(request, home, 422, wrong=wrong, **given)

    def work() -> Response:
        try:
            if is_limited and not chosen:
                return refused("Choose at least one collection.")
            token = home.tokens.create(name, role, chosen if is_limited else None)
        except (InputError, NotFoundError) as error:
            return refused(_sentence(error))
        # No redirect: it is shown once, and must not be in an address.
        created = {"name": name, "can": f"{role} in {', '.join(chosen) or 'all collections'}"}
        answer = _page(request, home, token=token, created=created)
        answer.headers["Cache-Control"] = "no-store"
        return answer

    return await to_thread.run_sync(work)


@router.post("/{name:id}/revoke")
async def revoke_token(
    name: str,
    home: HomeDep,
    caller: CallerDep,
    callers: Annotated[KnownCallers, from_service("callers")],
) -> Response:
    """Revoke a token, but not the caller's own: that could not be undone here."""
    if name == caller.name and caller.has_token:
        raise InputError("a token cannot revoke itself; use another token or the command line")
    if not await to_thread.run_sync(home.tokens.revoke, name):
        raise NotFoundError("token", name)
    callers.forget()
    return RedirectResponse(f"/tokens?revoked={name}", 303)


def _page(request: Request, home: Archive, status: int = 200, **more: object) -> Response:
    context: dict[str, Any] = {"message": None, "wrong": None, "token": None, "created": None}
    context |= {"name": "", "role": None, "chosen": (), "is_limited": False} | more
    return page(
        request,
        "tokens.html",
        status=status,
        tokens=sorted(home.tokens.all(), key=lambda one: one.revoked_at is not None),
        is_open=not request.app.state.settings.needs_token,
        roles={role: _MEANINGS[role] for role in ROLES},
        **context,
    )


def _sentence(error: BerryEvalError) -> str:
    text = str(error)
    return f"{text[0].upper()}{text[1:]}."
