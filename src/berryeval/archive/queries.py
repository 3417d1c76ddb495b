"""The queries of an archive."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, Text, delete, extract, func, or_, select, type_coerce

from berryeval.archive.checks import check_id
from berryeval.archive.clock import moment_after
from berryeval.archive.database import Database, batches_of
from berryeval.archive.paging import ArchivePart
from berryeval.archive.records import Check, Page
from berryeval.archive.tables import queries
from berryeval.archive.text_index import TextIndex
from berryeval.core.query import Query, check_strata
from berryeval.errors import InputTypeError

__all__ = ["ArchivedQueries", "check_groups", "content_of", "query_of"]

_LABELS = ("category", "difficulty", "description", "group", "stratum")

# Every change of a query changes one of these; the sum reveals backdated changes.
_STAMP = select(
    func.count(), func.max(queries.c.updated_at), func.sum(extract("epoch", queries.c.updated_at))
)


_TRUSTED_SECONDS = 1.0
_FEW_GROUPS = 20  # more are filtered in Python


class AllQueries(NamedTuple):
    """A snapshot of all queries."""

    stamp: tuple[Any, ...]
    """A stamp that changes whenever a query is written or removed."""
    queries: Mapping[str, Query]
    """Queries by id."""
    sampling: str
    """The hash of their weights, groups and strata; empty if no query has any."""


class ArchivedQueries(ArchivePart):
    """Queries with their texts and labels, by id."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._texts = TextIndex(database, "queries")
        self._all: AllQueries | None = None
        self._trusted_until = 0.0
        self.n_writes = 0
        """The number of writes and removals by this object."""

    def put(self, wanted: Iterable[Query], *, check: Check[Query] | None = None) -> int:
        """Write queries, all or none; existing ones are replaced.

        Parameters
        ----------
        check : callable, optional
            Called with the current state, or None, in the same transaction. If it raises, nothing
            is changed.

        Returns
        -------
        int
            The number of new or changed queries.

        Raises
        ------
        ArgumentError
            For a group in two strata. Write all queries of a group at once to move it to another
            stratum.
        """
        contents = {check_id(query.query_id, "query_id"): content_of(query) for query in wanted}
        groups = {content["group"] for content in contents.values() if "group" in content}
        n_changed = 0
        with self._database.writing(alone="queries") as connection:
            moment = moment_after(connection, queries.c.updated_at)
            for query_ids in batches_of(contents):
                kept = select(queries).where(queries.c.query_id.in_(query_ids))
                before = {row.query_id: _query(row) for row in connection.execute(kept)}
                if check is not None:
                    for query_id in query_ids:
                        check(before.get(query_id))
                rows = [
                    {"query_id": query_id, "content": contents[query_id], "updated_at": moment}
                    for query_id in query_ids
                    if query_id not in before or content_of(before[query_id]) != contents[query_id]
                ]
                self._database.upsert(connection, queries, "query_id", rows)
                n_changed += len(rows)
            check_groups(connection, groups)
        self._note_write()
        return n_changed

    def _note_write(self) -> None:
        self._trusted_until = 0.0
        self.n_writes += 1

    def get(self, query_id: str) -> Query | None:
        """Return a query; None if it does not exist."""
        check_id(query_id, "query_id")
        with self._database.reading() as connection:
            return _get(connection, query_id)

    def some(self, query_ids: Iterable[str]) -> dict[str, Query]:
        """Return the existing queries among the ids, by id."""
        found: dict[str, Query] = {}
        with self._database.reading() as connection:
            for batch in batches_of(query_ids):
                rows = select(queries).where(queries.c.query_id.in_(batch))
                found |= {row.query_id: _query(row) for row in connection.execute(rows)}
        return found

    def find(self, part: str, *, most: int = 1000) -> list[str]:
        """Return the ids of queries whose text or description contains a text, case-insensitive."""
        return self._texts.find(part, most=most)

    def page(self, *, after: str | None = None, limit: int = 100) -> Page[Query]:
        """Return queries in the order of their ids' bytes."""
        return self._page(select(queries), (queries.c.query_id,), _query, after=after, limit=limit)

    def all(self) -> Mapping[str, Query]:
        """Return every query by id; reread only after a change."""
        return self.snapshot().queries

    def snapshot(self) -> AllQueries:
        """Return every query, and their stamp; reread only after a change."""
        with self._database.reading(repeatable=True) as connection:
            stamp = tuple(connection.execute(_STAMP).one())
            known = self._all
            if known is None or known.stamp != stamp:
                rows = connection.execute(select(queries).order_by(queries.c.query_id))
                found = {row.query_id: _query(row) for row in rows}
                known = AllQueries(stamp, MappingProxyType(found), _sampling_of(found))
                self._all = known
        self._trusted_until = time.monotonic() + _TRUSTED_SECONDS
        return known

    def sampling(self) -> str:
        """Return the hash of weights, groups and strata; empty if no query has any.

        It is fast. Writes of other processes are seen within a second.
        """
        if self._all is None or time.monotonic() >= self._trusted_until:
            self.all()
        assert self._all is not None
        return self._all.sampling

    def invalidate(self) -> None:
        """Let the next call see everything that other processes have written."""
        self._trusted_until = 0.0

    def stamp(self) -> tuple[Any, ...]:
        """Return a stamp that changes whenever a query is written or removed."""
        with self._database.reading() as connection:
            return tuple(connection.execute(_STAMP).one())

    def remove(self, query_id: str, *, check: Check[Query] | None = None) -> bool:
        """Remove a query but not its judgments; return whether it existed. `check` as for `put`."""
        row = delete(queries).where(queries.c.query_id == check_id(query_id, "query_id"))
        with self._database.writing(alone="queries") as connection:
            if check is not None:
                check(_get(connection, query_id))
            is_removed = connection.execute(row).rowcount > 0
        self._note_write()
        return is_removed


def check_groups(connection: Connection, groups: Collection[str] | None = None) -> None:
    """Raise if one of these groups, or any group, is in two strata."""
    if groups is not None and not groups:
        return
    marks = ['"group":']
    if groups is not None and len(groups) <= _FEW_GROUPS:
        marks = [f'"group":{json.dumps(group)}' for group in sorted(groups)]
    content = type_coerce(queries.c.content, Text)  # JSON, without spaces
    having = or_(*(content.contains(mark, autoescape=True) for mark in marks))
    rows = connection.execute(select(queries).where(having).order_by(queries.c.query_id))
    check_strata(map(_query, rows))


def _sampling_of(found: Mapping[str, Query]) -> str:
    """Return a hash of the weights, groups and strata of queries; empty if none has any."""
    known = ((one.query_id, one.weight, one.group, one.stratum) for one in found.values())
    rows = [row for row in known if row[1:] != (None, None, None)]
    return hashlib.sha256(json.dumps(rows).encode()).hexdigest() if rows else ""


def content_of(query: Query) -> dict[str, Any]:
    """Return the stored part of a query, without its id, as JSON."""
    content: dict[str, Any] = {"text": query.text}
    content |= {
        label: getattr(query, label) for label in _LABELS if getattr(query, label) is not None
    }
    if query.tags:
        content["tags"] = list(query.tags)
    for label, value in content.items():
        for text in value if label == "tags" else (value,):
            if not isinstance(text, str):
                raise InputTypeError(f"{query.query_id}: {label}", "a str", type(text).__name__)
    if query.weight is not None:
        content["weight"] = query.weight
    if query.turn is not None:
        content["turn"] = query.turn
    return content


def query_of(query_id: str, content: Mapping[str, Any]) -> Query:
    """Return the query of an id and its stored part."""
    return Query(query_id, **dict(content) | {"tags": tuple(content.get("tags", ()))})


def _get(connection: Connection, query_id: str) -> Query | None:
    row = connection.execute(select(queries).where(queries.c.query_id == query_id)).one_or_none()
    return None if row is None else _query(row)


def _query(row: Row[Any]) -> Query:
    return query_of(row.query_id, row.content)
