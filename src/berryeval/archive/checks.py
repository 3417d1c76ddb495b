"""Checks of values before they are written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from berryeval.core.id_column import IdColumn, encode_id
from berryeval.errors import ArgumentError, InputTypeError

__all__ = [
    "LONGEST_ID",
    "check_count",
    "check_id",
    "check_ids",
    "check_note",
    "check_settings",
    "check_text",
    "json_value",
]

LONGEST_ID = 1024
"""Largest size of an id or name: an index of PostgreSQL holds two of them, not much more."""

_LONGEST_TEXT = 1000
_LONGEST_NOTE = 10_000
_MOST = 2**63 - 1


def check_id(value: object, argument: str) -> str:
    """Return an id or name, or raise if the archive cannot store it."""
    if not isinstance(value, str):
        raise InputTypeError(argument, "a str", f"{type(value).__name__} {value!r}"[:80])
    n_bytes = len(encode_id(value))
    if not 0 < n_bytes <= LONGEST_ID:
        raise ArgumentError(argument, f"1 to {LONGEST_ID:,} bytes", f"{n_bytes:,}")
    return value


def check_ids(ids: IdColumn, argument: str) -> None:
    """Raise if the archive cannot store one of the ids."""
    offsets = np.frombuffer(ids.offsets, np.uint64)
    longest = int(np.diff(offsets).max(initial=0))
    if longest > LONGEST_ID:
        raise ArgumentError(argument, f"ids of 1 to {LONGEST_ID:,} bytes", f"one of {longest:,}")


def check_text(value: object, argument: str, *, optional: bool = False) -> str | None:
    """Return a short text, or raise if it is not one."""
    if value is None and optional:
        return None
    if not isinstance(value, str):
        raise InputTypeError(argument, "a str", f"{type(value).__name__} {value!r}"[:80])
    if not 0 < len(value) <= _LONGEST_TEXT:
        raise ArgumentError(argument, f"1 to {_LONGEST_TEXT:,} characters", f"{len(value):,}")
    return value


def check_note(value: object, argument: str) -> str | None:
    """Return a note of a judge, None if it is empty, or raise if it is too long."""
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        raise InputTypeError(argument, "a str", f"{type(value).__name__} {value!r}"[:80])
    if len(value) > _LONGEST_NOTE:
        raise ArgumentError(argument, f"at most {_LONGEST_NOTE:,} characters", f"{len(value):,}")
    return value


def check_count(value: object, argument: str) -> int:
    """Return an integer from 0, or raise if a database cannot store it."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise InputTypeError(argument, "an int", f"{type(value).__name__} {value!r}"[:80])
    if not 0 <= value <= _MOST:
        raise ArgumentError(argument, "a number from 0", repr(value)[:40])
    return value


def check_settings(value: object, argument: str) -> dict[str, Any]:
    """Return a mapping as JSON returns it, or raise if it is not valid JSON."""
    if not isinstance(value, Mapping):
        raise InputTypeError(argument, "a mapping", type(value).__name__)
    found: dict[str, Any] = json_value(dict(value), argument)
    return found


def json_value(value: object, argument: str) -> Any:  # noqa: ANN401 - any JSON
    """Return a value as JSON returns it, or raise if it is not valid JSON."""
    try:
        return json.loads(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise InputTypeError(argument, "a JSON value", str(error)[:80]) from None
