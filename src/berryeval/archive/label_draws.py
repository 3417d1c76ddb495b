"""Draws of queries that people label, by name. A draw never changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Row, delete, select

from berryeval.archive.checks import check_id, check_text
from berryeval.archive.clock import now
from berryeval.archive.paging import ArchivePart
from berryeval.archive.records import Page
from berryeval.archive.tables import label_draws
from berryeval.errors import ConflictError
from berryeval.evaluation.label_draw import LabelDraw

__all__ = ["ArchivedLabelDraws", "StoredDraw", "check_draw_row"]


@dataclass(frozen=True)
class StoredDraw:
    """A draw, and its author."""

    name: str
    draw: LabelDraw
    created_at: datetime
    created_by: str


class ArchivedLabelDraws(ArchivePart):
    """Draws by name."""

    def put(self, name: str, draw: LabelDraw, *, created_by: str) -> tuple[StoredDraw, bool]:
        """Store a draw, and return it with whether it is new.

        Raises
        ------
        ConflictError
            If there is another draw of this name.
        """
        check_id(name, "name")
        check_text(created_by, "created_by")
        check_text(draw.why or None, "why", optional=True)
        for query_id in draw.strata:
            check_id(query_id, "query_id")
        stored = StoredDraw(name, draw, now(), created_by)
        row = {
            "name": name,
            "queries": draw.to_dict()["queries"],
            "why": draw.why or None,
            "created_at": stored.created_at,
            "created_by": created_by,
        }
        with self._database.writing(alone="judgments") as connection:
            is_new = self._database.insert_new(connection, label_draws, row)
        if is_new:
            return stored, True
        known = self.get(name)
        if known is None or known.draw != draw:
            raise ConflictError(
                f"label draw {name!r}", "the same queries, or another name", "other queries"
            )
        return known, False

    def get(self, name: str) -> StoredDraw | None:
        """Return a draw; None if it does not exist."""
        return self._one(
            select(label_draws).where(label_draws.c.name == check_id(name, "name")), _stored
        )

    def page(self, *, after: str | None = None, limit: int = 100) -> Page[StoredDraw]:
        """Return draws in the order of their names' bytes."""
        keys = (label_draws.c.name,)
        return self._page(select(label_draws), keys, _stored, after=after, limit=limit)

    def remove(self, name: str) -> bool:
        """Remove a draw, and return whether it existed; judgments are kept."""
        rows = delete(label_draws).where(label_draws.c.name == check_id(name, "name"))
        with self._database.writing(alone="judgments") as connection:
            return connection.execute(rows).rowcount > 0


def check_draw_row(row: Mapping[str, Any]) -> None:
    """Raise if a row of the table is not a draw."""
    LabelDraw.from_dict(row["queries"], "queries")
    check_text(row["why"], "why", optional=True)


def _stored(row: Row[Any]) -> StoredDraw:
    draw = LabelDraw.from_dict(row.queries, "label draw", row.why or "")
    return StoredDraw(row.name, draw, row.created_at, row.created_by)
