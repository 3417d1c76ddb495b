"""What the service says went wrong, as the error that the library itself would have raised."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
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
    SystemTimeoutError,
    SystemUnderTestError,
    UnknownMeasureError,
)

__all__ = ["error_of"]

_PREFIX = "urn:berryeval:problem:"


class _Problem:
    """What the service said."""

    def __init__(self, status: int, said: Mapping[str, Any]) -> None:
        self.status = status
        self.kind = str(said.get("type", "")).removeprefix(_PREFIX)
        self.detail = str(said.get("detail") or f"answered {status}")
        self.where, self.expected, self.found, self.way_out = (
            "" if said.get(key) is None else str(said[key])
            for key in ("where", "expected", "found", "way_out")
        )

    @property
    def message(self) -> str:
        """What happened, without the place where it did."""
        return self.detail.removeprefix(f"{self.where}: ")


def error_of(service: str, status: int, said: Mapping[str, Any]) -> BerryEvalError:
    """Return the error that a problem tells of.

    Parameters
    ----------
    service : str
        The address of the service.
    status : int
        The HTTP status.
    said : mapping
        The problem; empty if it was nothing that can be read.
    """
    problem = _Problem(status, said)
    reader = _BY_KIND.get(problem.kind) or _BY_STATUS.get(status)
    if reader is not None:
        return reader(problem)
    return ServiceError(service, problem.detail, status, problem.kind or None)


def _format(problem: _Problem) -> BerryEvalError:
    path, colon, line = problem.where.rpartition(":")
    if colon and line.isdigit():
        return FormatError(problem.message, path, int(line))
    return FormatError(problem.message, problem.where)


def _measure_syntax(problem: _Problem) -> BerryEvalError:
    text = _unquoted(problem.where.removeprefix("measure "))
    return MeasureSyntaxError(text, problem.expected, problem.found, problem.way_out)


def _not_installed(problem: _Problem) -> BerryEvalError:
    extra = problem.way_out.partition("[")[2].partition("]")[0]
    return MissingExtraError(problem.where, extra)


def _argument(problem: _Problem) -> BerryEvalError:
    if problem.where and problem.expected:
        return ArgumentError(problem.where, problem.expected, problem.found)
    return InputError(problem.detail)


def _conflict(problem: _Problem) -> BerryEvalError:
    is_ours = problem.kind == "conflict"  # the others say more in their detail
    message = None if is_ours else problem.detail
    return ConflictError(problem.where, problem.expected, problem.found, message)


_BY_KIND: dict[str, Callable[[_Problem], BerryEvalError]] = {
    "archive": lambda it: ArchiveError(it.where, it.message, transient=True),
    "format": _format,
    "measure-syntax": _measure_syntax,
    "mismatch": lambda it: MismatchError(it.detail),
    "not-installed": _not_installed,
    "system-failed": lambda it: SystemUnderTestError(it.where, it.message),
    "system-timeout": lambda it: SystemTimeoutError(it.where, it.message),
    "unknown-measure": lambda it: UnknownMeasureError(it.found, it.way_out or None, ()),
}
_BY_STATUS: dict[int, Callable[[_Problem], BerryEvalError]] = {
    400: _argument,
    404: lambda it: NotFoundError(it.where, _unquoted(it.found)),
    409: _conflict,
    412: _conflict,
    422: _argument,
    428: _conflict,
}


def _unquoted(shown: str) -> str:
    """Return a text that was shown in quotes, as far as it can be read."""
    try:
        value = ast.literal_eval(shown)
    except (ValueError, SyntaxError):
        return shown
    return value if isinstance(value, str) else shown
