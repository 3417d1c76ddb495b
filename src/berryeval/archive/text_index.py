"""Finds queries by their texts and documents by their titles, in memory.

A document is stored as the JSON of its title and text, in ASCII. It may be a book, and a ranking
shows the beginnings of fifty: only the first characters of the JSON are read, and the truncated
string is closed.
"""

from __future__ import annotations

import io
import json
import threading
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from json.decoder import scanstring  # type: ignore[attr-defined]  # public, but not typed

from sqlalchemy import Connection, Text, func, select, type_coerce

from berryeval.archive.database import Database
from berryeval.archive.tables import documents, queries
from berryeval.core.id_column import IdColumn, encode_id

__all__ = ["JSON_PREFIX", "TextIndex", "beginning_of", "title_of"]

JSON_PREFIX = 2_000
"""Characters of the JSON that are read per document."""

_TITLE = '{"title":"'
_TEXT = ',"text":"'
_LONGEST_ESCAPE = len(r"\u0000")
_BREAK = "\n"


def beginning_of(prefix: str) -> tuple[str, str]:
    """Return title and text from the first characters of their JSON."""
    if not prefix.startswith(_TITLE):
        return "", ""
    title, end = _title(prefix)
    if not prefix.startswith(_TEXT, end):
        return title, ""
    return title, _string(prefix, end + len(_TEXT))[0]


def title_of(prefix: str) -> str:
    """Return the title alone from the first characters of the JSON."""
    return _title(prefix)[0] if prefix.startswith(_TITLE) else ""


def _title(prefix: str) -> tuple[str, int]:
    return _string(prefix, len(_TITLE))


def _string(prefix: str, start: int) -> tuple[str, int]:
    """Return the string at a position, and its end."""
    with suppress(json.JSONDecodeError):
        return _scan(prefix, start)
    for cut in range(_LONGEST_ESCAPE):
        with suppress(json.JSONDecodeError):
            found = _scan(prefix[: len(prefix) - cut] + '"', start)[0]
            # A surrogate pair may be cut in the middle.
            return found[:-1] if "\ud800" <= found[-1:] <= "\udbff" else found, len(prefix)
    return "", len(prefix)


def _scan(text: str, start: int) -> tuple[str, int]:
    found: tuple[str, int] = scanstring(text, start)
    return found


class TextIndex:
    """The texts of queries, or the titles of documents, with their ids."""

    def __init__(self, database: Database, of: str) -> None:
        self._database = database
        self._table = queries if of == "queries" else documents
        self._lock = threading.Lock()
        self._seen: tuple[datetime | None] | None = None
        self._ids = IdColumn.of(())  # a hundred thousand as objects take as much as all judgments
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
            ids, id_ends = io.BytesIO(), array("Q", [0])
            texts, starts, end = io.StringIO(), array("q"), 0
            for one, text in self._texts(connection):
                piece = text.casefold().replace(_BREAK, " ") + _BREAK
                ids.write(encode_id(one))
                id_ends.append(ids.tell())
                starts.append(end)
                texts.write(piece)
                end += len(piece)
        self._ids, self._text = IdColumn(ids.getvalue(), id_ends), texts.getvalue()
        self._seen, self._starts = (newest,), starts

    def _texts(self, connection: Connection) -> Iterator[tuple[str, str]]:
        if self._table is queries:
            for row in connection.execute(select(queries).order_by(queries.c.query_id)):
                yield row.query_id, f"{row.content['text']} {row.content.get('description', '')}"
            return
        # A text may have megabytes; the title comes first.
        start = func.substr(type_coerce(documents.c.content, Text), 1, JSON_PREFIX)
        rows = select(documents.c.doc_id, start).where(documents.c.content.is_not(None))
        ordered = rows.order_by(documents.c.doc_id)
        for doc_id, content in connection.execute(ordered, execution_options={"yield_per": 500}):
            title = title_of(content)
            if title:
                yield doc_id, title
