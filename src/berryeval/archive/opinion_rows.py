"""Writes second opinions, lets the rule decide which grade counts, and undoes what somebody did."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, select

from berryeval.archive.batches import batches_of
from berryeval.archive.judgment_rows import (
    NewJudgment,
    Pair,
    StateWriter,
    known_hashes,
    read_counted,
    read_history,
    read_judgment,
    with_hash,
    write_judgments,
)
from berryeval.archive.opinions import counted_state, saying_of
from berryeval.archive.records import StoredJudgment
from berryeval.archive.tables import judgments
from berryeval.core.judging import Judges
from berryeval.errors import ConflictError

__all__ = [
    "apply_rule",
    "pairs_with_opinions",
    "undo_judgment",
    "write_opinions",
]

RULE = "rule"
"""The source of a grade that the rule made of several."""


def write_opinions(
    connection: Connection,
    wanted: dict[Pair, NewJudgment],
    rule: Judges,
    *,
    author: str,
    source: str | None,
) -> int:
    """Write second opinions beside what is judged, and return how many are new or changed.

    What nobody has judged yet becomes a judgment. Where the rule says so, opinions change which
    grade counts.
    """
    first: dict[Pair, NewJudgment] = {}
    beside: list[Pair] = []
    writer = StateWriter(connection)
    for pairs in batches_of(wanted):
        judged = read_counted(connection, pairs)
        hashes = known_hashes(connection, {doc_id for _, doc_id in pairs})
        for pair in pairs:
            new = with_hash(wanted[pair], hashes)
            current = judged.get(pair)
            if current is None or current.grade is None:
                first[pair] = new
                continue
            if (current.author, current.grade) == (author, new.grade):
                continue  # the judgment says so
            own = _own_opinion(connection, pair, author)
            if own is not None and _is_said(own, new, since=current.revision):
                continue
            replaced = None if own is None else own.revision
            writer.add(new, author, source, replaced=replaced, kind="opinion")
            beside.append(pair)
    n_written = writer.flush()
    apply_rule(connection, beside, rule)
    return n_written + write_judgments(connection, first, author=author, source=source)


def apply_rule(connection: Connection, pairs: Iterable[Pair], rule: Judges) -> int:
    """Let the grade count that a rule makes of judgments and opinions; return how many changed."""
    writer = StateWriter(connection)
    for pair in pairs:
        states = read_history(connection, pair)
        counted, current = saying_of(states).counted(rule), counted_state(states)
        if current is None or counted is None:
            continue
        if (counted.grade, counted.author) == (current.grade, current.author):
            continue
        origin = counted.state
        new = NewJudgment(*pair, counted.grade, (origin or current).document_hash)
        source = RULE if origin is None else origin.source
        writer.add(new, counted.author, source, replaced=current.revision, kind="rule")
    return writer.flush()


def pairs_with_opinions(connection: Connection) -> list[Pair]:
    """Return the pairs that anybody gave a second opinion on."""
    rows = (
        select(judgments.c.query_id, judgments.c.doc_id)
        .where(judgments.c.kind == "opinion")
        .distinct()
    )
    return [(row.query_id, row.doc_id) for row in connection.execute(rows)]


def _is_said(own: StoredJudgment, new: NewJudgment, since: int) -> bool:
    """Whether somebody has given this very opinion since a judgment."""
    same = (own.grade, own.document_hash) == (new.grade, new.document_hash)
    return same and own.revision > since


def _own_opinion(connection: Connection, pair: Pair, author: str) -> StoredJudgment | None:
    """Return what a judge's opinion of a pair is now; without a grade if it was taken back."""
    own = [one for one in read_history(connection, pair) if _is_opinion_of(one, author)]
    return own[-1] if own else None


def _is_opinion_of(state: StoredJudgment, author: str) -> bool:
    return state.kind == "opinion" and state.author == author


def undo_judgment(
    connection: Connection, pair: Pair, author: str, revision: int, rule: Judges
) -> StoredJudgment | None:
    """Undo what somebody did to a pair, whatever it was; see `ArchivedJudgments.undo`."""
    states = read_history(connection, pair)
    mine = next((one for one in states if one.revision == revision), None)
    if mine is None or mine.author != author or mine.kind == "rule":
        raise _not_to_be_undone(pair, revision, states)
    if mine.kind == "opinion":
        chain = [one for one in states if _is_opinion_of(one, author)]
    else:
        chain = [one for one in states if one.kind != "opinion"]
    after = [one for one in chain if one.revision > revision]
    if after and _is_undone(mine, after[0]):
        return read_judgment(connection, pair)
    if after or (mine.kind == "opinion" and mine.grade is None):
        raise _not_to_be_undone(pair, revision, states)
    writer = StateWriter(connection)
    last = revision
    if mine.grade is not None:
        gone = NewJudgment(*pair, None, None)
        last = writer.add(gone, author, None, replaced=revision, kind=mine.kind)
    if mine.kind == "judgment":
        _restore(writer, [one for one in states if one.revision < revision], pair, last)
    writer.flush()
    apply_rule(connection, [pair], rule)
    return read_judgment(connection, pair)


def _restore(
    writer: StateWriter, earlier: Sequence[StoredJudgment], pair: Pair, replaced: int
) -> None:
    """Let the judgment count again that counted before."""
    before = saying_of(earlier).judgment
    if before is None:
        return
    again = NewJudgment(*pair, before.grade, before.document_hash)
    writer.add(again, before.author, before.source, replaced=replaced, restores=before.revision)


def _is_undone(mine: StoredJudgment, after: StoredJudgment) -> bool:
    """Whether what came next undid it: it took a grade back, or brought one back."""
    if mine.grade is None:
        return after.restores is not None
    return after.grade is None and after.author == mine.author


def _not_to_be_undone(pair: Pair, revision: int, states: Sequence[StoredJudgment]) -> ConflictError:
    found = f"revision {states[-1].revision}" if states else "no judgment"
    return ConflictError(f"judgment of {pair[1]!r} for {pair[0]!r}", f"revision {revision}", found)
