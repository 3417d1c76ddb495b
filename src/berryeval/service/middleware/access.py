"""Identifies the caller, and protects against cross-site requests.

Without a token, only this machine may call. Pages of other sites in a browser on this machine
must not: the ``Host`` header reveals a foreign name that resolves to this machine (DNS rebinding),
``Origin`` the site that sent a write, and ``Sec-Fetch-Site`` a page that loads an address of this
service, for example as an image. A logged-in browser sends a session id in a cookie, and is subject
to the same checks of ``Origin`` and ``Sec-Fetch-Site``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from urllib.parse import urlsplit

from anyio import to_thread
from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Receive, Scope, Send

from berryeval.archive import Archive
from berryeval.archive.clock import now
from berryeval.archive.records import Token
from berryeval.archive.tokens import USE_INTERVAL
from berryeval.service.check_threads import run_check
from berryeval.service.dependencies import LOCAL, Caller
from berryeval.service.lru_cache import LruCache
from berryeval.service.middleware.rates import RateLimit, address_key
from berryeval.service.problems import Problem
from berryeval.service.settings import ServiceSettings
from berryeval.service.shared_work import in_thread

__all__ = ["COOKIE", "OPEN_PATHS", "Access", "KnownCallers", "host_name"]

COOKIE = "berryeval_session"
"""The cookie that contains the session id of a logged-in browser."""

OPEN_PATHS = frozenset({"/healthz", "/readyz", "/openapi.json", "/docs", "/login", "/logout"})
"""Paths that need no token, besides those below ``/assets``."""

_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_REMEMBERED_SECONDS = 5.0
_MAX_REMEMBERED = 1000


class KnownCallers:
    """Callers with a token or a session, remembered for five seconds.

    Parameters
    ----------
    archive : Archive
        The archive of the first collection, which has the tokens and sessions.
    """

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self.of_tokens = _Verified(self._verify_token, self._note_use)
        self.of_sessions = _Verified(self._verify_session, self._note_use)

    async def end_session(self, session_id: str) -> None:
        """End a session: in this service at once, on other instances within five seconds."""
        # Ending waits for other writers, so unknown ids are filtered out first.
        if await self.of_sessions.caller(session_id) is not None:
            await to_thread.run_sync(self._archive.sessions.end, session_id)
            self.forget()

    def forget(self) -> None:
        """Look all callers up again: a token or a session has changed."""
        self.of_tokens.forget()
        self.of_sessions.forget()

    # Looked up with each call: an application that is only described has no archive.
    def _verify_token(self, secret: str) -> Token | None:
        return self._archive.tokens.verify(secret)

    def _verify_session(self, secret: str) -> Token | None:
        return self._archive.sessions.verify(secret)

    def _note_use(self, token: Token) -> None:
        """Record the use of a token, without waiting for other writers."""
        if token.used_at is None or token.used_at < now() - USE_INTERVAL:
            in_thread(partial(self._archive.tokens.note_use, token.name), "last-use")


class Access:
    """Identify the caller, and reject those without access."""

    def __init__(self, app: ASGIApp, callers: KnownCallers, settings: ServiceSettings) -> None:
        self._app = app
        self._settings = settings
        self._callers = callers
        # Apart from the requests that have access: an address may be that of a proxy.
        self._refused = RateLimit(settings.rate)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Add the caller to the state of the request."""
        if scope["type"] == "http":
            state = scope.setdefault("state", {})
            state["caller"] = await self._caller(scope, Headers(scope=scope))
        await self._app(scope, receive, send)

    async def _caller(self, scope: Scope, headers: Headers) -> Caller:
        authorization = headers.get("authorization")
        if authorization is not None:
            return await self._of_token(authorization, scope)
        is_open = scope["path"] in OPEN_PATHS or scope["path"].startswith("/assets/")
        cookie = cookie_parser(headers.get("cookie", "")).get(COOKIE)
        if cookie and not is_open:
            _check_site(scope["method"], headers)
            if scope["method"] not in _SAFE:
                _check_origin(headers, is_needed=True)
            caller = await self._looked_up(self._callers.of_sessions, cookie, scope)
            if caller is not None:
                return caller
        if self._settings.needs_token:
            if is_open:
                if scope["method"] not in _SAFE:
                    _check_origin(headers)
                return Caller("anonymous", "read")
            if not cookie:  # otherwise it was counted
                self._refused.count(address_key(scope))
            raise _unauthorized("this service requires a token", "none")
        _check_host(headers.get("host", ""), self._settings.known_hosts)
        _check_site(scope["method"], headers)
        if scope["method"] not in _SAFE:
            _check_origin(headers)
        return LOCAL

    async def _looked_up(self, known: _Verified, secret: str, scope: Scope) -> Caller | None:
        """Return the caller with a secret; an address may only try a few wrong ones."""
        if known.was_valid(secret):
            return await known.caller(secret)
        address = address_key(scope)
        self._refused.count(address)
        caller = await known.caller(secret)
        if caller is not None:
            self._refused.discount(address)
        return caller

    async def _of_token(self, authorization: str, scope: Scope) -> Caller:
        scheme, _, token = authorization.partition(" ")
        token = token.strip()
        if scheme.lower() != "bearer" or not token:
            self._refused.count(address_key(scope))
            raise _unauthorized("expected Authorization: Bearer TOKEN", f"{scheme[:20]} …")
        caller = await self._looked_up(self._callers.of_tokens, token, scope)
        if caller is None:
            raise _unauthorized("the token is unknown or revoked", "another")
        return caller


class _Verified:
    """Callers by their secrets, looked up in the archive and remembered for five seconds."""

    def __init__(
        self, verify: Callable[[str], Token | None], note_use: Callable[[Token], None]
    ) -> None:
        self._verify = verify
        self._note_use = note_use
        self._callers: LruCache[str, Caller] = LruCache(
            _MAX_REMEMBERED, seconds=_REMEMBERED_SECONDS
        )
        self._valid: LruCache[str, bool] = LruCache(_MAX_REMEMBERED)
        self._n_forgotten = 0

    def was_valid(self, secret: str) -> bool:
        """Whether a secret was valid before; it may no longer be."""
        return self._valid.get(secret) is not None

    async def caller(self, secret: str) -> Caller | None:
        """Return the caller with this secret; None if it is unknown or no longer valid."""
        caller = self._callers.get(secret)
        if caller is None:
            n_forgotten = self._n_forgotten
            token = await run_check(self._verify, secret)
            if token is None:
                self._valid.forget(secret)
            else:
                caller = Caller(token.name, token.role, True, token.collections)  # noqa: FBT003
                self._note_use(token)
                self._valid.put(secret, True)  # noqa: FBT003 - the value of an entry
                # If sessions were forgotten in between, the answer may predate the end of this one.
                if n_forgotten == self._n_forgotten:
                    self._callers.put(secret, caller)
        return caller

    def forget(self) -> None:
        """Look the callers up again next time."""
        self._n_forgotten += 1
        self._callers.clear()


def _unauthorized(detail: str, found: str) -> Problem:
    way_out = "create one on the server: berryeval token create NAME --role read --archive ARCHIVE"
    return Problem(
        401,
        f"{detail}; {way_out}",
        headers={"WWW-Authenticate": 'Bearer realm="berryeval"'},
        where="Authorization",
        expected="Bearer TOKEN",
        found=found,
        way_out=way_out,
    )


def host_name(host: str) -> str:
    """Return the name in a Host header, without port and brackets.

    Examples
    --------
    >>> host_name("localhost:8765"), host_name("[::1]:8765"), host_name("evil.example")
    ('localhost', '::1', 'evil.example')
    """
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""


def _check_host(host: str, known: frozenset[str]) -> None:
    if host_name(host) not in known:
        raise Problem(
            403,
            f"Host: expected {' or '.join(sorted(known))}, found {host[:80]!r}; "
            "send a token, or allow that name on the server: berryeval serve --allow-host NAME",
            kind="unknown-host",
            where="Host",
            expected=" or ".join(sorted(known)),
            found=repr(host[:80]),
            way_out="send a token, or berryeval serve --allow-host NAME",
        )


def _check_site(method: str, headers: Headers) -> None:
    """Reject what a page of another site loads; following its links is allowed.

    Browsers send these headers with every request to loopback or over https; programs do not.
    """
    site = headers.get("sec-fetch-site")
    if site not in ("cross-site", "same-site"):
        return
    is_followed_link = (
        method == "GET"
        and headers.get("sec-fetch-mode") == "navigate"
        and headers.get("sec-fetch-dest") == "document"
        and "sec-purpose" not in headers  # loaded in advance, without a click
    )
    if not is_followed_link:
        raise Problem(
            403,
            f"Sec-Fetch-Site: expected a page of this service, found {site}; "
            "without a token, pages of other sites can only link to it",
            kind="foreign-origin",
            where="Sec-Fetch-Site",
            expected="a page of this service",
            found=site,
            way_out="link to the address, or send a token",
        )


def _check_origin(headers: Headers, *, is_needed: bool = False) -> None:
    """Reject requests from pages of other sites, and those without an origin if one is required."""
    origin = headers.get("origin", "" if is_needed else None)
    site = (origin or "").partition("://")[2].lower()
    if origin is not None and site != headers.get("host", "").lower():
        raise Problem(
            403,
            f"Origin: pages of {origin[:80]!r} cannot change anything without a token",
            kind="foreign-origin",
            where="Origin",
            expected="a page of this service",
            found=repr(origin[:80]),
            way_out="send a token",
        )
