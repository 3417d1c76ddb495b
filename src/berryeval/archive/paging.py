"""Pages of rows, each of which starts after the last row of the previous one."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Sequence
from datetime import datetime, timezone
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Connection, Integer, Row, Select, tuple_

from berryeval.archive.checks import check_count, check_id
from berryeval.archive.column_types import UtcTime
from berryeval.archive.records import Page
from berryeval.errors import ArgumentError

__all__ = ["MOST_ON_A_PAGE", "read_page"]

Item = TypeVar("Item")

MOST_ON_A_PAGE = 10_000


def read_page(
    connection: Connection,
    rows: Select[Any],
    keys: Sequence[ColumnElement[Any]],
    make: Callable[[Row[Any]], Item],
    *,
    after: str | None,
    limit: int,
    descending: bool = False,
) -> Page[Item]:
    """Return a page of a statement, in the order of some of its columns.

    Raises
    ------
    ArgumentError
        If `after` is not from a previous page, or `limit` is out of range.
    """
    if not 1 <= limit <= MOST_ON_A_PAGE:
        raise ArgumentError("limit", f"a number from 1 to {MOST_ON_A_PAGE:,}", repr(limit))
    if after is not None:
        place = tuple_(*keys)
        last = tuple_(*_read(after, keys), types=[key.type for key in keys])
        rows = rows.where(place < last if descending else place > last)
    order = [key.desc() if descending else key.asc() for key in keys]
    found = connection.execute(rows.order_by(*order).limit(limit + 1)).all()
    shown = found[:limit]
    is_last = len(found) <= limit
    token = None if is_last else _written([shown[-1]._mapping[key] for key in keys])  # noqa: SLF001 - public, but for its name
    return Page(tuple(make(row) for row in shown), token)


def _written(values: Sequence[Any]) -> str:
    plain = [
        {"at": value.isoformat()} if isinstance(value, datetime) else value for value in values
    ]
    return base64.urlsafe_b64encode(json.dumps(plain).encode()).decode().rstrip("=")


def _read(token: str, keys: Sequence[ColumnElement[Any]]) -> list[Any]:
    try:
        padded = token.encode("ascii") + b"=" * (-len(token) % 4)
        values = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
        return [_value(value, key) for value, key in zip(values, keys, strict=True)]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise ArgumentError("after", "the next value of a page", repr(token[:40])) from None


def _value(value: Any, key: ColumnElement[Any]) -> Any:  # noqa: ANN401 - any JSON
    if isinstance(key.type, UtcTime):
        return datetime.fromisoformat(value["at"]).astimezone(timezone.utc)
    if isinstance(key.type, Integer):
        return check_count(value, "after")
    return check_id(value, "after")
