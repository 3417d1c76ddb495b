"""The judgments at a revision, and their hashes."""

from __future__ import annotations

from array import array
from datetime import datetime
from itertools import groupby

from sqlalchemy import Connection, LargeBinary, func, or_, select, type_coerce

from berryeval.archive.clock import now
from berryeval.archive.database import Database
from berryeval.archive.judgments.changes import Changes
from berryeval.archive.tables import judgment_states, judgments
from berryeval.core.id_column import IdColumn
from berryeval.core.judgments import Judgments
from berryeval.errors import ArgumentError, NotFoundError

__all__ = ["find", "hash_at", "note", "read", "read_changes"]

_AT_ONCE = 20_000

_c = judgments.c
# As bytes, since decoding a million ids takes a second.
_QUERY_ID = type_coerce(_c.query_id, LargeBinary)
_DOC_ID = type_coerce(_c.doc_id, LargeBinary)


def read(connection: Connection, revision: int) -> Judgments:
    """Return the judgments at a revision, sorted by ids."""
    rows = (
        select(_QUERY_ID, _DOC_ID, _c.grade)
        .where(_c.revision <= revision)
        .where(or_(_c.superseded_by.is_(None), _c.superseded_by > revision))
        .where(_c.grade.is_not(None), _c.kind != "opinion")
        .order_by(_c.query_id, _c.doc_id)
    )
    sizes: dict[bytes, int] = {}
    doc_ids: list[bytes] = []
    grades = array("d")
    for part in connection.execute(rows).partitions(_AT_ONCE):
        query_ids, more_ids, more_grades = zip(*part, strict=True)
        for query_id, same in groupby(query_ids):
            sizes[query_id] = sizes.get(query_id, 0) + len(list(same))
        doc_ids += more_ids
        grades.extend(more_grades)
    starts = array("Q", [0])
    for size in sizes.values():
        starts.append(starts[-1] + size)
    return Judgments(IdColumn.of(sizes), starts, IdColumn.of(doc_ids), grades)


def read_changes(connection: Connection, after: int, revision: int) -> Changes:
    """Return the grades at a later revision of pairs that changed since an earlier one."""
    rows = (
        select(_QUERY_ID, _DOC_ID, _c.grade)
        .where(_c.revision > after, _c.revision <= revision, _c.kind != "opinion")
        .order_by(_c.revision)
    )
    changes: dict[bytes, dict[bytes, float | None]] = {}
    for query_id, doc_id, grade in connection.execute(rows):
        changes.setdefault(query_id, {})[doc_id] = grade  # the last one counts
    return changes


def note(database: Database, hashed: str, revision: int) -> None:
    """Store the hash of judgments with its first revision."""
    with database.reading() as connection:
        known = select(judgment_states.c.revision).where(judgment_states.c.hash == hashed)
        if connection.scalar(known) is not None:
            return
    row = {"hash": hashed, "revision": revision, "noted_at": now()}
    with database.writing() as connection:
        database.insert_new(connection, judgment_states, row)


def hash_at(connection: Connection, revision: int) -> str | None:
    """Return the hash of the judgments at a revision; None if it was not stored."""
    c = judgment_states.c
    return connection.scalar(select(c.hash).where(c.revision == revision).limit(1))


def find(connection: Connection, when: str | datetime | None) -> int:
    """Return the newest revision: the current one (None), at a time, or of a hash."""
    if isinstance(when, str):
        states = judgment_states.c
        revision = connection.scalar(select(states.revision).where(states.hash == when))
        if revision is None:
            raise NotFoundError("state of the judgments", when)
        return int(revision)
    newest = select(func.max(judgments.c.revision))
    if when is not None:
        if when.tzinfo is None:
            raise ArgumentError("at", "a time with its time zone", repr(when))
        newest = newest.where(judgments.c.judged_at <= when)
    return int(connection.scalar(newest) or 0)
