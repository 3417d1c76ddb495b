"""Parts of an archive, and pages of their rows, each of which starts after the previous one."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Sequence
from datetime import datetime, timezone
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Integer, Row, Select, tuple_

from berryeval.archive.checks import check_count, check_id
from berryeval.archive.database import Database
from berryeval.archive.records import Page
from berryeval.archive.tables import UtcTime
from berryeval.errors import ArgumentError

__all__ = ["MAX_PER_PAGE", "ArchivePart"]

Item = TypeVar("Item")

MAX_PER_PAGE = 10_000


class ArchivePart:
    """Records of one kind in an archive."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def _one(self, rows: Select[Any], make: Callable[[Row[Any]], Item]) -> Item | None:
        """Return the record of a statement that finds at most one row."""
        with self._database.reading() as connection:
            row = connection.execute(rows).one_or_none()
            return None if row is None else make(row)

    def _page(
        self,
        rows: Select[Any],
        keys: Sequence[ColumnElement[Any]],
        make: Callable[[Row[Any]], Item],
        *,
        after: str | None,
        limit: int,
        descending: bool = False,
    ) -> Page[Item]:
        """Return a page of a statement, in the order of some of its columns.

        Raises `ArgumentError` if `after` is not from a previous page, or `limit` is out of range.
        """
        if not 1 <= limit <= MAX_PER_PAGE:
            raise ArgumentError("limit", f"a number from 1 to {MAX_PER_PAGE:,}", repr(limit))
        if after is not None:
            place = tuple_(*keys)
            last = tuple_(*_read(after, keys), types=[key.type for key in keys])
            rows = rows.where(place < last if descending else place > last)
        order = [key.desc() if descending else key.asc() for key in keys]
        with self._database.reading() as connection:
            found = connection.execute(rows.order_by(*order).limit(limit + 1)).all()
            items = tuple(make(row) for row in found[:limit])
        if len(found) <= limit:
            return Page(items, None)
        last_row = found[limit - 1]._mapping  # noqa: SLF001 - public, but for its name
        return Page(items, _written([last_row[key] for key in keys]))


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
