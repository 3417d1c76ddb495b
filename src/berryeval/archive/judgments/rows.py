"""Writes judgments, and reads them with their history."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby
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

from berryeval.archive.checks import check_count, check_id, check_note, check_text
from berryeval.archive.clock import now
from berryeval.archive.database import batches_of
from berryeval.archive.judgments.disagreements import (
    has_unfinished_project,
    unfinished_project_of,
)
from berryeval.archive.judgments.opinions import SETTLED, history_of
from berryeval.archive.judgments.subtopics import (
    NO_SUBTOPICS,
    Subtopics,
    check_highest,
    check_subtopics,
    grades_by_label,
    subtopics_of,
)
from berryeval.archive.records import JudgmentEntry, JudgmentKind, StoredJudgment
from berryeval.archive.tables import documents, judgments
from berryeval.core.grade import check_grade
from berryeval.core.id_column import encode_id
from berryeval.core.judgments import Opinion
from berryeval.errors import ArgumentError, ConflictError, DisagreementError, ScaleError

__all__ = [
    "IS_CURRENT",
    "IS_OPINION",
    "IS_STALE",
    "STATES",
    "NewJudgment",
    "Pair",
    "StateWriter",
    "check_entries",
    "check_on_scale",
    "check_revision",
    "iter_with_opinions",
    "known_hashes",
    "read_histories",
    "read_history",
    "read_judgment",
    "read_opinions",
    "select_with_opinions",
    "stored_judgment",
    "with_hash",
    "with_kept_stratum",
    "with_kept_subtopics",
    "write_judgments",
]

Pair = tuple[str, str]

_FEW = 4
"""Up to this number, pairs are queried one by one: a prepared statement is faster than building a
longer one."""

_c = judgments.c

IS_STALE = and_(documents.c.hash.is_not(None), documents.c.hash != _c.document_hash)
IS_CURRENT = and_(_c.superseded_by.is_(None), _c.grade.is_not(None), _c.kind != "opinion")
IS_OPINION = and_(_c.superseded_by.is_(None), _c.grade.is_not(None), _c.kind == "opinion")

STATES: Select[Any] = select(
    _c.query_id, _c.doc_id, _c.grade, _c.author, _c.source, _c.judged_at, _c.document_hash,
    _c.revision, _c.kind, _c.restores, _c.subtopics, _c.subtopic_weights, _c.stratum,
    _c.note, _c.given_at, IS_STALE.label("is_stale"),
).outerjoin(documents, documents.c.doc_id == _c.doc_id)  # fmt: skip

# Built once: building a statement takes longer than running it.
_IS_OF_PAIR = (_c.query_id == bindparam("query_id"), _c.doc_id == bindparam("doc_id"))
_JUDGMENT = STATES.where(IS_CURRENT, *_IS_OF_PAIR)
_HISTORY = STATES.where(*_IS_OF_PAIR).order_by(_c.revision)
_NEWEST = select(func.max(_c.revision))
_KEPT: Select[Any] = select(
    _c.query_id, _c.doc_id, _c.revision, _c.grade, _c.author, _c.source, _c.document_hash, _c.kind,
    _c.subtopics, _c.subtopic_weights, _c.stratum, _c.note,
)  # fmt: skip
_IS_COUNTED = and_(_c.superseded_by.is_(None), _c.kind != "opinion")
_KEPT_OF_PAIR = _KEPT.where(_IS_COUNTED, *_IS_OF_PAIR)
_SUPERSEDE = (
    update(judgments).where(_c.revision == bindparam("old")).values(superseded_by=bindparam("new"))
)
_INSERT = insert(judgments)


class NewJudgment(NamedTuple):
    """A state to write; without a grade, the judgment is withdrawn."""

    query_id: str
    doc_id: str
    grade: float | None
    document_hash: str | None
    subtopics: Mapping[str, float] | None = None
    subtopic_weights: Mapping[str, float] | None = None
    stratum: str | None = None
    note: str | None = None
    given_at: datetime | None = None

    def with_subtopics(self, found: Subtopics) -> NewJudgment:
        """Return the state with other subtopics."""
        return self._replace(subtopics=found.grades, subtopic_weights=found.weights)


def check_entries(entries: Iterable[JudgmentEntry]) -> dict[Pair, NewJudgment]:
    """Return the states to write by pair, or raise for invalid entries and for two grades."""
    wanted: dict[Pair, NewJudgment] = {}
    for number, entry in enumerate(entries):
        where = f"judgments[{number}]"
        pair = (
            check_id(entry.query_id, f"{where}.query_id"),
            check_id(entry.doc_id, f"{where}.doc_id"),
        )
        # Adding 0 turns -0, which SQLite cannot store, into 0.
        grade = check_grade(entry.grade, f"{where}.grade") + 0.0
        digest = check_text(entry.document_hash, f"{where}.document_hash", optional=True)
        named = check_subtopics(entry.subtopics, entry.subtopic_weights, f"{where}.")
        check_highest(grade, named.grades, f"{where}.")
        stratum = entry.stratum
        if stratum:
            check_id(stratum, f"{where}.stratum")
        note = check_note(entry.note, f"{where}.note")
        new = NewJudgment(*pair, grade, digest, *named, stratum, note, entry.given_at)
        before = wanted.setdefault(pair, new)
        if before.stratum != stratum:
            expected = "the same stratum each time"
            raise ArgumentError(where, expected, f"others for {pair[1]!r} of query {pair[0]!r}")
        if subtopics_of(before) != named:
            expected = "the same subtopics each time"
            raise ArgumentError(where, expected, f"others for {pair[1]!r} of query {pair[0]!r}")
        if before.grade != grade:
            got = f"{before.grade:g} and {grade:g} for document {pair[1]!r} of query {pair[0]!r}"
            raise ArgumentError(where, "one grade per query and document", got)
    return wanted


def check_on_scale(new: NewJudgment, before: float | None, highest: int | None) -> None:
    """Raise if a grade exceeds the declared scale, unless the judgment had it before."""
    if highest is None or new.grade is None or new.grade <= highest or new.grade == before:
        return
    raise ScaleError(new.query_id, new.doc_id, new.grade, highest)


def write_judgments(
    connection: Connection,
    wanted: dict[Pair, NewJudgment],
    *,
    author: str,
    source: str | None,
    highest: int | None = None,
    is_settling: bool = False,
    refused: list[DisagreementError] | None = None,
) -> int:
    """Write the states that differ from the current ones, and return their number.

    Parameters
    ----------
    is_settling : bool
        Whether a project settles disagreements with them.
    refused : list of DisagreementError, optional
        Where to put disagreements instead of raising the first one; their pairs are left out.

    Raises
    ------
    ScaleError
        If a new grade exceeds the highest one of the scale.
    DisagreementError
        If judges disagree on a pair that an unfinished project has, and it does not settle it.
    """
    writer = StateWriter(connection)
    is_free = is_settling or not has_unfinished_project(connection)
    for pairs in batches_of(wanted):
        before = _read_counted(connection, pairs)
        hashes = known_hashes(connection, {doc_id for _, doc_id in pairs})
        for pair in pairs:
            old = before.get(pair)
            new = with_kept_subtopics(with_hash(wanted[pair], hashes), old)
            new = with_kept_stratum(new, old)
            if old is None or not _is_same(old, new, author, source):
                check_on_scale(new, None if old is None else old.grade, highest)
                found = None if is_free or old is None else _disagreement_on(connection, pair)
                if found is not None and refused is None:
                    raise found
                if found is not None and refused is not None:
                    refused.append(found)
                    continue
                writer.add(new, author, source, replaced=None if old is None else old.revision)
    return writer.flush()


class StateWriter:
    """Collects new states, and writes them together."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._revision = connection.scalar(_NEWEST) or 0
        self._moment = now()
        self._rows: dict[int, dict[str, Any]] = {}
        self._replaced: list[dict[str, int]] = []

    def add(
        self,
        new: NewJudgment,
        author: str,
        source: str | None,
        *,
        replaced: int | None,
        kind: JudgmentKind = "judgment",
        restores: int | None = None,
    ) -> int:
        """Add a state, and return its revision; `replaced` is that of the previous one."""
        self._revision += 1
        self._rows[self._revision] = {
            **new._asdict(),
            "revision": self._revision,
            "author": author,
            "source": source,
            "judged_at": self._moment,
            "kind": kind,
            "restores": restores,
            "superseded_by": None,
        }
        if replaced in self._rows:  # not written yet
            self._rows[replaced]["superseded_by"] = self._revision
        elif replaced is not None:
            self._replaced.append({"old": replaced, "new": self._revision})
        return self._revision

    def flush(self) -> int:
        """Write everything, and return the number of states."""
        if self._replaced:
            self._connection.execute(_SUPERSEDE, self._replaced)
        if self._rows:
            self._connection.execute(_INSERT, [*self._rows.values()])
        return len(self._rows)


def with_hash(new: NewJudgment, known: dict[str, str]) -> NewJudgment:
    """Return a state with the current hash of its document, unless it has one."""
    if new.grade is None or new.document_hash is not None:
        return new
    return new._replace(document_hash=known.get(new.doc_id))


def with_kept_subtopics(new: NewJudgment, before: Row[Any] | StoredJudgment | None) -> NewJudgment:
    """Return a state with the subtopics of the one before it, unless it has its own."""
    if new.grade is None:
        return new
    kept = NO_SUBTOPICS if before is None else subtopics_of(before)
    return new.with_subtopics(subtopics_of(new).after(kept))


def with_kept_stratum(new: NewJudgment, before: Row[Any] | StoredJudgment | None) -> NewJudgment:
    """Return a state with the stratum of the one before it, unless it has its own.

    Withdrawn judgments keep it, too: the document is still in the pool if it is judged again.
    """
    stratum = None if before is None else before.stratum
    return new._replace(stratum=(stratum if new.stratum is None else new.stratum) or None)


def check_revision(connection: Connection, pair: Pair, expected: int | None) -> None:
    """Raise if a judgment has another revision than the caller saw; 0 means none."""
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
    """Return all states of the judgment of a pair, oldest first."""
    return [stored_judgment(row) for row in connection.execute(_HISTORY, _named(pair))]


def read_histories(
    connection: Connection, pairs: Sequence[Pair]
) -> dict[Pair, list[StoredJudgment]]:
    """Return all states of some pairs, oldest first."""
    if _is_one_by_one(connection, pairs):
        return {pair: read_history(connection, pair) for pair in pairs}
    found: dict[Pair, list[StoredJudgment]] = {pair: [] for pair in pairs}
    is_wanted = tuple_(_c.query_id, _c.doc_id).in_(pairs)
    for row in connection.execute(STATES.where(is_wanted).order_by(_c.revision)):
        found[row.query_id, row.doc_id].append(stored_judgment(row))
    return found


def select_with_opinions(states: Select[Any]) -> Select[Any]:
    """Return a statement for the states of pairs with second opinions, grouped by pair."""
    opined = select(_c.query_id, _c.doc_id).where(_c.kind == "opinion").distinct().subquery()
    is_opined = and_(opined.c.query_id == _c.query_id, opined.c.doc_id == _c.doc_id)
    return states.join(opined, is_opined).order_by(_c.query_id, _c.doc_id, _c.revision)


def iter_with_opinions(connection: Connection) -> Iterator[list[StoredJudgment]]:
    """Iterate over the states of each pair with a second opinion, oldest first."""
    rows = connection.execute(select_with_opinions(STATES))
    for _, same in groupby(rows, lambda row: (row.query_id, row.doc_id)):
        yield [stored_judgment(row) for row in same]


def read_opinions(
    connection: Connection, *, with_settled: bool = False
) -> dict[bytes, dict[bytes, list[Opinion]]]:
    """Return what each judge says of each judged pair, the judgment first.

    If `with_settled` is true, opinions that a judgment has settled follow it.
    """
    found: dict[bytes, dict[bytes, list[Opinion]]] = {}
    rows = connection.execute(STATES.where(IS_CURRENT).order_by(_c.query_id, _c.doc_id))
    for row in rows:
        state = stored_judgment(row)
        own = found.setdefault(encode_id(state.query_id), {})
        own[encode_id(state.doc_id)] = _opinions(state)
    for states in iter_with_opinions(connection):
        history = history_of(states)
        if history.judgment is not None:
            opinions = [*{one.author: one for one in (history.judgment, *history.pending)}.values()]
            if with_settled:
                # In a file, each judge has one grade; that of the settler is the one that settled.
                settler = history.judgment.author
                opinions += [one for one in history.settled if one.author != settler]
            own = found[encode_id(states[0].query_id)]
            own[encode_id(states[0].doc_id)] = [
                opinion for one in opinions for opinion in _opinions(one)
            ]
    return found


def _opinions(state: StoredJudgment) -> list[Opinion]:
    """Return a state as a file has it: one opinion, or one per subtopic."""
    assert state.grade is not None  # only withdrawn judgments lack it
    return [
        Opinion(
            encode_id(state.author),
            grade,
            None if state.source is None else encode_id(state.source),
            (state.given_at or state.judged_at).isoformat().encode(),
            None if state.note is None else encode_id(state.note),
            subtopic=None if name is None else encode_id(name),
        )
        for name, grade in grades_by_label(state.grade, state.subtopics).items()
    ]


def stored_judgment(row: Row[Any]) -> StoredJudgment:
    """Return the state of a row of `STATES`."""
    fields = dict(row._mapping)  # noqa: SLF001 - public, but for its name
    return StoredJudgment(**fields | {"is_stale": bool(row.is_stale)})


def _is_same(old: Row[Any], new: NewJudgment, author: str, source: str | None) -> bool:
    # The same grade again may settle a conflict, or confirm a grade of the rule.
    facts = (old.grade, old.document_hash, old.author, old.source == SETTLED, old.kind)
    wanted = (new.grade, new.document_hash, author, source == SETTLED, "judgment")
    is_same = subtopics_of(old) == subtopics_of(new) and old.stratum == new.stratum
    is_same = is_same and new.note in (None, old.note)
    return facts == wanted and is_same


def _disagreement_on(connection: Connection, pair: Pair) -> DisagreementError | None:
    """Return the error for a pair of an unfinished project on which judges disagree."""
    project = unfinished_project_of(connection, *pair)
    if project is None or not history_of(read_history(connection, pair)).is_conflict:
        return None
    return DisagreementError(*pair, project)


def _read_counted(connection: Connection, pairs: Sequence[Pair]) -> dict[Pair, Row[Any]]:
    """Return the newest state of each pair, without opinions."""
    if _is_one_by_one(connection, pairs):
        several = (connection.execute(_KEPT_OF_PAIR, _named(pair)) for pair in pairs)
        return {(row.query_id, row.doc_id): row for rows in several for row in rows}
    is_wanted = tuple_(_c.query_id, _c.doc_id).in_(pairs)
    rows = connection.execute(_KEPT.where(_IS_COUNTED, is_wanted))
    return {(row.query_id, row.doc_id): row for row in rows}


def _is_one_by_one(connection: Connection, pairs: Sequence[Pair]) -> bool:
    # For a list of pairs SQLite would scan every row, and it has no round trips to save.
    return connection.dialect.name == "sqlite" or len(pairs) <= _FEW


def known_hashes(connection: Connection, doc_ids: set[str]) -> dict[str, str]:
    """Return the hashes of the known documents among the ids."""
    rows = select(documents.c.doc_id, documents.c.hash).where(documents.c.doc_id.in_(doc_ids))
    return {row.doc_id: row.hash for row in connection.execute(rows)}


def _named(pair: Pair) -> dict[str, str]:
    return {"query_id": pair[0], "doc_id": pair[1]}
