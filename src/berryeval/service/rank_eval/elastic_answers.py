"""Responses as clients of Elasticsearch expect them, from any layer.

Official clients reject a server that does not name the product, and cannot read
``application/problem+json``. So every response of ``/_rank_eval`` and ``/STORE/_rank_eval`` passes
through here: problems become Elasticsearch's errors, and the vendor's media type is returned on
request.
"""

from __future__ import annotations

import json
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from berryeval.service.answers import json_bytes
from berryeval.service.paths import is_rank_eval
from berryeval.service.problems import MEDIA_TYPE
from berryeval.service.rank_eval.errors import error_answer

__all__ = ["ElasticAnswers"]

_VENDOR = "application/vnd.elasticsearch+json"
_KIND_PREFIX = "urn:berryeval:problem:"
_TYPES = {
    "shape": "x_content_parse_exception",
    "not-json": "x_content_parse_exception",
    "input": "illegal_argument_exception",
    "illegal-argument": "illegal_argument_exception",
    "unauthorized": "security_exception",
    "forbidden": "security_exception",
    "unknown-host": "security_exception",
    "foreign-origin": "security_exception",
    "too-large": "content_too_long_exception",
}


class ElasticAnswers:
    """Convert responses of the ranking evaluation to Elasticsearch's format."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and convert the response."""
        if scope["type"] == "http" and is_rank_eval(scope):
            send = _Translator(Headers(scope=scope).get("accept", ""), send).send
        await self._app(scope, receive, send)


class _Translator:
    """One response, whose headers are held back while they may have to change."""

    def __init__(self, accept: str, send: Send) -> None:
        self._send = send
        self._media_type = _media_type(accept)
        self._held: Message | None = None
        self._body = b""

    async def send(self, message: Message) -> None:
        """Pass a part of the response on, or keep it until the problem is complete."""
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            is_problem = headers.get("content-type", "").startswith(MEDIA_TYPE)
            headers["X-Elastic-Product"] = "Elasticsearch"
            headers["Content-Type"] = self._media_type
            if is_problem:
                self._held = message
                return
        elif self._held is not None:
            self._body += message.get("body", b"")
            if not message.get("more_body", False):
                await self._send_error(self._held)
            return
        await self._send(message)

    async def _send_error(self, head: Message) -> None:
        body = json_bytes(_translated(json.loads(self._body)))
        head["status"] = _status(head["status"])
        MutableHeaders(scope=head)["Content-Length"] = str(len(body))
        await self._send(head)
        await self._send({"type": "http.response.body", "body": body})


def _media_type(accept: str) -> str:
    """Return the requested media type, with its compatible version."""
    for wanted in accept.split(","):
        kind, _, parameters = wanted.strip().partition(";")
        if kind.strip() == _VENDOR:
            version = parameters.strip().removeprefix("compatible-with=")
            return f"{_VENDOR};compatible-with={version if version.isdigit() else 9}"
    return "application/json"


def _status(status: int) -> int:
    """Elasticsearch has one status for all invalid requests."""
    return 400 if status == 422 else status  # noqa: PLR2004


def _translated(problem: dict[str, Any]) -> dict[str, Any]:
    kind = problem["type"].removeprefix(_KIND_PREFIX)
    name = _TYPES.get(kind, f"{kind.replace('-', '_')}_exception")
    return error_answer(_status(problem["status"]), name, problem["detail"])
