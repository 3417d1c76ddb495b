"""JSON bodies of requests, parsed with a limit on their keys."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable
from typing import Any

from anyio import to_thread
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response

from berryeval.service.problems import Problem

__all__ = ["JsonRoute"]

_MOST_KEYS = 10_000
"""Keys of one object. Every unknown one would be validated and reported."""
_USUAL_COLONS = 100
"""Colons for each object, in texts and after keys; with more, the keys are counted first."""
_TOKEN = re.compile(rb'[^"{}]+|[{}]|"[^"\\]*(?:\\[\s\S][^"\\]*)*"(?P<key>\s*:)?')
_SMALL = 1 << 16
"""Bytes that are parsed at once; more are parsed in a thread, while others are served."""


class JsonRoute(APIRoute):
    """A route whose body is parsed within limits."""

    def get_route_handler(self) -> Callable[[Request], Awaitable[Response]]:  # type: ignore[override]
        """Return the handler of the route."""
        handle = super().get_route_handler()

        async def handler(request: Request) -> Response:
            return await handle(_JsonRequest(request.scope, request.receive))

        return handler


class _JsonRequest(Request):
    async def json(self) -> Any:  # noqa: ANN401 - any JSON
        body = await self.body()
        return _parsed(body) if len(body) <= _SMALL else await to_thread.run_sync(_parsed, body)


def _parsed(body: bytes) -> Any:  # noqa: ANN401 - any JSON
    # The parser calls the hook at the end of an object, when it holds all of its keys.
    if body.count(b":") > _MOST_KEYS + _USUAL_COLONS * body.count(b"{"):
        _check_keys(body)
    # A hook is also what lets other threads run: without one, the parser keeps them waiting.
    return json.loads(body, object_pairs_hook=_object)


def _check_keys(body: bytes) -> None:
    """Raise at the first object with too many keys. What is no JSON is left to the parser."""
    n_keys, place = [0], 0
    while token := _TOKEN.match(body, place):
        place = token.end()
        if token[0] == b"{":
            n_keys.append(0)
        elif token[0] == b"}":
            n_keys.pop()
            if not n_keys:
                return
        elif token["key"]:
            n_keys[-1] += 1
            if n_keys[-1] > _MOST_KEYS:
                raise _too_many("more")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(pairs) > _MOST_KEYS:
        raise _too_many(f"{len(pairs):,}")
    return dict(pairs)


def _too_many(found: str) -> Problem:
    expected = f"objects of at most {_MOST_KEYS:,} keys"
    return Problem(422, f"body: expected {expected}, found {found}", kind="shape", where="body",
                   found=found, expected=expected)  # fmt: skip
