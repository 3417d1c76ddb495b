"""The judgments of an archive, with everything that they once were."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import islice
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, func, insert, select, tuple_

from berryeval.archive import judgment_states as states
from berryeval.archive.checks import check_count, check_id, check_text, now
from berryeval.archive.database import Database
from berryeval.archive.paging import read_page
from berryeval.archive.records import JudgmentEntry, Page, StoredJudgment
from berryeval.archive.tables import documents, judgments
from berryeval.core.grade import check_grade
from berryeval.core.judgments import Judgments
from berryeval.errors import ArgumentError, ConflictError, NotFoundError

__all__ = ["ArchivedJudgments"]

_AT_ONCE = 500
"""Pairs that one statement looks for."""

Item = TypeVar("Item")
_Pair = tuple[str, str]

_is_stale = and_(documents.c.hash.is_not(None), documents.c.hash != judgments.c.document_hash)
_is_current = and_(judgments.c.superseded_by.is_(None), judgments.c.grade.is_not(None))


class _New(NamedTuple):
    """A state to be written; no grade means that the judgment is taken back."""

    query_id: str
    doc_id: str
    grade: float | None
    document_hash: str | None


class _State(NamedTuple):
    revision: int
    hash: str
    judgments: Judgments


class ArchivedJudgments:
    """Judgments that keep author, time, source and a hash of the document as it was judged.

    Changing one keeps what it was. When a document changes, its judgments are stale; they count
    until somebody judges again.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._loading = threading.Lock()
        # Read again only after a change, and once for a whole trend.
        self._newest: _State | None = None
        self._earlier: _State | None = None

    def put(
        self, entries: Iterable[JudgmentEntry], *, author: str, source: str | None = None
    ) -> int:
        """Write judgments, all or none; they are on the disk when this returns.

        A pair that is judged already gets the new grade, and its old one stays in the history.
        The same grade by the same author of the same document is no change.

        Returns
        -------
        int
            How many judgments are new or changed.

        Raises
        ------
        ArgumentError
            If a pair comes twice with different grades, or a grade or id cannot be used.
        """
        wanted = _checked(entries)
        check_text(author, "author")
        check_text(source, "source", optional=True)
        with self._database.writing(alone="judgments") as connection:
            return len(_write(connection, wanted, author, source))

    def change(
        self,
        query_id: str,
        doc_id: str,
        grade: float,
        *,
        author: str,
        source: str | None = None,
        document_hash: str | None = None,
        if_revision: int | None = None,
    ) -> StoredJudgment:
        """Write one judgment, if it still is as the caller saw it.

        Parameters
        ----------
        if_revision : int, optional
            The revision that the caller saw; 0 if there was no judgment. Without it, whatever is
            there is replaced.

        Raises
        ------
        ConflictError
            If the judgment has another revision by now.
        """
        wanted = _checked([JudgmentEntry(query_id, doc_id, grade, document_hash)])
        check_text(author, "author")
        check_text(source, "source", optional=True)
        with self._database.writing(alone="judgments") as connection:
            _check_revision(connection, (query_id, doc_id), if_revision)
            _write(connection, wanted, author, source)
            found = _get(connection, (query_id, doc_id))
        assert found is not None
        return found

    def remove(
        self, query_id: str, doc_id: str, *, author: str, if_revision: int | None = None
    ) -> None:
        """Take a judgment back; what it was stays in the history.

        Raises
        ------
        NotFoundError
            If there is none.
        ConflictError
            If it has another revision than the caller saw.
        """
        pair = (check_id(query_id, "query_id"), check_id(doc_id, "doc_id"))
        check_text(author, "author")
        with self._database.writing(alone="judgments") as connection:
            _check_revision(connection, pair, if_revision)
            if _get(connection, pair) is None:
                raise NotFoundError("judgment", f"{doc_id} for {query_id}")
            _write(connection, {pair: _New(*pair, None, None)}, author, None)

    def get(self, query_id: str, doc_id: str) -> StoredJudgment | None:
        """Return the judgment of a pair; None if there is none."""
        pair = (check_id(query_id, "query_id"), check_id(doc_id, "doc_id"))
        with self._database.reading() as connection:
            return _get(connection, pair)

    def history(self, query_id: str, doc_id: str) -> list[StoredJudgment]:
        """Return all that the judgment of a pair ever was, oldest first; the last is current."""
        pair = (check_id(query_id, "query_id"), check_id(doc_id, "doc_id"))
        rows = _rows().where(*_is_of(pair)).order_by(judgments.c.revision)
        with self._database.reading() as connection:
            return [_stored(row) for row in connection.execute(rows)]

    def page(
        self,
        *,
        query_id: str | None = None,
        is_stale: bool | None = None,
        after: str | None = None,
        limit: int = 100,
    ) -> Page[StoredJudgment]:
        """Return judgments in the order of their ids' bytes: all, a query's, or the stale ones."""
        rows = _rows().where(_is_current)
        if query_id is not None:
            rows = rows.where(judgments.c.query_id == check_id(query_id, "query_id"))
        if is_stale is not None:
            stale = func.coalesce(_is_stale, False)
            rows = rows.where(stale if is_stale else ~stale)
        keys = (judgments.c.query_id, judgments.c.doc_id)
        with self._database.reading() as connection:
            return read_page(connection, rows, keys, _stored, after=after, limit=limit)

    def revision(self) -> int:
        """Return the revision of the newest change; 0 if there never was any."""
        with self._database.reading() as connection:
            return _newest_revision(connection)

    def current(self) -> Judgments:
        """Return the judgments as they are now, for an evaluation."""
        return self.as_of(None)[0]

    def hash(self) -> str:
        """Return the hash of the judgments as they are now, by which `at` finds them again."""
        return self.as_of(None)[1]

    def at(self, when: str | datetime) -> Judgments:
        """Return the judgments as they were.

        Parameters
        ----------
        when : str or datetime
            A hash that `hash` or an evaluation gave, or a moment with its time zone.

        Raises
        ------
        NotFoundError
            If no judgments of this hash are known.
        """
        return self.as_of(when)[0]

    def as_of(self, when: str | datetime | None) -> tuple[Judgments, str]:
        """Return the judgments as they are (None) or were, as `at` takes it, and their hash."""
        if isinstance(when, str):
            check_id(when, "at")
        with self._loading:
            newest = self._newest
            if isinstance(when, str):
                for state in (newest, self._earlier):
                    if state is not None and state.hash == when:
                        return state.judgments, when
            with self._database.reading() as connection:
                revision = states.find(connection, when)
                if newest is not None and newest.revision == revision:
                    return newest.judgments, newest.hash
                found = states.read(connection, revision)
            hashed = when if isinstance(when, str) else states.note(self._database, found, revision)
            state = _State(revision, hashed, found)
            if when is None:
                self._newest = state
            else:
                self._earlier = state
            return found, hashed


def _checked(entries: Iterable[JudgmentEntry]) -> dict[_Pair, _New]:
    wanted: dict[_Pair, _New] = {}
    for number, entry in enumerate(entries):
        where = f"judgments[{number}]"
        pair = (
            check_id(entry.query_id, f"{where}.query_id"),
            check_id(entry.doc_id, f"{where}.doc_id"),
        )
        # Adding 0 makes 0 of -0, which SQLite cannot hold.
        grade = check_grade(entry.grade, f"{where}.grade") + 0.0
        digest = check_text(entry.document_hash, f"{where}.document_hash", optional=True)
        new = _New(*pair, grade, digest)
        before = wanted.setdefault(pair, new)
        if before.grade != grade:
            got = f"{before.grade:g} and {grade:g} for document {pair[1]!r} of query {pair[0]!r}"
            raise ArgumentError(where, "one grade for a pair", got)
    return wanted


def _write(
    connection: Connection, wanted: dict[_Pair, _New], author: str, source: str | None
) -> Sequence[int]:
    """Write what differs from what is there, and return the new revisions."""
    revision = _newest_revision(connection)
    moment = now()
    rows: list[dict[str, Any]] = []
    replaced: list[dict[str, int]] = []
    for pairs in _batches(wanted):
        before = _current_rows(connection, pairs)
        hashes = _known_hashes(connection, {doc_id for _, doc_id in pairs})
        for pair in pairs:
            new = wanted[pair]
            if new.grade is not None and new.document_hash is None:
                new = new._replace(document_hash=hashes.get(new.doc_id))
            old = before.get(pair)
            if old is not None and _is_same(old, new, author):
                continue
            revision += 1
            rows.append(
                new._asdict()
                | {"revision": revision, "author": author, "source": source, "judged_at": moment}
            )
            if old is not None:
                replaced.append({"old": old.revision, "new": revision})
    if replaced:
        _supersede(connection, replaced)
    if rows:
        connection.execute(insert(judgments), rows)
    return [row["revision"] for row in rows]


def _supersede(connection: Connection, replaced: list[dict[str, int]]) -> None:
    from sqlalchemy import bindparam, update

    statement = (
        update(judgments)
        .where(judgments.c.revision == bindparam("old"))
        .values(superseded_by=bindparam("new"))
    )
    connection.execute(statement, replaced)


def _is_same(old: Row[Any], new: _New, author: str) -> bool:
    return (old.grade, old.document_hash, old.author) == (new.grade, new.document_hash, author)


def _current_rows(connection: Connection, pairs: Sequence[_Pair]) -> dict[_Pair, Row[Any]]:
    c = judgments.c
    rows: Select[Any] = select(
        c.query_id, c.doc_id, c.revision, c.grade, c.author, c.document_hash
    ).where(c.superseded_by.is_(None), tuple_(c.query_id, c.doc_id).in_(pairs))
    return {(row.query_id, row.doc_id): row for row in connection.execute(rows)}


def _known_hashes(connection: Connection, doc_ids: set[str]) -> dict[str, str]:
    rows = select(documents.c.doc_id, documents.c.hash).where(documents.c.doc_id.in_(doc_ids))
    return {row.doc_id: row.hash for row in connection.execute(rows)}


def _check_revision(connection: Connection, pair: _Pair, expected: int | None) -> None:
    if expected is None:
        return
    check_count(expected, "if_revision")
    judgment = _get(connection, pair)
    found = 0 if judgment is None else judgment.revision
    if found != expected:
        names = ("no judgment" if one == 0 else f"revision {one}" for one in (expected, found))
        raise ConflictError(f"judgment of {pair[1]!r} for {pair[0]!r}", *names)


def _get(connection: Connection, pair: _Pair) -> StoredJudgment | None:
    row = connection.execute(_rows().where(_is_current, *_is_of(pair))).one_or_none()
    return None if row is None else _stored(row)


def _newest_revision(connection: Connection) -> int:
    return connection.scalar(select(func.max(judgments.c.revision))) or 0


def _rows() -> Select[Any]:
    c = judgments.c
    return select(
        c.query_id, c.doc_id, c.grade, c.author, c.source, c.judged_at, c.document_hash,
        c.revision, _is_stale.label("is_stale"),
    ).outerjoin(documents, documents.c.doc_id == c.doc_id)  # fmt: skip


def _is_of(pair: _Pair) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return judgments.c.query_id == pair[0], judgments.c.doc_id == pair[1]


def _stored(row: Row[Any]) -> StoredJudgment:
    fields = dict(row._mapping)  # noqa: SLF001 - public, but for its name
    return StoredJudgment(**fields | {"is_stale": bool(row.is_stale)})


def _batches(items: Iterable[Item]) -> Iterator[list[Item]]:
    rest = iter(items)
    while batch := list(islice(rest, _AT_ONCE)):
        yield batch
