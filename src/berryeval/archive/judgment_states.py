"""The judgments as they were at a revision, and the hashes that they are known by."""

from __future__ import annotations

from array import array
from datetime import datetime

from sqlalchemy import Connection, func, or_, select

from berryeval.archive.clock import now
from berryeval.archive.database import Database
from berryeval.archive.tables import judgment_states, judgments
from berryeval.core.content_hash import hash_of_judgments
from berryeval.core.id_column import IdColumn, encode_id
from berryeval.core.judgments import Judgments
from berryeval.errors import ArgumentError, NotFoundError

__all__ = ["find", "note", "read"]


def read(connection: Connection, revision: int) -> Judgments:
    """Return the judgments as they were when a revision was the newest, sorted by ids."""
    c = judgments.c
    rows = (
        select(c.query_id, c.doc_id, c.grade)
        .where(c.revision <= revision, or_(c.superseded_by.is_(None), c.superseded_by > revision))
        .where(c.grade.is_not(None))
        .order_by(c.query_id, c.doc_id)
    )
    query_ids: list[bytes] = []
    starts = array("Q")
    doc_ids: list[bytes] = []
    grades = array("d")
    last = None
    for query_id, doc_id, grade in connection.execute(rows):
        if query_id != last:
            query_ids.append(encode_id(query_id))
            starts.append(len(doc_ids))
            last = query_id
        doc_ids.append(encode_id(doc_id))
        grades.append(grade)
    starts.append(len(doc_ids))
    return Judgments(IdColumn.of(query_ids), starts, IdColumn.of(doc_ids), grades)


def note(database: Database, found: Judgments, revision: int) -> str:
    """Keep the hash of judgments with the first revision that had it, and return it."""
    hashed = hash_of_judgments(found)
    with database.reading() as connection:
        known = select(judgment_states.c.revision).where(judgment_states.c.hash == hashed)
        if connection.scalar(known) is not None:
            return hashed
    row = {"hash": hashed, "revision": revision, "noted_at": now()}
    with database.writing() as connection:
        database.insert_new(connection, judgment_states, row)
    return hashed


def find(connection: Connection, when: str | datetime | None) -> int:
    """Return the newest revision: of now (None), at a moment, or at judgments of a hash."""
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
