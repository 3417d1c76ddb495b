"""JSON responses: their models with examples, how records become JSON, and ETags."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from typing import Any, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model
from starlette.requests import Request
from starlette.responses import Response

__all__ = [
    "EXAMPLE_RUN",
    "NOT_MODIFIED",
    "OTHER_RUN",
    "REMOVAL",
    "Answer",
    "Shape",
    "conditional_answer",
    "created",
    "etag_of",
    "examples_of_models",
    "json_bytes",
    "shape_of",
    "with_examples",
    "written",
]

EXAMPLE_RUN = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
OTHER_RUN = "60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752"

NOT_MODIFIED: dict[int | str, dict[str, Any]] = {304: {"description": "Not modified"}}
"""The response to a caller that already has the current state, for a route's ``responses``."""

REMOVAL: dict[str, Any] = {"status_code": 204, "response_class": Response}
"""Options of a route that removes a resource, and returns nothing."""


def with_examples(*examples: dict[str, Any]) -> ConfigDict:
    """Return the configuration of a model with these examples."""
    return ConfigDict(json_schema_extra={"examples": [*examples]})


def examples_of_models(base: type[BaseModel] = BaseModel) -> Iterator[tuple[str, list[Any]]]:
    """Iterate over the names of our models and their examples."""
    for model in base.__subclasses__():
        extra = model.model_config.get("json_schema_extra")
        if model.__module__.startswith("berryeval.") and isinstance(extra, dict):
            yield model.__name__, [*extra["examples"]]  # type: ignore[misc]  # as written above
        yield from examples_of_models(model)


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


def shape_of(record: type, *, without: Collection[str] = (), **descriptions: str) -> Any:  # noqa: ANN401 - a base class
    """Return a model with the fields of a record, all required, as the base of a response model.

    Parameters
    ----------
    record : type
        A dataclass.
    without : collection of str
        Fields that responses omit.
    **descriptions : str
        Descriptions of fields.
    """
    types = get_type_hints(record)
    made: dict[str, Any] = {
        field.name: (types[field.name], Field(description=descriptions.get(field.name)))
        for field in fields(record)
        if field.name not in without
    }
    return create_model(f"{record.__name__}Fields", __base__=Shape, **made)


def created(model: type[BaseModel]) -> dict[int | str, dict[str, Any]]:
    """Return the description of the response that creates a resource, for ``responses``."""
    return {201: {"model": model, "description": "Created"}}


def etag_of(content: object) -> str:
    """Return the ETag of content that has no version of its own."""
    body = content if isinstance(content, bytes) else json_bytes(content)
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


def conditional_answer(request: Request, content: object, etag: str) -> Response:
    """Return the content, or 304 if the caller already has it (``If-None-Match``)."""
    headers = {"ETag": etag, "Cache-Control": "no-cache"}
    known = request.headers.get("if-none-match")
    if known is not None and (known.strip() == "*" or etag in _tags(known)):
        return Response(status_code=304, headers=headers)
    return Answer(content, headers=headers)


def _tags(header: str) -> set[str]:
    return {tag.strip().removeprefix("W/") for tag in header.split(",")}
