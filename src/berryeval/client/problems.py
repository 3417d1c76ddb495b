"""Converts problems of the service to the errors of the library."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any

from berryeval.errors import (
    ArchiveError,
    ArgumentError,
    BerryEvalError,
    ConflictError,
    FormatError,
    InputError,
    MeasureSyntaxError,
    MismatchError,
    MissingExtraError,
    NotFoundError,
    ServiceError,
    SizeError,
    SystemTimeoutError,
    SystemUnderTestError,
    UnknownMeasureError,
)

__all__ = ["error_of"]

_PREFIX = "urn:berryeval:problem:"


class _Problem:
    """A problem, as the service sent it."""

    def __init__(self, status: int, body: Mapping[str, Any]) -> None:
        self.status = status
        self.kind = str(body.get("type", "")).removeprefix(_PREFIX)
        self.detail = str(body.get("detail") or f"answered {status}")
        self.where, self.expected, self.found, self.way_out = (
            _text(body.get(key)) for key in ("where", "expected", "found", "way_out")
        )
        self.path, self.measure, self.name, self.extra = (
            _text(body.get(key)) for key in ("path", "measure", "name", "extra")
        )
        self.message = _text(body.get("message")) or self.detail
        line = body.get("line")
        self.line = line if isinstance(line, int) else None
        self.is_transient = body.get("transient") is True


def _text(value: object) -> str:
    return "" if value is None else str(value)


def error_of(service: str, status: int, body: Mapping[str, Any]) -> BerryEvalError:
    """Return the error for a problem of a service, given its address and the HTTP status.

    `body` is empty if the response was unreadable.
    """
    problem = _Problem(status, body)
    reader = _BY_KIND.get(problem.kind) or _BY_STATUS.get(status)
    is_unknown_route = status == HTTPStatus.NOT_FOUND and not problem.name
    is_no_file = problem.kind == "too-large" and not problem.path
    if reader is not None and not is_unknown_route and not is_no_file:
        return reader(problem)
    return ServiceError(service, problem.detail, status, problem.kind or None)


def _argument(problem: _Problem) -> BerryEvalError:
    if problem.where and problem.expected:
        return ArgumentError(problem.where, problem.expected, problem.found)
    return InputError(problem.detail)


def _conflict(problem: _Problem) -> BerryEvalError:
    is_ours = problem.kind == "conflict"  # the others have more in their detail
    message = None if is_ours else problem.detail
    return ConflictError(problem.where, problem.expected, problem.found, message)


def _format_error(kind: type[FormatError], problem: _Problem) -> FormatError:
    return kind(
        problem.message,
        problem.path,
        problem.line,
        expected=problem.expected or None,
        found=problem.found or None,
        way_out=problem.way_out or None,
    )


_BY_KIND: dict[str, Callable[[_Problem], BerryEvalError]] = {
    "archive": lambda it: ArchiveError(it.where, it.message, transient=it.is_transient),
    "format": lambda it: _format_error(FormatError, it),
    "measure-syntax": lambda it: MeasureSyntaxError(it.measure, it.expected, it.found, it.way_out),
    "mismatch": lambda it: MismatchError(it.detail),
    "not-installed": lambda it: MissingExtraError(it.where, it.extra),
    "system-failed": lambda it: SystemUnderTestError(
        it.where, it.message, transient=it.is_transient
    ),
    "system-timeout": lambda it: SystemTimeoutError(
        it.where, it.message, transient=it.is_transient
    ),
    "too-large": lambda it: _format_error(SizeError, it),
    "unknown-measure": lambda it: UnknownMeasureError(it.found, it.way_out or None, ()),
}
_BY_STATUS: dict[int, Callable[[_Problem], BerryEvalError]] = {
    400: _argument,
    404: lambda it: NotFoundError(it.where, it.name),
    409: _conflict,
    412: _conflict,
    422: _argument,
    428: _conflict,
}
