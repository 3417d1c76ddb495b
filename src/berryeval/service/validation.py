"""Converts validation errors of FastAPI and Pydantic to problems."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from fastapi.exceptions import RequestValidationError

from berryeval.service.problems import Fault, Problem, shown

__all__ = ["problem_of_validation"]

_BEFORE = re.compile(
    r"^(Input should be |Value error, |(String|List|Dictionary) should have |String should match )"
)
_AFTER = re.compile(r" after validation, not .*$")
_MOST_FAULTS = 20


def problem_of_validation(error: RequestValidationError) -> Problem:
    """Return the problem of an invalid request: where, expected, found."""
    complaints = error.errors()
    first = complaints[0]
    if first["type"] == "json_invalid":
        said = f"{first['ctx']['error']} at character {first['loc'][-1]}"
        return Problem(400, f"body: expected JSON: {said}", kind="not-json", where="body",
                       expected="JSON", found=said)  # fmt: skip
    if first["loc"] == ("body",) and isinstance(first.get("input"), bytes):
        expected = "Content-Type: application/json"
        return Problem(415, f"body: expected {expected}", where="Content-Type",
                       expected=expected, way_out=f"send {expected}")  # fmt: skip
    faults = [_fault(complaint) for complaint in complaints[:_MOST_FAULTS]]
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
    expected = _AFTER.sub("", _BEFORE.sub("", complaint["msg"]))
    return Fault(where=where, expected=expected, found=shown(complaint.get("input")))


def _place(location: Sequence[int | str]) -> str:
    """Write a place as ``body.judgments[3].grade``."""
    parts = [f"[{part}]" if isinstance(part, int) else f".{part}" for part in location]
    return "".join(parts).removeprefix(".")
