"""JSON responses: how records become JSON, and ETags."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from typing import Any

from pydantic import BaseModel
from starlette.requests import Request
from starlette.responses import Response

__all__ = ["Answer", "Shape", "conditional_answer", "etag_of", "json_bytes", "written"]


def json_bytes(content: object) -> bytes:
    """Write JSON in ASCII: ids that are not UTF-8 can only be written with escapes."""
    text = json.dumps(content, allow_nan=False, separators=(",", ":"), default=_plain)
    return text.encode("ascii")


def _plain(value: object) -> object:
    """Return the JSON value of a datetime, a mapping or a dataclass."""
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Mapping):
        return dict(value)
    if is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    raise TypeError(f"no JSON for {type(value).__name__}")


_ABSENT = object()


class Shape(BaseModel):
    """The response model of a record. Fields are taken from attributes of the same name."""

    @classmethod
    def of(cls, *records: object, **others: object) -> dict[str, Any]:
        """Return the model: the given fields, and the attributes of the first record that has them.

        A field with a default is omitted if no record has it.

        Raises
        ------
        AttributeError
            If no record has a field without a default.
        """
        found: dict[str, Any] = {}
        for name, field in cls.model_fields.items():
            values = (getattr(record, name, _ABSENT) for record in records)
            value = others.get(name, _ABSENT)
            if value is _ABSENT:
                value = next((one for one in values if one is not _ABSENT), _ABSENT)
            if value is not _ABSENT:
                found[name] = value
            elif field.is_required():
                raise AttributeError(f"{cls.__name__}.{name}: no record has it")
        return found


def etag_of(body: bytes) -> str:
    """Return the ETag of a body."""
    return f'"{hashlib.blake2b(body, digest_size=12).hexdigest()}"'


class Answer(Response):
    """A JSON response that is not validated again."""

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
    """Return the response to a write: the new state and its location, 201 if it was created."""
    return Answer(content, 201 if is_new else 200, etag=etag, headers={"Location": place})


def conditional_answer(request: Request, body: bytes, etag: str) -> Response:
    """Return the body, or 304 if the caller already has it (``If-None-Match``)."""
    headers = {"ETag": etag, "Cache-Control": "no-cache"}
    known = request.headers.get("if-none-match")
    if known is not None and (known.strip() == "*" or etag in _tags(known)):
        return Response(status_code=304, headers=headers)
    return Answer(body, headers=headers)


def _tags(header: str) -> set[str]:
    return {tag.strip().removeprefix("W/") for tag in header.split(",")}
