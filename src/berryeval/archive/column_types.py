"""Types of columns that store the same values in both databases."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from typing import Any

from sqlalchemy import DateTime, Dialect, LargeBinary, Text
from sqlalchemy.types import TypeDecorator

from berryeval.core.id_column import decode_id, encode_id

__all__ = ["Json", "Name", "UtcTime"]


class Name(TypeDecorator[str]):
    """An id or a name, stored as bytes, which both databases compare and sort alike."""

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> bytes | None:  # noqa: ARG002
        """Return the bytes of an id."""
        return None if value is None else encode_id(value)

    def process_result_value(self, value: Any | None, dialect: Dialect) -> str | None:  # noqa: ANN401, ARG002
        """Return an id as text."""
        return None if value is None else decode_id(bytes(value))


class Json(TypeDecorator[Any]):
    """JSON in ASCII, as text in PostgreSQL allows neither NUL nor surrogates."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any | None, dialect: Dialect) -> str | None:  # noqa: ANN401, ARG002
        """Return the text of a value."""
        return None if value is None else json.dumps(value, allow_nan=False, separators=(",", ":"))

    def process_result_value(self, value: Any | None, dialect: Dialect) -> Any:  # noqa: ANN401, ARG002
        """Return the value of a text."""
        return None if value is None else json.loads(value)


class UtcTime(TypeDecorator[datetime]):
    """A moment, to the microsecond."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Return the moment in UTC; SQLite's text has no room for a zone."""
        if value is None:
            return None
        moment = value.astimezone(timezone.utc)
        return moment.replace(tzinfo=None) if dialect.name == "sqlite" else moment

    def process_result_value(self, value: Any | None, dialect: Dialect) -> datetime | None:  # noqa: ANN401
        """Return the moment with its zone, UTC."""
        if value is None:
            return None
        moment: datetime = value.replace(tzinfo=timezone.utc) if dialect.name == "sqlite" else value
        return moment.astimezone(timezone.utc)
