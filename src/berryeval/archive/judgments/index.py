"""Keeps the table of all current judgments in memory, and up to date.

Reading a million judgments takes seconds, so it happens once; afterwards only changes are read. A
table is immutable.
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
from berryeval.archive.judgments.opinions import SETTLED, PairHistory, PlainState, history_of
from berryeval.archive.judgments.rows import IS_CURRENT, IS_STALE
from berryeval.archive.judgments.table import JudgmentTable, narrow
from berryeval.archive.tables import documents, judgments
from berryeval.core.id_column import encode_id

__all__ = ["JudgmentIndex"]

_MAX_CHANGES = 2000
"""With more changes than these, everything is read again."""

_OVERLAP = timedelta(minutes=1)
"""Documents have the time of their write, not of its commit."""

# As text: SQLAlchemy's conversions would take longer than everything else.
_STATES = (
    "j.query_id, j.doc_id, j.author, j.grade, j.source, j.kind, j.revision, j.restores, j.subtopics"
)
_BESIDE = text(
    f"SELECT {_STATES} FROM judgments j"  # noqa: S608 - ours
    " WHERE j.superseded_by IS NOT NULL OR j.kind = 'opinion' ORDER BY j.revision"
)
_CURRENT = text(
    f"SELECT {_STATES}, d.hash IS NOT NULL AND d.hash <> j.document_hash"  # noqa: S608
    " FROM judgments j LEFT JOIN documents d ON d.doc_id = j.doc_id"
    " WHERE j.superseded_by IS NULL AND j.grade IS NOT NULL AND j.kind <> 'opinion'"
    " ORDER BY j.revision"
)


class _Row(NamedTuple):
    query_id: bytes
    doc_id: bytes
    author: str
    grade: float
    source: str | None
    revision: int
    is_stale: bool
    history: PairHistory[PlainState] | None
    """The history of the pair; None if it has only one state."""

    @property
    def opinions(self) -> dict[str, float]:
        """The grades of independent judges."""
        if self.history is not None:
            return self.history.independent
        # The same as in `history_of`, which is too slow for a million rows.
        is_none = self.source == SETTLED or self.grade < 0
        return {} if is_none else {self.author: self.grade}

    @property
    def is_conflict(self) -> bool:
        """Whether judges disagree."""
        return self.history is not None and self.history.is_conflict


class JudgmentIndex:
    """The judgments of an archive as a table in memory."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._table: JudgmentTable | None = None
        self._documents_seen: datetime | None = None

    def table(self) -> JudgmentTable:
        """Return the current judgments; for a million, the first call takes seconds."""
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
    beside = _Beside(names)
    for query_id, doc_id, *state in _streamed(connection, _BESIDE):
        beside.add(bytes(query_id), bytes(doc_id), *state)
    for query_id, doc_id, *state, is_stale in _streamed(connection, _CURRENT):
        pair = (bytes(query_id), bytes(doc_id))
        current = _state(names, *state)
        history = None
        if others := beside.of(*pair):
            history = history_of(sorted((*others, current), key=lambda one: one.revision))
        assert current.grade is not None  # current judgments have one
        yield _Row(
            *pair,
            current.author,
            current.grade,
            current.source,
            current.revision,
            bool(is_stale),
            history,
        )


class _Beside:
    """States besides the current ones, by pair.

    There may be a hundred thousand, which would take more memory as objects than the whole table.
    Few judges give few grades: each state is the number of its content, and its revision.
    """

    def __init__(self, names: _Names) -> None:
        self._names = names
        self._newest: dict[bytes, int] = {}
        self._older, self._contents, self._revisions = array("q"), array("q"), array("q")
        self._numbers: dict[tuple[Any, ...], int] = {}
        self._by_number: list[tuple[Any, ...]] = []

    def add(self, query_id: bytes, doc_id: bytes, *columns: Any) -> None:  # noqa: ANN401 - as `_state`
        """Add a state that is later than those before."""
        author, grade, source, kind, revision, *rest = columns
        content = (author, grade, source, kind, *rest)
        number = self._numbers.setdefault(content, len(self._by_number))
        if number == len(self._by_number):
            self._by_number.append(content)
        key = _key_of(query_id, doc_id)
        self._older.append(self._newest.get(key, -1))
        self._newest[key] = len(self._contents)
        self._contents.append(number)
        self._revisions.append(revision)

    def of(self, query_id: bytes, doc_id: bytes) -> list[PlainState]:
        """Return the states of a pair, newest first."""
        found = []
        place = self._newest.get(_key_of(query_id, doc_id), -1)
        while place >= 0:
            author, grade, source, kind, *rest = self._by_number[self._contents[place]]
            revision = self._revisions[place]
            found.append(_state(self._names, author, grade, source, kind, revision, *rest))
            place = self._older[place]
        return found


def _key_of(query_id: bytes, doc_id: bytes) -> bytes:
    """Return a pair as one object."""
    return b"%d %b%b" % (len(query_id), query_id, doc_id)


def _state(names: _Names, *columns: Any) -> PlainState:  # noqa: ANN401 - as they are stored
    """Return a state of the columns of `_STATES` after the pair."""
    author, grade, source, kind, revision, restores, named = columns
    return PlainState(names[author], grade, names[source], kind, revision, restores, names[named])


def _streamed(connection: Connection, statement: Any) -> Iterator[Any]:  # noqa: ANN401
    options = {"yield_per": 10_000}
    return iter(connection.execute(statement, execution_options=options))


class _Names(dict[Any, Any]):
    """Parsed names and subtopics, by their text: few different texts occur a million times."""

    def __missing__(self, written: str | None) -> Any:  # noqa: ANN401 - any JSON
        self[written] = name = None if written is None else json.loads(written)
        return name


def _table_of(newest: int, rows: Iterable[_Row]) -> JudgmentTable:
    columns = _Columns({}, {}, {})
    for row in rows:
        columns.add(row)
    return columns.table(newest)


class _Columns:
    """Collects rows; known names keep their numbers."""

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
        self.doc_data, self.doc_ends = bytearray(), array("q", [0])
        self.grades = array("d")
        self.revisions = array("q")
        self.stale, self.conflicts = bytearray(), bytearray()
        self.opinions = _SharedOpinions()

    def add(self, row: _Row) -> None:
        self.queries.append(self.query_numbers.setdefault(row.query_id, len(self.query_numbers)))
        self.authors.append(self.author_numbers.setdefault(row.author, len(self.author_numbers)))
        self.sources.append(self.source_numbers.setdefault(row.source, len(self.source_numbers)))
        self.doc_data += row.doc_id
        self.doc_ends.append(len(self.doc_data))
        self.grades.append(row.grade)
        self.revisions.append(row.revision)
        self.stale.append(row.is_stale)
        self.conflicts.append(row.is_conflict)
        if _has_opinions(row):
            self.opinions.add(row.revision, row.opinions)

    def table(self, newest: int) -> JudgmentTable:
        """Return the rows, which are not collected here any more."""
        return JudgmentTable(
            newest=newest,
            query_ids=[*self.query_numbers],
            queries=narrow(self._taken("queries")),
            doc_data=bytes(self._taken("doc_data")),
            doc_ends=narrow(self._taken("doc_ends")),
            grades=np.array(self._taken("grades"), dtype=np.float64),
            author_names=[*self.author_numbers],
            authors=narrow(self._taken("authors")),
            source_names=[*self.source_numbers],
            sources=narrow(self._taken("sources")),
            revisions=narrow(self._taken("revisions")),
            stale=np.array(self._taken("stale"), dtype=bool),
            conflicts=np.array(self._taken("conflicts"), dtype=bool),
            opinions=self.opinions.by_revision,
        )

    def _taken(self, name: str) -> Any:  # noqa: ANN401 - a column
        """Return a column and drop it: a million rows are in memory twice only one at a time."""
        return self.__dict__.pop(name)


class _SharedOpinions:
    """Opinions by revision, where equal ones are the same object.

    Few judges give few grades, and a dictionary for each pair takes as much memory as all columns.
    """

    def __init__(self) -> None:
        self.by_revision: dict[int, Mapping[str, float]] = {}
        self._known: dict[tuple[tuple[str, float], ...], Mapping[str, float]] = {}

    def add(self, revision: int, opinions: Mapping[str, float]) -> None:
        self.by_revision[revision] = self._known.setdefault((*opinions.items(),), opinions)


def _with_changes(
    connection: Connection, table: JudgmentTable, newest: int
) -> JudgmentTable | None:
    """Return the table with later changes applied; None if there are too many."""
    c = judgments.c
    # With DISTINCT, SQLite would scan all pairs.
    pairs = (
        select(c.query_id, c.doc_id)
        .where(c.revision > table.newest)
        .order_by(c.revision)
        .limit(_MAX_CHANGES + 1)
    )
    changed = connection.execute(pairs).all()
    if len(changed) > _MAX_CHANGES:
        return None
    replaced: list[int] = []
    columns = _Columns(
        {query_id: number for number, query_id in enumerate(table.query_ids)},
        {name: number for number, name in enumerate(table.author_names)},
        {name: number for number, name in enumerate(table.source_names)},
    )
    new: list[_Row] = []
    kept: list[_Row] = []
    for query_id, doc_id in dict.fromkeys(map(tuple, changed)):
        states = connection.execute(
            _HISTORY.where(c.query_id == query_id, c.doc_id == doc_id)
        ).all()
        replaced += [state.revision for state in states if state.superseded_by is not None]
        last = next((one for one in reversed(states) if one.kind != "opinion"), None)
        if last is None or last.grade is None:
            replaced += [state.revision for state in states]
            continue
        history = history_of(PlainState(*state[:7]) for state in states)
        row = _Row(encode_id(query_id), encode_id(doc_id), last.author, last.grade, last.source,
                   last.revision, bool(last.is_stale), history)  # fmt: skip
        # If only opinions were added, the judgment keeps its place.
        (new if last.revision > table.newest else kept).append(row)
    table = _with_opinions(table, kept)
    if not new and not len(table.rows_of(replaced)):
        return replace(table, newest=newest)
    for row in sorted(new, key=lambda row: row.revision):
        columns.add(row)
    return _joined(table, replaced, columns.table(newest))


def _with_opinions(table: JudgmentTable, rows: Iterable[_Row]) -> JudgmentTable:
    """Return a table with changed opinions of some of its judgments."""
    found = {row.revision: row for row in rows}
    places = table.rows_of(found)
    revisions = table.revisions[places].tolist()
    conflicts = table.conflicts.copy()
    conflicts[places] = [found[revision].is_conflict for revision in revisions]
    opinions = {at: known for at, known in table.opinions.items() if at not in found}
    opinions |= {at: row.opinions for at, row in found.items() if _has_opinions(row)}
    return replace(table, conflicts=conflicts, opinions=opinions)


def _has_opinions(row: _Row) -> bool:
    """Whether opinions are other than the judgment itself."""
    return row.opinions != {row.author: row.grade}


_HISTORY = (
    select(
        judgments.c.author, judgments.c.grade, judgments.c.source, judgments.c.kind,
        judgments.c.revision, judgments.c.restores, judgments.c.subtopics,
        judgments.c.superseded_by,
        IS_STALE.label("is_stale"),
    )
    .outerjoin(documents, documents.c.doc_id == judgments.c.doc_id)
    .order_by(judgments.c.revision)
)  # fmt: skip


def _joined(table: JudgmentTable, replaced: list[int], new: JudgmentTable) -> JudgmentTable:
    """Return a table without some revisions, and with new rows appended."""
    gone = set(replaced)
    rows = table.rows_of(replaced)
    kept = np.ones(len(table), dtype=bool)
    kept[rows] = False
    lengths = np.diff(table.doc_ends)[kept]
    ends = np.cumsum(lengths, dtype=np.int64)
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
    opinions = {at: one for at, one in table.opinions.items() if at not in gone}
    return replace(
        new,
        doc_data=doc_data + new.doc_data,
        doc_ends=narrow(np.concatenate([[0], ends, new.doc_ends[1:] + np.int64(len(doc_data))])),
        opinions=opinions | dict(new.opinions),
        **columns,
    )


def _with_stale(
    connection: Connection, table: JudgmentTable, since: datetime | None
) -> JudgmentTable | None:
    """Return the table with judgments of changed documents marked stale; None if too many."""
    rows = (
        select(judgments.c.revision, func.coalesce(IS_STALE, False).label("is_stale"))
        .join(documents, documents.c.doc_id == judgments.c.doc_id)
        .where(IS_CURRENT)
        .limit(_MAX_CHANGES + 1)
    )
    if since is not None:
        rows = rows.where(and_(documents.c.updated_at >= since - _OVERLAP))
    found = connection.execute(rows).all()
    if len(found) > _MAX_CHANGES:
        return None
    stale = table.stale.copy()
    is_stale = {row.revision: bool(row.is_stale) for row in found}
    rows_found = table.rows_of(is_stale)
    stale[rows_found] = [is_stale[revision] for revision in table.revisions[rows_found].tolist()]
    return replace(table, stale=stale)
