"""Answers in JSON, and whether somebody has the same already."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import Response

__all__ = ["Answer", "answer_unless_known", "etag_of", "json_bytes", "written"]


def json_bytes(content: object) -> bytes:
    """Write JSON in ASCII: ids may hold bytes that are no UTF-8, which only escapes can carry."""
    return json.dumps(content, allow_nan=False, separators=(",", ":")).encode("ascii")


def etag_of(body: bytes) -> str:
    """Return a name for these very bytes."""
    return f'"{hashlib.blake2b(body, digest_size=12).hexdigest()}"'


class Answer(Response):
    """JSON that is not checked again on its way out."""

    media_type = "application/json"

    def __init__(
        self,
        content: object,
        status: int = 200,
        *,
        etag: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        body = content if isinstance(content, bytes) else json_bytes(content)
        named = {} if etag is None else {"ETag": etag}
        super().__init__(body, status, {**named, **(headers or {})})


def written(content: object, place: str, *, is_new: bool, etag: str | None = None) -> Answer:
    """Answer a write with what is there now, and where: 201 if there was nothing before."""
    return Answer(content, 201 if is_new else 200, etag=etag, headers={"Location": place})


def answer_unless_known(request: Request, body: bytes, etag: str) -> Response:
    """Answer with 304 and nothing else if the caller has it (``If-None-Match``)."""
    headers = {"ETag": etag, "Cache-Control": "no-cache"}
    known = request.headers.get("if-none-match")
    if known is not None and (known.strip() == "*" or etag in _tags(known)):
        return Response(status_code=304, headers=headers)
    return Answer(body, headers=headers)


def _tags(header: str) -> set[str]:
    return {tag.strip().removeprefix("W/") for tag in header.split(",")}
