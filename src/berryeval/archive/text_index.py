"""Finds queries by their texts and documents by their titles, in memory."""

from __future__ import annotations

import json
import threading
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Text, func, select, type_coerce

from berryeval.archive.batches import batches_of
from berryeval.archive.database import Database
from berryeval.archive.tables import documents, queries

__all__ = ["TextIndex", "titles_of"]

_LONGEST_TITLE = 1000
_LONGEST_ESCAPE = 6
_BREAK = "\n"


class TextIndex:
    """The texts of queries, or the titles of documents, and the ids that they belong to.

    Parameters
    ----------
    database : Database
        Where they are.
    of : {"queries", "documents"}
        Whose.
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
        """Return the ids of those whose text has a part in any case, in the order of ids."""
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
        rows = select(documents.c.doc_id, _BEGINNING).order_by(documents.c.doc_id)
        for doc_id, beginning in connection.execute(rows, execution_options={"yield_per": 5000}):
            title = _title(beginning)
            if title:
                yield doc_id, title


# A text may have megabytes; its title comes first.
_BEGINNING = func.substr(type_coerce(documents.c.content, Text), 1, 6 * _LONGEST_TITLE)
_KEY = '{"title":'


def titles_of(database: Database, doc_ids: Iterable[str]) -> dict[str, str]:
    """Return the titles of documents that have one, by id; without reading their texts."""
    found: dict[str, str] = {}
    with database.reading() as connection:
        for some in batches_of(doc_ids):
            rows = select(documents.c.doc_id, _BEGINNING).where(documents.c.doc_id.in_(some))
            for doc_id, beginning in connection.execute(rows):
                title = _title(beginning)
                if title:
                    found[doc_id] = title
    return found


def _title(beginning: str | None) -> str:
    """Read the title from the beginning of a document's content; the start of a very long one."""
    if beginning is None or not beginning.startswith(_KEY):
        return ""
    written = beginning[len(_KEY) :]
    try:
        title: Any = json.JSONDecoder().raw_decode(written)[0]
    except ValueError:
        title = _cut(written)
    return title if isinstance(title, str) else ""


def _cut(written: str) -> str:
    """Read a text that was cut, and maybe within an escape."""
    for end in range(len(written), len(written) - _LONGEST_ESCAPE, -1):
        try:
            found: str = json.loads(f'{written[:end]}"')
        except ValueError:
            continue
        return found
    raise AssertionError("an escape is shorter")
