"""The documents of embedded stores, in one SQLite file.

A write is on disk when it returns, completely or not at all. Search indexes are built from these
documents, so losing one costs only time.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from berryeval.archive.location import create_private_file
from berryeval.core.documents import Document
from berryeval.core.id_column import decode_id, encode_id
from berryeval.errors import ArchiveError, ConflictError, NotFoundError

__all__ = ["StoreFacts", "StoredDocuments"]

_LAYOUT = 1
_SECONDS_TO_WAIT = 10.0  # for other writers
_AT_ONCE = 500  # SQLite supports at least 999 parameters per statement

_TABLES = """
CREATE TABLE IF NOT EXISTS stores (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    settings TEXT NOT NULL,
    version INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS documents (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    store INTEGER NOT NULL REFERENCES stores (number) ON DELETE CASCADE,
    doc_id BLOB NOT NULL,
    title BLOB NOT NULL,
    text BLOB NOT NULL,
    UNIQUE (store, doc_id)
);
"""


@dataclass(frozen=True)
class StoreFacts:
    """The record of an embedded store."""

    number: int
    """Never reused, not even for a store of the same name."""
    name: str
    kind: str
    settings: Mapping[str, Any]
    version: int
    """Incremented by every change of its documents."""
    n_documents: int


class StoredDocuments:
    """Stores and their documents. Several threads and processes may share the file.

    Parameters
    ----------
    path : Path
        The file, created with its folder on the first write.

    Raises
    ------
    ArchiveError
        From every method, if the file cannot be opened, written or understood.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._opened: sqlite3.Connection | None = None

    def create(self, name: str, kind: str, settings: Mapping[str, Any]) -> bool:
        """Create a store without documents; return whether it is new.

        Raises
        ------
        ConflictError
            If it exists with another kind or other settings.
        """
        text = json.dumps(settings, sort_keys=True)
        with self._writing() as database:
            found = database.execute(
                "SELECT kind, settings FROM stores WHERE name = ?", (name,)
            ).fetchone()
            if found is None:
                database.execute(
                    "INSERT INTO stores (name, kind, settings) VALUES (?, ?, ?)", (name, kind, text)
                )
            elif found != (kind, text):
                raise ConflictError(f"store {name!r}", f"{kind} {text}", f"{found[0]} {found[1]}")
        return found is None

    def create_if_missing(self, name: str, kind: str) -> None:
        """Create a store without documents or settings, unless it exists."""
        with self._writing() as database:
            database.execute(
                "INSERT INTO stores (name, kind, settings) VALUES (?, ?, '{}') "
                "ON CONFLICT (name) DO NOTHING",
                (name, kind),
            )

    def remove(self, name: str) -> None:
        """Remove a store with its documents.

        Raises
        ------
        NotFoundError
            If there is none.
        """
        with self._writing() as database:
            if database.execute("DELETE FROM stores WHERE name = ?", (name,)).rowcount == 0:
                raise NotFoundError("store", name)

    def find(self, name: str) -> StoreFacts | None:
        """Return the record of a store; None if there is none."""
        rows = self._read(_FACTS.format(where="WHERE name = ?"), (name,))
        return _facts(rows[0]) if rows else None

    def all(self) -> list[StoreFacts]:
        """Return the records of all stores, by name."""
        return [_facts(row) for row in self._read(_FACTS.format(where="ORDER BY name"))]

    def put(self, name: str, documents: Iterable[Document]) -> int:
        """Add documents, or replace those with the same id; return their number.

        Raises
        ------
        NotFoundError
            If there is no such store.
        ArgumentError
            For text that UTF-8 cannot encode.
        """
        rows = [
            (encode_id(one.doc_id), encode_id(one.title), encode_id(one.text)) for one in documents
        ]
        with self._writing() as database:
            number = _changed(database, name)
            database.executemany(
                "INSERT INTO documents (store, doc_id, title, text) VALUES (?, ?, ?, ?) "
                "ON CONFLICT (store, doc_id) DO UPDATE SET title = excluded.title, "
                "text = excluded.text",
                [(number, *row) for row in rows],
            )
        return len(rows)

    def discard(self, name: str, doc_id: str) -> bool:
        """Remove a document; return whether it was there.

        Raises
        ------
        NotFoundError
            If there is no such store.
        """
        with self._writing() as database:
            number = _changed(database, name)
            removed = database.execute(
                "DELETE FROM documents WHERE store = ? AND doc_id = ?", (number, encode_id(doc_id))
            ).rowcount
        return removed > 0

    def read(self, store: StoreFacts) -> list[Document]:
        """Return all documents of a store, in the order in which they first came."""
        rows = self._read(
            "SELECT doc_id, title, text FROM documents WHERE store = ? ORDER BY number",
            (store.number,),
        )
        return [_document(*row) for row in rows]

    def ids(self, store: StoreFacts) -> list[str]:
        """Return the ids of all documents of a store, in the order in which they first came."""
        rows = self._read(
            "SELECT doc_id FROM documents WHERE store = ? ORDER BY number", (store.number,)
        )
        return [decode_id(doc_id) for (doc_id,) in rows]

    def get(self, store: StoreFacts, doc_ids: Sequence[str]) -> dict[str, Document]:
        """Return the existing documents among the ids, by id."""
        found: dict[str, Document] = {}
        for start in range(0, len(doc_ids), _AT_ONCE):
            some = [encode_id(doc_id) for doc_id in doc_ids[start : start + _AT_ONCE]]
            marks = ", ".join("?" * len(some))
            rows = self._read(
                "SELECT doc_id, title, text FROM documents "  # noqa: S608 - marks
                f"WHERE store = ? AND doc_id IN ({marks})",
                (store.number, *some),
            )
            found.update((document.doc_id, document) for document in (_document(*r) for r in rows))
        return found

    def page(self, store: StoreFacts, after: str | None, limit: int) -> list[Document]:
        """Return up to `limit` documents after the id `after`, in the order of bytes."""
        rows = self._read(
            "SELECT doc_id, title, text FROM documents WHERE store = ? AND doc_id > ? "
            "ORDER BY doc_id LIMIT ?",
            (store.number, encode_id(after or ""), limit),
        )
        return [_document(*row) for row in rows]

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._opened is not None:
                self._opened.close()
                self._opened = None

    def _read(self, statement: str, values: Sequence[object] = ()) -> list[Any]:
        with self._errors_mapped(), self._turn():
            if self._opened is None and not self._path.exists():
                return []  # nothing was written yet, and reading creates no files
            return self._database().execute(statement, values).fetchall()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Commit the changes of the block, or roll them back."""
        with self._errors_mapped(), self._turn():
            database = self._database()
            database.execute("BEGIN IMMEDIATE")
            try:
                yield database
                database.execute("COMMIT")
            except BaseException:
                if database.in_transaction:
                    database.execute("ROLLBACK")
                raise

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Wait for other threads, not longer than SQLite waits for other processes."""
        if not self._lock.acquire(timeout=_SECONDS_TO_WAIT):
            message = f"other writers have blocked it for {_SECONDS_TO_WAIT:g} seconds; try again"
            raise ArchiveError(str(self._path), message, transient=True)
        try:
            yield
        finally:
            self._lock.release()

    def _database(self) -> sqlite3.Connection:
        if self._opened is None:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            create_private_file(self._path)
            database = sqlite3.connect(
                self._path,
                timeout=_SECONDS_TO_WAIT,
                check_same_thread=False,
                isolation_level=None,
            )
            try:
                self._prepare(database)
            except BaseException:
                database.close()
                raise
            self._opened = database
        return self._opened

    def _prepare(self, database: sqlite3.Connection) -> None:
        for setting in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
            database.execute(f"PRAGMA {setting}")
        (layout,) = database.execute("PRAGMA user_version").fetchone()
        if layout > _LAYOUT:
            message = f"expected layout {_LAYOUT}, found {layout}; use a newer BerryEval"
            raise ArchiveError(str(self._path), message)
        if layout < _LAYOUT:
            database.executescript(
                f"BEGIN IMMEDIATE; {_TABLES} PRAGMA user_version = {_LAYOUT}; COMMIT;"
            )

    @contextmanager
    def _errors_mapped(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            is_busy = "locked" in str(error)
            raise ArchiveError(str(self._path), str(error), transient=is_busy) from error


_FACTS = (
    "SELECT number, name, kind, settings, version, "
    "(SELECT count(*) FROM documents WHERE store = stores.number) FROM stores {where}"
)


def _changed(database: sqlite3.Connection, name: str) -> int:
    """Increment the version of a store, and return its number."""
    database.execute("UPDATE stores SET version = version + 1 WHERE name = ?", (name,))
    found = database.execute("SELECT number FROM stores WHERE name = ?", (name,)).fetchone()
    if found is None:
        raise NotFoundError("store", name)
    number: int = found[0]
    return number


def _facts(row: tuple[int, str, str, str, int, int]) -> StoreFacts:
    number, name, kind, settings, version, n_documents = row
    return StoreFacts(number, name, kind, json.loads(settings), version, n_documents)


def _document(doc_id: bytes, title: bytes, text: bytes) -> Document:
    return Document(decode_id(doc_id), decode_id(text), decode_id(title))
