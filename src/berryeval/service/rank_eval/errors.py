"""Errors in Elasticsearch's format."""

from __future__ import annotations

from typing import Any

from berryeval.errors import BerryEvalError, NotFoundError, SystemTimeoutError, SystemUnderTestError

__all__ = ["cause_of", "error_answer", "error_cause"]


def error_cause(kind: str, reason: str, **facts: str) -> dict[str, Any]:
    """Return an error with itself as its root cause, as Elasticsearch does."""
    cause = {"type": kind, "reason": reason, **facts}
    return {"root_cause": [cause], **cause}


def error_answer(status: int, kind: str, reason: str) -> dict[str, Any]:
    """Return the body of an error response."""
    return {"error": error_cause(kind, reason), "status": status}


def cause_of(error: BerryEvalError) -> dict[str, Any]:
    """Return the reason why a query failed."""
    if isinstance(error, NotFoundError):
        facts = {"resource.type": "index_or_alias", "resource.id": error.name, "index": error.name}
        return error_cause("index_not_found_exception", f"no such index [{error.name}]", **facts)
    if isinstance(error, SystemTimeoutError):
        return error_cause("timeout_exception", str(error))
    if isinstance(error, SystemUnderTestError):
        return error_cause("search_phase_execution_exception", str(error))
    return error_cause("parsing_exception", str(error))
