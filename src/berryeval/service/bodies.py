"""JSON bodies of requests, parsed with a limit on their keys."""

from __future__ import annotations

import json
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
    # A hook is also what lets other threads run: without one, the parser keeps them waiting.
    return json.loads(body, object_pairs_hook=_object)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(pairs) > _MOST_KEYS:
        found = f"{len(pairs):,}"
        raise Problem(422, f"body: expected objects of at most {_MOST_KEYS:,} keys, found {found}",
                      kind="shape", where="body", found=found,
                      expected=f"objects of at most {_MOST_KEYS:,} keys")  # fmt: skip
    return dict(pairs)
