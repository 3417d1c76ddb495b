"""Finds queries by their texts and documents by their titles, in memory."""

from __future__ import annotations

import threading
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from datetime import datetime

from sqlalchemy import Connection, Text, func, select, type_coerce

from berryeval.archive.database import Database
from berryeval.archive.document_previews import JSON_PREFIX, beginning_of
from berryeval.archive.tables import documents, queries

__all__ = ["TextIndex"]

_BREAK = "\n"


class TextIndex:
    """The texts of queries or the titles of documents, with their ids.

    Parameters
    ----------
    database : Database
        The database of the archive.
    of : {"queries", "documents"}
        What to index.
    """

    def __init__(self, database: Database, of: str) -> None:
        self._database = database
        self._table = queries if of == "queries" else documents
        self._lock = threading.Lock()
        self._seen: tuple[datetime | None] | None = None
        self._ids: list[str] = []
        self._text = ""
        self._starts: array[int] = array("q")

    def find(self, part: str, *, most: int = 1000) -> list[str]:
        """Return the ids of matching texts, case-insensitive, in the order of ids."""
        wanted = part.casefold().replace(_BREAK, " ").strip()
        if not wanted:
            return []
        with self._lock:
            self._read()
            ids, text, starts = self._ids, self._text, self._starts
        found: list[str] = []
        place = text.find(wanted)
        while place >= 0 and len(found) < most:
            row = bisect_right(starts, place) - 1
            found.append(ids[row])
            after = starts[row + 1] if row + 1 < len(starts) else len(text)
            place = text.find(wanted, after)
        return found

    def _read(self) -> None:
        """Read everything if something has changed."""
        with self._database.reading() as connection:
            newest = connection.scalar(select(func.max(self._table.c.updated_at)))
            if self._seen == (newest,):
                return
            ids: list[str] = []
            starts, end = array("q"), 0
            pieces = []
            for one, text in self._texts(connection):
                piece = text.casefold().replace(_BREAK, " ") + _BREAK
                ids.append(one)
                starts.append(end)
                pieces.append(piece)
                end += len(piece)
        self._seen, self._ids, self._text, self._starts = (newest,), ids, "".join(pieces), starts

    def _texts(self, connection: Connection) -> Iterator[tuple[str, str]]:
        if self._table is queries:
            for row in connection.execute(select(queries).order_by(queries.c.query_id)):
                yield row.query_id, f"{row.content['text']} {row.content.get('description', '')}"
            return
        # A text may have megabytes; the title comes first.
        start = func.substr(type_coerce(documents.c.content, Text), 1, JSON_PREFIX)
        rows = select(documents.c.doc_id, start).where(documents.c.content.is_not(None))
        ordered = rows.order_by(documents.c.doc_id)
        for doc_id, content in connection.execute(ordered, execution_options={"yield_per": 5000}):
            title, _ = beginning_of(content)
            if title:
                yield doc_id, title
