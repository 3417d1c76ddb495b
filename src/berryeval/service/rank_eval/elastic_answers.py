"""Responses and errors as clients of Elasticsearch expect them, from any layer.

Official clients reject a server that does not name the product, and cannot read
``application/problem+json``. So every response of ``/_rank_eval`` and ``/STORE/_rank_eval`` passes
through here: problems become Elasticsearch's errors, and the vendor's media type is returned on
request.
"""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from berryeval.errors import BerryEvalError, NotFoundError, SystemTimeoutError, SystemUnderTestError
from berryeval.service.answers import json_bytes, with_examples
from berryeval.service.paths import is_rank_eval
from berryeval.service.problems import MEDIA_TYPE

__all__ = ["ElasticAnswers", "ErrorAnswer", "RankEvalAnswer", "cause_of"]

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


_HIT: dict[str, Any] = {"hit": {"_index": "default", "_id": "doc2", "_score": 7.05}, "rating": 1}
_UNRATED = {"hit": {"_index": "default", "_id": "doc4", "_score": 6.11}, "rating": None}
_QUALITY = {
    "metric_score": 0.5,
    "metrics": {"precision": 0.5},
    "took": 3,
    "unrated_docs": [{"_index": "default", "_id": "doc4"}],
    "hits": [_HIT, _UNRATED],
    "metric_details": {"precision": {"relevant_docs_retrieved": 1, "docs_retrieved": 2}},
}
_CAUSE = {"type": "index_not_found_exception", "reason": "no such index [nowhere]"}
_RULE = {
    "type": "illegal_argument_exception",
    "reason": "Query in rated requests should not contain aggregations.",
}
_FAILURE: dict[str, Any] = {"error": {"root_cause": [_CAUSE], **_CAUSE}}


class HitKey(BaseModel):
    """The id of a document."""

    model_config = with_examples({"_index": "default", "_id": "doc4"})

    index: str = Field(alias="_index", description="The store.")
    id: str = Field(alias="_id")


class RankedHit(HitKey):
    """A returned document."""

    model_config = with_examples(_HIT["hit"])

    score: float | None = Field(alias="_score", description="null if it is infinite.")
    source: dict[str, Any] | None = Field(
        None, alias="_source", description="The fields in `summary_fields`."
    )


class RatedHit(BaseModel):
    """A hit and its rating."""

    model_config = with_examples(_HIT, _UNRATED)

    hit: RankedHit
    rating: int | None = Field(description="null if it is unrated.")


class QueryQuality(BaseModel):
    """The scores of one query."""

    model_config = with_examples(_QUALITY)

    metric_score: float | None = Field(None, description="Only for one metric.")
    metrics: dict[str, float] = Field(description="The score of each metric.")
    took: int = Field(description="Milliseconds that the search took.")
    unrated_docs: list[HitKey]
    hits: list[RatedHit]
    metric_details: dict[str, dict[str, float]]


class RootCause(BaseModel):
    """An error."""

    model_config = ConfigDict(extra="allow", **with_examples(_CAUSE))

    type: str
    reason: str


class ErrorCause(RootCause):
    """An error in Elasticsearch's format."""

    model_config = with_examples(_FAILURE["error"])

    root_cause: list[RootCause]


class QueryFailure(BaseModel):
    """Why a query failed."""

    model_config = with_examples(_FAILURE)

    error: ErrorCause


class ErrorAnswer(BaseModel):
    """An error response of Elasticsearch."""

    model_config = with_examples({"error": {"root_cause": [_RULE], **_RULE}, "status": 400})

    error: ErrorCause
    status: int


class RankEvalAnswer(BaseModel):
    """Scores over all answered queries, and of each query."""

    model_config = with_examples(
        {
            "metric_score": 0.5,
            "metrics": {"precision": 0.5},
            "details": {"amsterdam_query": _QUALITY},
            "failures": {"berlin_query": _FAILURE},
        }
    )

    metric_score: float | None = Field(
        None, description="The mean; null if no query was answered. Only for one metric."
    )
    metrics: dict[str, float | None] = Field(description="The mean of each metric.")
    details: dict[str, QueryQuality]
    failures: dict[str, QueryFailure] = Field(description="The failed queries.")


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
    """Return the status, which Elasticsearch shares among all invalid requests."""
    return 400 if status == 422 else status  # noqa: PLR2004


def _translated(problem: dict[str, Any]) -> dict[str, Any]:
    kind = problem["type"].removeprefix(_KIND_PREFIX)
    name = _TYPES.get(kind, f"{kind.replace('-', '_')}_exception")
    return {"error": _cause(name, problem["detail"]), "status": _status(problem["status"])}


def cause_of(error: BerryEvalError) -> dict[str, Any]:
    """Return the reason why a query failed."""
    if isinstance(error, NotFoundError):
        facts = {"resource.type": "index_or_alias", "resource.id": error.name, "index": error.name}
        return _cause("index_not_found_exception", f"no such index [{error.name}]", **facts)
    if isinstance(error, SystemTimeoutError):
        return _cause("timeout_exception", str(error))
    if isinstance(error, SystemUnderTestError):
        return _cause("search_phase_execution_exception", str(error))
    return _cause("parsing_exception", str(error))


def _cause(kind: str, reason: str, **facts: str) -> dict[str, Any]:
    """Return an error with itself as its root cause, as Elasticsearch does."""
    cause = {"type": kind, "reason": reason, **facts}
    return {"root_cause": [cause], **cause}
