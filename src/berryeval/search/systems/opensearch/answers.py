"""Parses the responses of OpenSearch and Elasticsearch, and explains their errors."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from berryeval.errors import AnswerError, SystemTimeoutError, SystemUnderTestError
from berryeval.search.exchange import StatusError
from berryeval.search.hits import Hit, to_hits
from berryeval.search.systems.opensearch.dsl import Dialect

__all__ = ["BulkOutcome", "dialect_of", "explained", "hits_of", "made_by", "read_bulk"]

_BUSY = 429
_FAILED = 300  # and above
_UNAUTHORIZED, _FORBIDDEN, _NOT_FOUND = 401, 403, 404
_CREDENTIALS = "set OPENSEARCH_USER and OPENSEARCH_PASSWORD, or OPENSEARCH_API_KEY"
# Temporary errors: a full queue, a lack of memory, a node that is temporarily unavailable.
_TRANSIENT = (
    "rejected_execution_exception",
    "circuit_breaking_exception",
    "no_shard_available_action_exception",
    "node_not_connected_exception",
    "node_disconnected_exception",
    "unavailable_shards_exception",
    "cluster_block_exception",
)

BulkOutcome = tuple[list[int], str]
"""The numbers of the documents to send again, and the reason."""


def explained(error: StatusError, index: str, *, has_credentials: bool) -> SystemUnderTestError:
    """Return an error response with an explanation of how to fix it."""
    kind, reason = _error_detail(_json(error.content))
    detail = f": {_joined(kind, reason)}" if reason else ""
    if error.status == _NOT_FOUND and kind == "index_not_found_exception":
        return _no_index(error.system, index)
    message = f"answered {error.status}{detail}" if detail else error.message
    if error.status == _UNAUTHORIZED and has_credentials:
        message = f"rejected the credentials{detail}"
    elif error.status == _UNAUTHORIZED:
        message = f"requires credentials{detail}; {_CREDENTIALS}"
    elif error.status == _FORBIDDEN:
        message = f"denied access to this user{detail}"
    elif error.status == _BUSY:
        message = f"is busy{detail}"
    return SystemUnderTestError(
        error.system, message, transient=error.transient, retry_after=error.retry_after
    )


def hits_of(answer: object, k: int, system: str, index: str, *, is_ranked: bool) -> list[Hit]:
    """Return the hits of a search.

    Parameters
    ----------
    answer : object
        The response, or one of several responses.
    k : int
        Number of requested hits; more are dropped.
    system, index : str
        Names for messages.
    is_ranked : bool
        Whether hits are sorted by score. Otherwise, hits with their own ``sort`` keep their order,
        regardless of their scores.

    Raises
    ------
    SystemUnderTestError
        If not every shard answered; `SystemTimeoutError` if the engine timed out, and
        `AnswerError` if the response is not a search result.
    """
    found = _object(answer, system)
    if "error" in found:
        raise _failure(found, system, index)
    if found.get("timed_out"):
        raise SystemTimeoutError(system, "timed out before the search was complete (timed_out)")
    shards = found.get("_shards")
    if isinstance(shards, Mapping) and shards.get("failed"):
        raise _shard_failure(shards, system)
    hits = _listed(_object(found.get("hits"), system).get("hits"), system)[:k]
    ids = [_object(hit, system).get("_id") for hit in hits]
    scores = [hit.get("_score") for hit in hits]
    has_order = not is_ranked and any("sort" in hit for hit in hits)
    if has_order or (scores and all(score is None for score in scores)):
        return to_hits(ids, k, system)
    return to_hits([*zip(ids, scores, strict=True)], k, system)


def read_bulk(answer: object, n_sent: int, system: str) -> BulkOutcome:
    """Return which documents of a bulk request to send again because the engine was busy.

    Raises
    ------
    SystemUnderTestError
        If documents were rejected; the message names the first of them.
    AnswerError
        If the response does not match the request.
    """
    items = _listed(_object(answer, system).get("items"), system)
    if len(items) != n_sent:
        raise AnswerError(system, f"expected {n_sent} items, as documents, got {len(items)}")
    busy: list[int] = []
    refused: list[str] = []
    why = ""
    for number, item in enumerate(items):
        outcome = _object(next(iter(_object(item, system).values()), None), system)
        status = outcome.get("status")
        if isinstance(status, int) and status < _FAILED and "error" not in outcome:
            continue
        kind, reason = _error_detail(outcome)
        if status == _BUSY:
            busy.append(number)
            why = _joined(kind, reason)
        else:
            refused.append(f"{outcome.get('_id')!r}: {_joined(kind, reason) or status}")
    if refused:
        what = "1 document" if len(refused) == 1 else f"{len(refused):,} documents"
        raise SystemUnderTestError(
            system, f"rejected {what} of {n_sent:,}; the first is {refused[0]}"
        )
    return busy, why


def dialect_of(answer: object, system: str) -> Dialect:
    """Return the engine, detected from its description of itself."""
    found = _object(answer, system)
    version = found.get("version")
    if isinstance(version, Mapping) and version.get("distribution") == "opensearch":
        return "opensearch"
    if isinstance(version, Mapping) and found.get("tagline") == "You Know, for Search":
        return "elasticsearch"
    message = "expected OpenSearch or Elasticsearch, got something else; set dialect"
    raise AnswerError(system, message)


def made_by(answer: object, system: str) -> dict[str, object]:
    """Return the creator of each index, from its mapping; None if it is not stated."""
    found = {}
    for name, described in _object(answer, system).items():
        meta = _object(_object(described, system).get("mappings"), system).get("_meta")
        found[name] = meta.get("made_by") if isinstance(meta, Mapping) else None
    return found


def _no_index(system: str, index: str) -> SystemUnderTestError:
    way_out = "call index(documents) first, or name another"
    return SystemUnderTestError(system, f"there is no index {index!r}; {way_out}")


def _failure(found: Mapping[str, Any], system: str, index: str) -> SystemUnderTestError:
    kind, reason = _error_detail(found)
    if kind == "index_not_found_exception":
        return _no_index(system, index)
    is_transient = found.get("status") == _BUSY or kind.endswith(_TRANSIENT)
    message = f"answered {found.get('status')}: {_joined(kind, reason)}"
    return SystemUnderTestError(system, message, transient=is_transient)


def _shard_failure(shards: Mapping[str, Any], system: str) -> SystemUnderTestError:
    failures = shards.get("failures")
    first = failures[0] if isinstance(failures, list) and failures else None
    error = {"error": first.get("reason")} if isinstance(first, Mapping) else None
    kind, reason = _error_detail(error)
    message = f"{shards['failed']} of {shards.get('total')} shards failed"
    detail = _joined(kind, reason)
    is_transient = kind.endswith(_TRANSIENT)
    return SystemUnderTestError(
        system, message + (f": {detail}" if detail else ""), transient=is_transient
    )


def _error_detail(answer: object) -> tuple[str, str]:
    """Return the type and the reason of an error, or of its root cause if it has one."""
    error = answer.get("error") if isinstance(answer, Mapping) else None
    if isinstance(error, str):
        return "", error
    if not isinstance(error, Mapping):
        return "", ""
    causes = error.get("root_cause")
    if isinstance(causes, list) and causes and isinstance(causes[0], Mapping):
        error = causes[0]
    return str(error.get("type") or ""), str(error.get("reason") or "")


def _joined(kind: str, reason: str) -> str:
    text = " ".join(f"{kind}: {reason}".strip(": ").split())
    return text if len(text) <= 300 else text[:299] + "…"  # noqa: PLR2004 - a line or three


def _json(content: bytes) -> object:
    try:
        found: object = json.loads(content)
    except ValueError:
        return None
    return found


def _object(value: object, system: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise AnswerError(system, f"expected an object, got {type(value).__name__}")
    return value


def _listed(value: object, system: str) -> Sequence[Any]:
    if not isinstance(value, list):
        raise AnswerError(system, f"expected a list, got {type(value).__name__}")
    return value
