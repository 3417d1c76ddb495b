"""Errors as ``application/problem+json`` (RFC 9457), with the facts that the command line shows.

Besides type, title, status and detail, a problem has ``where``, ``expected``, ``found`` and
``way_out`` if they are known, and the facts of its kind, such as ``path`` and ``line``, so that
clients need not parse sentences.
"""

from __future__ import annotations

import errno
import json
import re
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, TypeVar

from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.responses import Response

from berryeval.errors import (
    ArchiveError,
    ArgumentError,
    BerryEvalError,
    ConflictError,
    FormatError,
    InputTypeError,
    MeasureSyntaxError,
    MismatchError,
    MissingExtraError,
    NotFoundError,
    SizeError,
    SystemTimeoutError,
    SystemUnderTestError,
    UnknownMeasureError,
)
from berryeval.service.answers import with_examples

__all__ = [
    "MEDIA_TYPE",
    "Fault",
    "Problem",
    "ProblemDetails",
    "documented",
    "existing",
    "problem_of",
    "problem_of_disk",
    "problem_of_validation",
    "problem_response",
    "shown",
]

Item = TypeVar("Item")

MEDIA_TYPE = "application/problem+json"
_SHOWN = 80
_MAX_FAULTS = 20
# Pydantic's words around what it expected.
_BEFORE = re.compile(
    r"^(Input should be |Value error, |(String|List|Dictionary) should have |String should match )"
)
_AFTER = re.compile(r" after validation, not .*$")
# Unix has a separate code for an exhausted quota.
_FULL = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}
_TITLES = {
    "archive": "The archive is unavailable",
    "bug": "Internal error",
    "disk-full": "The disk is full",
    "digest": "The body does not match its digest",
    "format": "Invalid file",
    "input": "Invalid input",
    "measure-syntax": "Invalid measure",
    "mismatch": "Inputs that cannot be compared",
    "not-json": "Not JSON",
    "shape": "Invalid request",
}

_MADE_BY = {
    "baseline": "create it with PUT /v1/baselines/{name}",
    "collection": "create it with PUT /v1/collections/{name}",
    "gate": "create it with PUT /v1/gates/{name}",
    "project": "create it with POST /v1/projects",
    "run": "upload it with POST /v1/runs",
    "store": "create it with PUT /v1/stores/{name}",
}


class Fault(BaseModel):
    """One fault of a request."""

    model_config = with_examples(
        {"where": "body.measures[1]", "expected": "a valid string", "found": "12"}
    )

    where: str = Field(examples=["body.measures[1]"])
    expected: str = Field(examples=["text of at most 200 characters"])
    found: str | None = Field(None, examples=["12"])


class ProblemDetails(BaseModel):
    """A problem in the format of RFC 9457."""

    model_config = with_examples(
        {
            "type": "urn:berryeval:problem:unknown-measure",
            "title": "Unknown measure",
            "status": 422,
            "detail": "unknown measure 'ndgc@10': did you mean 'nDCG@10'?",
            "where": "measures",
            "found": "ndgc@10",
            "way_out": "nDCG@10",
            "request_id": "b3f6c0f9a1d2",
        }
    )

    type: str = Field(description="The kind of problem; stable.")
    title: str = Field(description="The kind in words.")
    status: int = Field(description="The HTTP status.")
    detail: str = Field(description="What happened, in one line.")
    message: str | None = Field(
        None,
        description="What happened, without the place: `detail` after `where`.",
        examples=["expected 6 columns, found 5"],
    )
    where: str | None = Field(None, description="The argument, or file and line.")
    expected: str | None = Field(None, description="What was expected.")
    found: str | None = Field(None, description="What was found.")
    way_out: str | None = Field(None, description="How to fix it.")
    path: str | None = Field(None, description="The file.", examples=["bm25.run"])
    line: int | None = Field(None, description="The line of the file, from 1.", examples=[3])
    measure: str | None = Field(None, description="The measure, as sent.", examples=["nDCG@x"])
    name: str | None = Field(
        None, description="The name or id that was not found.", examples=["v1"]
    )
    extra: str | None = Field(None, description="The extra to install.", examples=["search"])
    transient: bool | None = Field(None, description="Whether retrying later may succeed.")
    errors: list[Fault] | None = Field(None, description="All faults, if there are several.")
    request_id: str | None = Field(None, description="The id of the request in the log.")


class Problem(HTTPException):
    """An error response.

    Parameters
    ----------
    status : int
        The HTTP status.
    detail : str
        What happened, in one line.
    kind : str, optional
        The end of ``urn:berryeval:problem:…``. Default: the status in words.
    headers : mapping, optional
        Headers of the response.
    errors : sequence of Fault
        The faults, one by one.
    **facts
        Other fields of `ProblemDetails`; None is omitted.
    """

    def __init__(
        self,
        status: int,
        detail: str,
        *,
        kind: str | None = None,
        headers: Mapping[str, str] | None = None,
        errors: Sequence[Fault] = (),
        **facts: str | int | None,
    ) -> None:
        super().__init__(status, detail, dict(headers or {}))
        self.kind = kind or _words(status).lower().replace(" ", "-")
        self.errors = tuple(errors)
        self.facts = {name: fact for name, fact in facts.items() if fact is not None}

    def content(self, request_id: str | None = None) -> dict[str, Any]:
        """Return the content of the response."""
        found: dict[str, Any] = {
            "type": f"urn:berryeval:problem:{self.kind}",
            "title": _TITLES.get(self.kind) or self.kind.replace("-", " ").capitalize(),
            "status": self.status_code,
            "detail": self.detail,
            **self.facts,
        }
        if self.errors:
            found["errors"] = [fault.model_dump(exclude_none=True) for fault in self.errors]
        if request_id is not None:
            found["request_id"] = request_id
        return found


def problem_response(problem: Problem, request_id: str | None = None) -> Response:
    """Return the response for a problem."""
    # Ids may contain lone surrogates, which can only be written with escapes.
    body = json.dumps(problem.content(request_id), ensure_ascii=True).encode("ascii")
    return Response(body, problem.status_code, problem.headers, MEDIA_TYPE)


def problem_of(error: BerryEvalError) -> Problem:  # noqa: PLR0911 - one per kind
    """Return the problem for an error of the library."""
    detail = str(error)
    if isinstance(error, ConflictError):
        return Problem(409, detail, kind="conflict", where=error.what, expected=error.expected,
                       found=error.found)  # fmt: skip
    if isinstance(error, NotFoundError):
        return Problem(404, detail, where=error.kind, found=shown(error.name), name=error.name,
                       way_out=_MADE_BY.get(error.kind))  # fmt: skip
    if isinstance(error, ArchiveError):
        headers = {"Retry-After": "1"} if error.transient else {}
        return Problem(503, detail, kind="archive", headers=headers, where=error.archive,
                       message=error.message, transient=error.transient)  # fmt: skip
    if isinstance(error, SystemTimeoutError):
        return Problem(504, detail, kind="system-timeout", where=error.system,
                       message=error.message, transient=error.transient)  # fmt: skip
    if isinstance(error, SystemUnderTestError):
        return Problem(502, detail, kind="system-failed", where=error.system,
                       message=error.message, transient=error.transient)  # fmt: skip
    if isinstance(error, MissingExtraError):
        way_out = f"pip install 'berryeval[{error.extra}]'"
        return Problem(415, detail, kind="not-installed", where=error.what, way_out=way_out,
                       extra=error.extra)  # fmt: skip
    if isinstance(error, SizeError):
        return Problem(413, detail, kind="too-large", **_facts(error))
    return Problem(422, detail, kind=_kind(error), **_facts(error))


def problem_of_disk(error: Exception) -> Problem | None:
    """Return the problem for a full disk; None for any other error."""
    if not isinstance(error, OSError) or error.errno not in _FULL:
        return None
    way_out = "free some space and try again"
    detail = f"the disk of the server is full, and nothing was stored; {way_out}"
    return Problem(503, detail, kind="disk-full", way_out=way_out)


def problem_of_validation(error: RequestValidationError) -> Problem:
    """Return the problem of an invalid request: where, expected, found."""
    complaints = error.errors()
    first = complaints[0]
    if first["type"] == "json_invalid":
        found = f"{first['ctx']['error']} at character {first['loc'][-1]}"
        return Problem(400, f"body: expected JSON: {found}", kind="not-json", where="body",
                       expected="JSON", found=found)  # fmt: skip
    if first["loc"] == ("body",) and isinstance(first.get("input"), bytes):
        expected = "Content-Type: application/json"
        return Problem(415, f"body: expected {expected}", where="Content-Type",
                       expected=expected, way_out=f"send {expected}")  # fmt: skip
    faults = [_fault(complaint) for complaint in complaints[:_MAX_FAULTS]]
    head = faults[0]
    more = f" (and {len(complaints) - 1} more)" if len(complaints) > 1 else ""
    found = "" if head.found is None else f", found {head.found}"
    return Problem(
        422,
        f"{head.where}: expected {head.expected}{found}{more}",
        kind="shape",
        where=head.where,
        expected=head.expected,
        found=head.found,
        errors=faults if len(faults) > 1 else (),
    )


def _fault(complaint: dict[str, Any]) -> Fault:
    where = _place(complaint["loc"])
    if complaint["type"] == "missing":
        return Fault(where=where, expected="a value", found="nothing")
    if complaint["type"] == "extra_forbidden":
        return Fault(where=where, expected="no such key", found=shown(complaint["loc"][-1]))
    if complaint["type"] in ("model_attributes_type", "model_type", "dict_type"):
        return Fault(where=where, expected="an object", found=shown(complaint.get("input")))
    expected = _AFTER.sub("", _BEFORE.sub("", complaint["msg"]))
    return Fault(where=where, expected=expected, found=shown(complaint.get("input")))


def _place(location: Sequence[int | str]) -> str:
    """Write a place as ``body.judgments[3].grade``."""
    parts = [f"[{part}]" if isinstance(part, int) else f".{part}" for part in location]
    return "".join(parts).removeprefix(".")


def _kind(error: BerryEvalError) -> str:
    kinds: tuple[tuple[type[BerryEvalError], str], ...] = (
        (FormatError, "format"),
        (UnknownMeasureError, "unknown-measure"),
        (MeasureSyntaxError, "measure-syntax"),
        (MismatchError, "mismatch"),
    )
    return next((kind for base, kind in kinds if isinstance(error, base)), "input")


def _facts(error: BerryEvalError) -> dict[str, Any]:
    if isinstance(error, FormatError):
        return {"where": error.where, "path": error.path, "line": error.line,
                "message": error.message, "expected": error.expected, "found": error.found,
                "way_out": error.way_out}  # fmt: skip
    if isinstance(error, (ArgumentError, InputTypeError)):
        return {"where": error.argument, "expected": error.expected, "found": error.got}
    if isinstance(error, UnknownMeasureError):
        return {"where": "measures", "found": error.name, "way_out": error.suggestion}
    if isinstance(error, MeasureSyntaxError):
        return {"where": f"measure {error.text!r}", "measure": error.text,
                "expected": error.expected, "found": error.got,
                "way_out": error.example}  # fmt: skip
    return {}


def existing(found: Item | None, kind: str, name: str) -> Item:
    """Return what was found.

    Raises
    ------
    NotFoundError
        If it is None.
    """
    if found is None:
        raise NotFoundError(kind, name)
    return found


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the OpenAPI description of these errors, for a route's ``responses``."""
    reference = {"$ref": f"#/components/schemas/{ProblemDetails.__name__}"}
    return {
        status: {"description": _words(status), "content": {MEDIA_TYPE: {"schema": reference}}}
        for status in statuses
    }


def _words(status: int) -> str:
    return {413: "Content Too Large", 422: "Unprocessable Content"}.get(
        status, HTTPStatus(status).phrase
    )


def shown(found: object) -> str:
    """Return a value of a request, shortened to fit on a line."""
    text = repr(found)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
