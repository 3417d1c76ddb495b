"""Keeps the table of all current judgments in memory, and up to date.

Reading a million judgments takes seconds, so that it happens once; afterwards only what has
changed is read. A table never changes under somebody who looks at it.
"""

from __future__ import annotations

import json
import threading
from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import Connection, and_, func, select, text

from berryeval.archive.database import Database
from berryeval.archive.judgment_rows import IS_CURRENT, IS_STALE
from berryeval.archive.judgment_table import JudgmentTable
from berryeval.archive.opinions import Said, is_conflict, opinions_of
from berryeval.archive.tables import documents, judgments
from berryeval.core.id_column import encode_id

__all__ = ["JudgmentIndex"]

_MOST_CHANGES = 2000
"""More than these are not looked up one by one: everything is read again."""

_OVERLAP = timedelta(minutes=1)
"""Documents carry the time at which a transaction wrote them, not that of its end."""

# As text: what SQLAlchemy makes of each value would take longer than everything else.
_EARLIER = text(
    "SELECT query_id, doc_id, author, grade, source FROM judgments"
    " WHERE superseded_by IS NOT NULL ORDER BY revision"
)
_CURRENT = text(
    "SELECT j.query_id, j.doc_id, j.author, j.grade, j.source, j.revision,"
    " d.hash IS NOT NULL AND d.hash <> j.document_hash"
    " FROM judgments j LEFT JOIN documents d ON d.doc_id = j.doc_id"
    " WHERE j.superseded_by IS NULL AND j.grade IS NOT NULL ORDER BY j.revision"
)


class _Row(NamedTuple):
    query_id: bytes
    doc_id: bytes
    author: str
    grade: float
    source: str | None
    revision: int
    is_stale: bool
    opinions: dict[str, float]


class JudgmentIndex:
    """The judgments of an archive as a table in memory."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._table: JudgmentTable | None = None
        self._documents_seen: datetime | None = None

    def table(self) -> JudgmentTable:
        """Return the judgments as they are now; the first time takes seconds for a million."""
        with self._lock:
            with self._database.reading(repeatable=True) as connection:
                newest = int(connection.scalar(select(func.max(judgments.c.revision))) or 0)
                changed = connection.scalar(select(func.max(documents.c.updated_at)))
                table = self._table
                if table is not None and table.newest != newest:
                    table = _with_changes(connection, table, newest)
                if table is not None and changed != self._documents_seen:
                    table = _with_stale(connection, table, self._documents_seen)
                if table is None:
                    table = _table_of(newest, _read_all(connection))
            self._table, self._documents_seen = table, changed
            return table


def _read_all(connection: Connection) -> Iterator[_Row]:
    names = _Names()
    earlier: dict[tuple[bytes, bytes], list[Said]] = {}
    for query_id, doc_id, author, grade, source in _streamed(connection, _EARLIER):
        state = Said(names[author], grade, names[source])
        earlier.setdefault((bytes(query_id), bytes(doc_id)), []).append(state)
    for query_id, doc_id, author, grade, source, *rest in _streamed(connection, _CURRENT):
        pair = (bytes(query_id), bytes(doc_id))
        said = Said(names[author], grade, names[source])
        states = (*earlier[pair], said) if pair in earlier else (said,)
        yield _Row(*pair, said.author, grade, said.source, rest[0], bool(rest[1]),
                   opinions_of(states))  # fmt: skip


def _streamed(connection: Connection, statement: Any) -> Iterator[Any]:  # noqa: ANN401
    options = {"yield_per": 10_000}
    return iter(connection.execute(statement, execution_options=options))


class _Names(dict[Any, Any]):
    """What the texts of names mean; few names come a million times."""

    def __missing__(self, written: str | None) -> str | None:
        self[written] = name = None if written is None else json.loads(written)
        return name


def _table_of(newest: int, rows: Iterable[_Row]) -> JudgmentTable:
    columns = _Columns({}, {}, {})
    for row in rows:
        columns.add(row)
    return columns.table(newest)


class _Columns:
    """Collects rows; names that are known keep their numbers."""

    def __init__(
        self,
        queries: Mapping[bytes, int],
        authors: Mapping[str, int],
        sources: Mapping[str | None, int],
    ) -> None:
        self.query_numbers = dict(queries)
        self.author_numbers = dict(authors)
        self.source_numbers = dict(sources)
        self.queries, self.authors, self.sources = array("i"), array("i"), array("i")
        self.doc_ids: list[bytes] = []
        self.grades = array("d")
        self.revisions = array("q")
        self.stale, self.conflicts = bytearray(), bytearray()
        self.opinions: dict[int, Mapping[str, float]] = {}

    def add(self, row: _Row) -> None:
        self.queries.append(self.query_numbers.setdefault(row.query_id, len(self.query_numbers)))
        self.authors.append(self.author_numbers.setdefault(row.author, len(self.author_numbers)))
        self.sources.append(self.source_numbers.setdefault(row.source, len(self.source_numbers)))
        self.doc_ids.append(row.doc_id)
        self.grades.append(row.grade)
        self.revisions.append(row.revision)
        self.stale.append(row.is_stale)
        self.conflicts.append(is_conflict(row.opinions, row.source))
        if row.opinions != {row.author: row.grade}:
            self.opinions[row.revision] = row.opinions

    def table(self, newest: int) -> JudgmentTable:
        ends = np.cumsum([0, *map(len, self.doc_ids)], dtype=np.int64)
        return JudgmentTable(
            newest=newest,
            query_ids=[*self.query_numbers],
            queries=np.array(self.queries, dtype=np.int32),
            doc_data=b"".join(self.doc_ids),
            doc_ends=ends,
            grades=np.array(self.grades, dtype=np.float64),
            author_names=[*self.author_numbers],
            authors=np.array(self.authors, dtype=np.int32),
            source_names=[*self.source_numbers],
            sources=np.array(self.sources, dtype=np.int32),
            revisions=np.array(self.revisions, dtype=np.int64),
            stale=np.array(self.stale, dtype=bool),
            conflicts=np.array(self.conflicts, dtype=bool),
            opinions=self.opinions,
        )


def _with_changes(
    connection: Connection, table: JudgmentTable, newest: int
) -> JudgmentTable | None:
    """Return the table with what has changed since; None if that is too much."""
    c = judgments.c
    pairs = (
        select(c.query_id, c.doc_id)
        .where(c.revision > table.newest)
        .distinct()
        .limit(_MOST_CHANGES + 1)
    )
    changed = connection.execute(pairs).all()
    if len(changed) > _MOST_CHANGES:
        return None
    replaced: list[int] = []
    columns = _Columns(
        {query_id: number for number, query_id in enumerate(table.query_ids)},
        {name: number for number, name in enumerate(table.author_names)},
        {name: number for number, name in enumerate(table.source_names)},
    )
    found = []
    for query_id, doc_id in changed:
        states = connection.execute(_HISTORY.where(c.query_id == query_id, c.doc_id == doc_id))
        history = states.all()
        replaced += [state.revision for state in history[:-1]]
        last = history[-1]
        if last.grade is not None:
            said = (Said(state.author, state.grade, state.source) for state in history)
            found.append(
                _Row(encode_id(query_id), encode_id(doc_id), last.author, last.grade, last.source,
                     last.revision, bool(last.is_stale), opinions_of(said))
            )  # fmt: skip
        else:
            replaced.append(last.revision)
    for row in sorted(found, key=lambda row: row.revision):
        columns.add(row)
    return _joined(table, replaced, columns.table(newest))


_HISTORY = (
    select(
        judgments.c.author, judgments.c.grade, judgments.c.source, judgments.c.revision,
        IS_STALE.label("is_stale"),
    )
    .outerjoin(documents, documents.c.doc_id == judgments.c.doc_id)
    .order_by(judgments.c.revision)
)  # fmt: skip


def _joined(table: JudgmentTable, replaced: list[int], new: JudgmentTable) -> JudgmentTable:
    """Return a table without some revisions, and with new rows behind all others."""
    gone = set(replaced)
    rows = table.rows_of(replaced)
    kept = np.ones(len(table), dtype=bool)
    kept[rows] = False
    ends = np.concatenate([[0], np.cumsum(np.diff(table.doc_ends)[kept])])
    doc_data = b"".join(
        table.doc_data[start:end]
        for start, end in zip(
            [0, *table.doc_ends[rows + 1].tolist()],
            [*table.doc_ends[rows].tolist(), len(table.doc_data)],
            strict=True,
        )
    )
    columns: dict[str, Any] = {
        name: np.concatenate([getattr(table, name)[kept], getattr(new, name)])
        for name in ("queries", "grades", "authors", "sources", "revisions", "stale", "conflicts")
    }
    opinions = {at: said for at, said in table.opinions.items() if at not in gone}
    return replace(
        new,
        doc_data=doc_data + new.doc_data,
        doc_ends=np.concatenate([ends, new.doc_ends[1:] + len(doc_data)]),
        opinions=opinions | dict(new.opinions),
        **columns,
    )


def _with_stale(
    connection: Connection, table: JudgmentTable, since: datetime | None
) -> JudgmentTable | None:
    """Return the table with judgments of changed documents stale; None if these are too many."""
    rows = (
        select(judgments.c.revision, func.coalesce(IS_STALE, False).label("is_stale"))
        .join(documents, documents.c.doc_id == judgments.c.doc_id)
        .where(IS_CURRENT)
        .limit(_MOST_CHANGES + 1)
    )
    if since is not None:
        rows = rows.where(and_(documents.c.updated_at >= since - _OVERLAP))
    found = connection.execute(rows).all()
    if len(found) > _MOST_CHANGES:
        return None
    stale = table.stale.copy()
    is_stale = {row.revision: bool(row.is_stale) for row in found}
    rows_found = table.rows_of(is_stale)
    stale[rows_found] = [is_stale[revision] for revision in table.revisions[rows_found].tolist()]
    return replace(table, stale=stale)
