"""Writes judgments, and reads what one is and was."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from sqlalchemy import (
    Connection,
    Row,
    Select,
    and_,
    bindparam,
    func,
    insert,
    select,
    tuple_,
    update,
)

from berryeval.archive.batches import batches_of
from berryeval.archive.checks import check_count, check_id, check_text
from berryeval.archive.clock import now
from berryeval.archive.opinions import SETTLED
from berryeval.archive.records import JudgmentEntry, StoredJudgment
from berryeval.archive.tables import documents, judgments
from berryeval.core.grade import check_grade
from berryeval.errors import ArgumentError, ConflictError

__all__ = [
    "IS_CURRENT",
    "IS_STALE",
    "STATES",
    "NewJudgment",
    "Pair",
    "check_entries",
    "check_revision",
    "read_history",
    "read_judgment",
    "stored_judgment",
    "undo_judgment",
    "write_judgments",
]

Pair = tuple[str, str]

_FEW = 4
"""So many pairs are looked for one by one: a statement that is known is quicker than a longer
one that has to be made."""

_c = judgments.c

IS_STALE = and_(documents.c.hash.is_not(None), documents.c.hash != _c.document_hash)
IS_CURRENT = and_(_c.superseded_by.is_(None), _c.grade.is_not(None))

STATES: Select[Any] = select(
    _c.query_id, _c.doc_id, _c.grade, _c.author, _c.source, _c.judged_at, _c.document_hash,
    _c.revision, IS_STALE.label("is_stale"),
).outerjoin(documents, documents.c.doc_id == _c.doc_id)  # fmt: skip

# Made once: to make a statement takes longer than to run it.
_IS_OF_PAIR = (_c.query_id == bindparam("query_id"), _c.doc_id == bindparam("doc_id"))
_JUDGMENT = STATES.where(IS_CURRENT, *_IS_OF_PAIR)
_NEWEST = select(func.max(_c.revision))
_KEPT: Select[Any] = select(
    _c.query_id, _c.doc_id, _c.revision, _c.grade, _c.author, _c.source, _c.document_hash
)
_KEPT_OF_PAIR = _KEPT.where(_c.superseded_by.is_(None), *_IS_OF_PAIR)
_SUPERSEDE = (
    update(judgments).where(_c.revision == bindparam("old")).values(superseded_by=bindparam("new"))
)
_INSERT = insert(judgments)


class NewJudgment(NamedTuple):
    """A state to be written; no grade means that the judgment is taken back."""

    query_id: str
    doc_id: str
    grade: float | None
    document_hash: str | None


def check_entries(entries: Iterable[JudgmentEntry]) -> dict[Pair, NewJudgment]:
    """Return what to write by pair, or raise for what cannot be kept, and for two grades."""
    wanted: dict[Pair, NewJudgment] = {}
    for number, entry in enumerate(entries):
        where = f"judgments[{number}]"
        pair = (
            check_id(entry.query_id, f"{where}.query_id"),
            check_id(entry.doc_id, f"{where}.doc_id"),
        )
        # Adding 0 makes 0 of -0, which SQLite cannot hold.
        grade = check_grade(entry.grade, f"{where}.grade") + 0.0
        digest = check_text(entry.document_hash, f"{where}.document_hash", optional=True)
        new = NewJudgment(*pair, grade, digest)
        before = wanted.setdefault(pair, new)
        if before.grade != grade:
            got = f"{before.grade:g} and {grade:g} for document {pair[1]!r} of query {pair[0]!r}"
            raise ArgumentError(where, "one grade for a pair", got)
    return wanted


def write_judgments(
    connection: Connection,
    wanted: dict[Pair, NewJudgment],
    *,
    author: str,
    source: str | None,
) -> int:
    """Write what differs from what is there, and return how many that are."""
    revision = connection.scalar(_NEWEST) or 0
    moment = now()
    rows: list[dict[str, Any]] = []
    replaced: list[dict[str, int]] = []
    for pairs in batches_of(wanted):
        before = _kept(connection, pairs)
        hashes = _known_hashes(connection, {doc_id for _, doc_id in pairs})
        for pair in pairs:
            new = wanted[pair]
            if new.grade is not None and new.document_hash is None:
                new = new._replace(document_hash=hashes.get(new.doc_id))
            old = before.get(pair)
            if old is not None and _is_same(old, new, author, source):
                continue
            revision += 1
            rows.append(
                new._asdict()
                | {"revision": revision, "author": author, "source": source, "judged_at": moment}
            )
            if old is not None:
                replaced.append({"old": old.revision, "new": revision})
    if replaced:
        connection.execute(_SUPERSEDE, replaced)
    if rows:
        connection.execute(_INSERT, rows)
    return len(rows)


def check_revision(connection: Connection, pair: Pair, expected: int | None) -> None:
    """Raise if a judgment has another revision than the caller saw; 0 means that there is none."""
    if expected is None:
        return
    check_count(expected, "if_revision")
    judgment = read_judgment(connection, pair)
    found = 0 if judgment is None else judgment.revision
    if found != expected:
        names = ("no judgment" if one == 0 else f"revision {one}" for one in (expected, found))
        raise ConflictError(f"judgment of {pair[1]!r} for {pair[0]!r}", *names)


def read_judgment(connection: Connection, pair: Pair) -> StoredJudgment | None:
    """Return the judgment of a pair; None if there is none."""
    row = connection.execute(_JUDGMENT, _named(pair)).one_or_none()
    return None if row is None else stored_judgment(row)


def read_history(connection: Connection, pair: Pair) -> list[StoredJudgment]:
    """Return all that the judgment of a pair ever was, oldest first."""
    rows = STATES.where(*_IS_OF_PAIR).order_by(_c.revision)
    return [stored_judgment(row) for row in connection.execute(rows, _named(pair))]


def undo_judgment(
    connection: Connection, pair: Pair, author: str, revision: int
) -> StoredJudgment | None:
    """Take a judgment back, and write what it replaced once more; see `ArchivedJudgments.undo`."""
    history = read_history(connection, pair)
    place = next((n for n, state in enumerate(history) if state.revision == revision), None)
    if place is None or history[place].author != author:
        raise _not_to_be_undone(pair, revision, history)
    after = history[place + 1 :]
    if after and after[0].grade is None and after[0].author == author:
        return read_judgment(connection, pair)
    if after:
        raise _not_to_be_undone(pair, revision, history)
    gone = {pair: NewJudgment(*pair, None, None)}
    write_judgments(connection, gone, author=author, source=None)
    before = history[place - 1] if place else None
    if before is not None and before.grade is not None:
        again = {pair: NewJudgment(*pair, before.grade, before.document_hash)}
        write_judgments(connection, again, author=before.author, source=before.source)
    return read_judgment(connection, pair)


def _not_to_be_undone(pair: Pair, revision: int, history: list[StoredJudgment]) -> ConflictError:
    found = f"revision {history[-1].revision}" if history else "no judgment"
    return ConflictError(f"judgment of {pair[1]!r} for {pair[0]!r}", f"revision {revision}", found)


def stored_judgment(row: Row[Any]) -> StoredJudgment:
    """Return the state that a row of `STATES` holds."""
    fields = dict(row._mapping)  # noqa: SLF001 - public, but for its name
    return StoredJudgment(**fields | {"is_stale": bool(row.is_stale)})


def _is_same(old: Row[Any], new: NewJudgment, author: str, source: str | None) -> bool:
    # The same grade once more may settle a conflict.
    return (old.grade, old.document_hash, old.author, old.source == SETTLED) == (
        new.grade,
        new.document_hash,
        author,
        source == SETTLED,
    )


def _kept(connection: Connection, pairs: Sequence[Pair]) -> dict[Pair, Row[Any]]:
    """Return the newest state of each pair that ever was judged."""
    # SQLite would look through every row for a list of pairs, and has no way to a server to save.
    if connection.dialect.name == "sqlite" or len(pairs) <= _FEW:
        several = (connection.execute(_KEPT_OF_PAIR, _named(pair)) for pair in pairs)
        return {(row.query_id, row.doc_id): row for rows in several for row in rows}
    is_wanted = tuple_(_c.query_id, _c.doc_id).in_(pairs)
    rows = connection.execute(_KEPT.where(_c.superseded_by.is_(None), is_wanted))
    return {(row.query_id, row.doc_id): row for row in rows}


def _known_hashes(connection: Connection, doc_ids: set[str]) -> dict[str, str]:
    rows = select(documents.c.doc_id, documents.c.hash).where(documents.c.doc_id.in_(doc_ids))
    return {row.doc_id: row.hash for row in connection.execute(rows)}


def _named(pair: Pair) -> dict[str, str]:
    return {"query_id": pair[0], "doc_id": pair[1]}
