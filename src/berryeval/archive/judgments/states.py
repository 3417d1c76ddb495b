"""The judgments at a revision, and their hashes; those used recently are cached in memory."""

from __future__ import annotations

import threading
from array import array
from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import accumulate, groupby, islice
from typing import Any, NamedTuple, TypeAlias

from sqlalchemy import (
    ColumnElement,
    Connection,
    LargeBinary,
    func,
    or_,
    select,
    type_coerce,
)

from berryeval.archive.clock import now
from berryeval.archive.database import Database, batches_of
from berryeval.archive.judgments.changes import Changes, RunningHash, apply_changes
from berryeval.archive.judgments.subtopics import subtopics_by_document
from berryeval.archive.tables import judgment_states, judgments
from berryeval.core.content_hash import hash_of_judgments
from berryeval.core.id_column import IdColumn, decode_id
from berryeval.core.judgments import Judgments, Subtopics
from berryeval.errors import ArgumentError, NotFoundError

__all__ = ["KnownStates", "find", "hash_at", "note", "read", "read_changes"]

Weights: TypeAlias = "dict[bytes, dict[bytes, float]]"
"""Query, subtopic, weight."""
Strata: TypeAlias = "dict[bytes, dict[bytes, bytes]]"
"""Query, document, stratum."""

_AT_ONCE = 20_000
_STREAMED = {"yield_per": _AT_ONCE}
_N_RECORDED = 100
_N_HASHES = 256
"""Earlier states that are found by their hash, recorded or not."""
_MAX_CHANGES = 5_000
"""With fewer changes since, an earlier state is derived from the current one."""

_c = judgments.c
# As bytes, since decoding a million ids takes a second.
_QUERY_ID = type_coerce(_c.query_id, LargeBinary)
_DOC_ID = type_coerce(_c.doc_id, LargeBinary)


def read(connection: Connection, revision: int) -> Judgments:
    """Return the judgments at a revision, sorted by ids."""
    rows = (
        select(_QUERY_ID, _DOC_ID, _c.grade)
        .where(*_is_current_at(revision))
        .order_by(_c.query_id, _c.doc_id)
    )
    sizes: dict[bytes, int] = {}
    # Joined part by part: a million ids as objects take twice as much as all columns.
    doc_data: list[bytes] = []
    doc_ends = array("Q", [0])
    grades = array("d")
    for part in connection.execute(rows, execution_options=_STREAMED).partitions(_AT_ONCE):
        query_ids, doc_ids, more_grades = zip(*part, strict=True)
        for query_id, same in groupby(query_ids):
            sizes[query_id] = sizes.get(query_id, 0) + len(list(same))
        doc_data.append(b"".join(doc_ids))
        doc_ends.extend(islice(accumulate(map(len, doc_ids), initial=doc_ends[-1]), 1, None))
        grades.extend(more_grades)
    starts = array("Q", accumulate(sizes.values(), initial=0))
    doc_ids_read = IdColumn(b"".join(doc_data), doc_ends)
    found = Judgments(IdColumn.of(sizes), starts, doc_ids_read, grades)
    found.subtopics, found.subtopic_weights = _read_subtopics(connection, revision)
    found.strata = _read_strata(connection, revision)
    return found


def _is_current_at(revision: int) -> tuple[ColumnElement[bool], ...]:
    return (
        _c.revision <= revision,
        or_(_c.superseded_by.is_(None), _c.superseded_by > revision),
        _c.grade.is_not(None),
        _c.kind != "opinion",
    )


def _read_subtopics(
    connection: Connection, revision: int, query_ids: Iterable[bytes] | None = None
) -> tuple[Subtopics, Weights]:
    """Return the subtopics at a revision and their weights: of all queries, or of some."""
    rows = select(
        _QUERY_ID, _c.doc_id, _c.grade, _c.revision, _c.subtopics, _c.subtopic_weights
    ).where(_c.subtopics.is_not(None), *_is_current_at(revision))
    subtopics: Subtopics = {}
    weights: Weights = {}
    by_query: dict[bytes, list[Any]] = {}
    for row in _rows_of(connection, rows, query_ids):
        by_query.setdefault(row[0], []).append(row)
    for query_id, states in by_query.items():
        subtopics[query_id], its_weights = subtopics_by_document(states)
        if its_weights:
            weights[query_id] = its_weights
    return subtopics, weights


def _read_strata(
    connection: Connection, revision: int, query_ids: Iterable[bytes] | None = None
) -> Strata:
    """Return the strata at a revision: of all queries, or of some."""
    rows = select(_QUERY_ID, _DOC_ID, type_coerce(_c.stratum, LargeBinary)).where(
        _c.stratum.is_not(None), *_is_current_at(revision)
    )
    strata: Strata = {}
    for query_id, doc_id, stratum in _rows_of(connection, rows, query_ids):
        strata.setdefault(query_id, {})[doc_id] = stratum
    return strata


def _rows_of(
    connection: Connection,
    rows: Any,  # noqa: ANN401 - a select of any columns
    query_ids: Iterable[bytes] | None,
) -> Iterator[Any]:
    """Yield the rows of all queries (None), or of some."""
    if query_ids is None:
        yield from connection.execute(rows)
        return
    for some in batches_of(map(decode_id, query_ids)):
        yield from connection.execute(rows.where(_c.query_id.in_(some)))


def _renew_labels(
    connection: Connection, revision: int, found: Judgments, before: Judgments, changes: Changes
) -> None:
    """Give judgments the subtopics and strata of those before them, and new ones for changes."""
    found.strata = {
        **{query: own for query, own in before.strata.items() if query not in changes},
        **_read_strata(connection, revision, changes),
    }
    subtopics, weights = _read_subtopics(connection, revision, changes)
    found.subtopics = {
        **{query: own for query, own in before.subtopics.items() if query not in changes},
        **subtopics,
    }
    found.subtopic_weights = {
        **{query: own for query, own in before.subtopic_weights.items() if query not in changes},
        **weights,
    }


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


def find(connection: Connection, when: str | datetime | int | None) -> int:
    """Return the newest revision: the current one (None), at a time, of a hash, or as it is."""
    if isinstance(when, int):
        if not 0 <= when <= find(connection, None):
            raise NotFoundError("revision of the judgments", str(when))
        return when
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


class _State(NamedTuple):
    revision: int
    hash: str
    judgments: Judgments
    running: RunningHash | None = None
    """None until it is needed, if the archive has recorded the hash."""


class KnownStates:
    """The current judgments, and the earlier state that was requested last.

    After a change only the difference is read, so that one judgment among a million takes
    milliseconds rather than seconds. States shortly before are derived in the same way: each
    takes as much memory as the current one.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._loading = threading.Lock()
        self._newest: _State | None = None
        self._earlier: _State | None = None
        # A caller that got a hash may request its judgments after another change.
        self._revisions: OrderedDict[str, int] = OrderedDict()
        self._recorded: deque[str] = deque(maxlen=_N_RECORDED)

    def as_of(
        self, when: str | datetime | int | None, *, is_recorded: bool = True
    ) -> tuple[Judgments, str]:
        """Return the current (None) or earlier judgments, and their hash, which is recorded."""
        with self._loading:
            state = self._state(when)
        # Without the lock: recording waits for other writers.
        if is_recorded and not isinstance(when, str) and state.hash not in self._recorded:
            note(self._database, state.hash, state.revision)
            self._recorded.append(state.hash)
        return state.judgments, state.hash

    def revision_of(self, hashed: str) -> int:
        """Return a revision at which the judgments had this hash."""
        with self._database.reading() as connection:
            return self._find(connection, hashed)

    def _find(self, connection: Connection, when: str | datetime | int | None) -> int:
        known = self._revisions.get(when) if isinstance(when, str) else None
        return find(connection, when) if known is None else known

    def _state(self, when: str | datetime | int | None) -> _State:
        newest = self._newest
        for known in (newest, self._earlier):
            if known is not None and when in (known.hash, known.revision):
                return known
        with self._database.reading() as connection:
            revision = self._find(connection, when)
            if newest is not None and newest.revision == revision:
                return newest
            is_newest = when is None or revision == find(connection, None)
            if is_newest:
                state = _newer(connection, newest, revision)
            else:
                found = _older(connection, newest, revision)
                hashed = when if isinstance(when, str) else hash_of_judgments(found)
                state = _State(revision, hashed, found)
        if is_newest:
            self._advance(state)
        else:
            self._earlier = state
        return state

    def _advance(self, state: _State) -> None:
        if self._newest is not None:
            self._newest.judgments.release()
            self._earlier = self._newest._replace(running=None)
        state.judgments.is_kept_ready = True  # most pages and trends score runs with them
        self._newest = state
        self._revisions[state.hash] = state.revision
        while len(self._revisions) > _N_HASHES:
            self._revisions.popitem(last=False)

    def hash(self) -> str:
        """Return the hash of the current judgments, without reading them if possible."""
        with self._database.reading() as connection:
            noted = hash_at(connection, find(connection, None))
        return noted or self.as_of(None)[1]

    def forget_earlier(self) -> None:
        """Drop the earlier state, which takes as much memory as the current one."""
        with self._loading:
            self._earlier = None

    def prepare(self) -> None:
        """Read the judgments, and what makes their hash quick to compute after a change."""
        self.as_of(None)
        state = self._newest
        if state is not None and state.running is None:
            prepared = state._replace(running=RunningHash.of(state.judgments))
            with self._loading:
                if self._newest is state:
                    self._newest = prepared


def _older(connection: Connection, newest: _State | None, revision: int) -> Judgments:
    """Return the judgments at an earlier revision, derived from the newest if that is faster."""
    if newest is None or not 0 < newest.revision - revision <= _MAX_CHANGES:
        return read(connection, revision)
    changed = read_changes(connection, revision, newest.revision)
    before = {query_id: dict.fromkeys(documents) for query_id, documents in changed.items()}
    rows = select(_QUERY_ID, _DOC_ID, _c.grade).where(*_is_current_at(revision))
    for query_id, doc_id, grade in _rows_of(connection, rows, changed):
        if doc_id in before[query_id]:
            before[query_id][doc_id] = grade
    found = apply_changes(newest.judgments, before)
    _renew_labels(connection, revision, found, newest.judgments, before)
    return found


def _newer(connection: Connection, before: _State | None, revision: int) -> _State:
    """Return the state of a revision, derived from an earlier one if that is faster."""
    if before is not None and 0 < revision - before.revision <= before.judgments.n_rows // 2:
        changes = read_changes(connection, before.revision, revision)
        found = apply_changes(before.judgments, changes)
        _renew_labels(connection, revision, found, before.judgments, changes)
        if before.running is not None:
            running = before.running.changed(found, changes)
            return _State(revision, running.digits, found, running)
    else:
        found = read(connection, revision)
        noted = hash_at(connection, revision)
        if noted is not None:
            return _State(revision, noted, found)
    running = RunningHash.of(found)
    return _State(revision, running.digits, found, running)
