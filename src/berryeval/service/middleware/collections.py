"""The collection of a request: ``/c/NAME/…``, or the parameter ``collection``, or the first.

Both forms work for every route. Pages use the first, which their links and forms preserve.
"""

from __future__ import annotations

import re
from urllib.parse import parse_qs

from anyio import to_thread
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from berryeval.archive.collections import HOME
from berryeval.service.collections import Collection, Collections
from berryeval.service.dependencies import Caller
from berryeval.service.middleware.access import OPEN_PATHS
from berryeval.service.paths import in_collection
from berryeval.service.problems import Problem, shown
from berryeval.service.workbench.problems import asks_for_page

__all__ = ["InCollection", "Prefixes", "is_of_service"]

_PREFIX = re.compile(r"/c/([a-z0-9][a-z0-9_-]*)(?=/|$)")
_PARAMETER = "collection"
_ADDRESSES = ("location", "hx-redirect", "hx-push-url")
"""Headers that contain addresses of this service."""


def is_of_service(path: str) -> bool:
    """Whether a path is about the whole service rather than a collection."""
    return (
        path in OPEN_PATHS
        or path in ("/metrics", "/v1/collections")
        or path.startswith(("/assets/", "/v1/collections/"))
    )


class Prefixes:
    """Move the name of a collection from the beginning of the path into the state."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on without the prefix; addresses in the response get it back."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        state = scope.setdefault("state", {})
        raw = (scope.get("raw_path") or scope["path"].encode()).decode("latin-1")
        found = _PREFIX.match(raw)
        state["prefix"] = ""
        if found is not None:
            state["prefix"] = found[0]
            scope["raw_path"] = (raw[found.end() :] or "/").encode("latin-1")
            scope["path"] = scope["path"][found.end() :] or "/"
        await self._app(scope, receive, self._sender(scope, send))

    def _sender(self, scope: Scope, send: Send) -> Send:
        async def send_addresses(message: Message) -> None:
            collection: Collection | None = scope["state"].get("collection")
            if message["type"] == "http.response.start" and collection is not None:
                headers = MutableHeaders(scope=message)
                for name in _ADDRESSES:
                    if name in headers:
                        headers[name] = in_collection(collection.prefix, headers[name])
            await send(message)

        return send_addresses


class InCollection:
    """Open the collection of a request, if its caller may use it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Add the collection to the state of the request, and keep it open meanwhile."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        collections: Collections = scope["app"].state.collections
        state = scope["state"]
        if is_of_service(scope["path"]):
            state["collection"] = collections.home
            await self._app(scope, receive, send)
            return
        name = _wanted(scope)
        caller: Caller = state["caller"]
        if not caller.may_use(name or HOME):
            if name is None and caller.collections and _is_page(scope):
                query = scope["query_string"].decode("latin-1")
                address = f"/c/{caller.collections[0]}{scope['path']}{query and '?'}{query}"
                await RedirectResponse(address, 303)(scope, receive, send)
                return
            raise _forbidden(caller, name or HOME)
        if name is None or name == HOME:
            collection = collections.take(HOME)
        else:
            collection = await to_thread.run_sync(collections.take, name)
        state["collection"] = collection
        try:
            await self._app(scope, receive, send)
        finally:
            collection.release()


def _wanted(scope: Scope) -> str | None:
    """Return the name of the collection that a request names; None if it names none."""
    prefix: str = scope["state"]["prefix"]
    named = prefix.removeprefix("/c/") or None
    given = parse_qs(scope["query_string"].decode("latin-1"), keep_blank_values=True)
    asked = given.get(_PARAMETER, [])
    names: list[str] = [*dict.fromkeys([named, *asked] if named else asked)]
    if len(names) > 1:
        found = " and ".join(map(shown, names))
        raise Problem(422, f"collection: expected one, found {found}", kind="input",
                      where=_PARAMETER, expected="one", found=found)  # fmt: skip
    return names[0] if names else None


def _is_page(scope: Scope) -> bool:
    return scope["method"] == "GET" and asks_for_page(Request(scope))


def _forbidden(caller: Caller, name: str) -> Problem:
    allowed = caller.collections or ()
    may = " or ".join(map(repr, allowed)) or "none"
    way_out = f"add ?collection={allowed[0]}" if allowed else "ask an administrator for a token"
    return Problem(
        403,
        f"token {caller.name!r} may not use the collection {shown(name)}: expected {may}; "
        f"{way_out}",
        where=_PARAMETER,
        expected=may,
        found=shown(name),
        way_out=way_out,
    )
