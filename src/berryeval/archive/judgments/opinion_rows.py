"""Writes second opinions, applies the rule to them, and undoes judgments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection

from berryeval.archive.database import batches_of
from berryeval.archive.judgments.opinions import counted_state, history_of, is_opinion_of
from berryeval.archive.judgments.rows import (
    NewJudgment,
    Pair,
    StateWriter,
    check_on_scale,
    known_hashes,
    read_histories,
    read_history,
    read_judgment,
    with_hash,
    with_kept_subtopics,
    write_judgments,
)
from berryeval.archive.judgments.subtopics import subtopics_of
from berryeval.archive.records import JudgingPolicy, StoredJudgment
from berryeval.core.judging import Judges
from berryeval.errors import ConflictError

__all__ = ["apply_rule", "restore_judgment", "undo_judgment", "write_opinions"]

RULE = "rule"
"""The source of a grade that the rule computed."""


def write_opinions(
    connection: Connection,
    wanted: dict[Pair, NewJudgment],
    policy: JudgingPolicy,
    *,
    author: str,
    source: str | None,
) -> int:
    """Write second opinions, and return the number of new or changed ones.

    The first opinion on a pair becomes its judgment. With some rules, opinions change which grade
    counts.

    Raises
    ------
    ArgumentError
        If a new grade exceeds the declared scale.
    """
    rule, highest = policy.rule, policy.highest
    first: dict[Pair, NewJudgment] = {}
    ruled: list[Pair] = []
    writer = StateWriter(connection)
    for pairs in batches_of(wanted):
        histories = read_histories(connection, pairs)
        hashes = known_hashes(connection, {doc_id for _, doc_id in pairs})
        for pair in pairs:
            new = with_hash(wanted[pair], hashes)
            judgment = history_of(histories[pair]).judgment
            if judgment is None or judgment.grade is None or judgment.grade < 0:
                first[pair] = new
                continue
            new = with_kept_subtopics(new, _own_state(histories[pair], author))
            new = new._replace(stratum=None)
            if not _is_unchanged(histories[pair], new, author):
                own = [one for one in histories[pair] if is_opinion_of(one, author)]
                replaced = own[-1].revision if own else None
                check_on_scale(new, own[-1].grade if own else None, highest)
                writer.add(new, author, source, replaced=replaced, kind="opinion")
                # By the rule "first" an opinion counts only for subtopics that others left out.
                if rule != "first" or new.subtopics or judgment.subtopics:
                    ruled.append(pair)
    n_written = writer.flush()
    for pairs in batches_of(ruled):
        apply_rule(connection, read_histories(connection, pairs).values(), rule)
    return n_written + write_judgments(
        connection, first, author=author, source=source, highest=highest
    )


def apply_rule(
    connection: Connection, histories: Iterable[Sequence[StoredJudgment]], rule: Judges
) -> int:
    """Apply a rule to judgments and opinions, and return the number of changed grades.

    Histories have all states of each pair, oldest first.
    """
    writer = StateWriter(connection)
    for states in histories:
        counted, current = history_of(states).counted(rule), counted_state(states)
        if current is None or counted is None:
            continue
        wanted = (counted.grade, counted.author, counted.subtopics)
        if wanted == (current.grade, current.author, subtopics_of(current)):
            continue
        origin = counted.state
        digest = (origin or current).document_hash
        new = NewJudgment(
            current.query_id, current.doc_id, counted.grade, digest, *counted.subtopics,
            current.stratum, None if origin is None else origin.note,
            None if origin is None else origin.given_at,
        )  # fmt: skip
        source = RULE if origin is None else origin.source
        writer.add(new, counted.author, source, replaced=current.revision, kind="rule")
    return writer.flush()


def _is_unchanged(states: Sequence[StoredJudgment], new: NewJudgment, author: str) -> bool:
    """Whether a judge's last state of a pair has the same grade, and the same note if any."""
    found = history_of(states)
    own = next((one for one in found.pending if one.author == author), None)
    if own is not None:
        is_same = (own.grade, own.document_hash) == (new.grade, new.document_hash)
        return is_same and subtopics_of(own) == subtopics_of(new) and new.note in (None, own.note)
    judgment = found.judgment
    if judgment is None or (judgment.author, judgment.grade) != (author, new.grade):
        return False
    return subtopics_of(judgment) == subtopics_of(new) and new.note in (None, judgment.note)


def _own_state(states: Sequence[StoredJudgment], author: str) -> StoredJudgment | None:
    """Return the state whose subtopics a judge's plain grade keeps."""
    pending = history_of(states).pending
    own = next((one for one in pending if one.author == author), None)
    return counted_state(states) if own is None else own


def undo_judgment(
    connection: Connection, pair: Pair, author: str, revision: int, rule: Judges
) -> StoredJudgment | None:
    """Undo a judge's last step on a pair; see `ArchivedJudgments.undo`."""
    states = read_history(connection, pair)
    mine = next((one for one in states if one.revision == revision), None)
    if mine is None or mine.author != author or mine.kind == "rule":
        raise _not_to_be_undone(pair, revision, states)
    is_opinion = mine.kind == "opinion"
    # Later states by the rule do not count, since they follow from those of judges.
    chain = [
        one for one in states if one.kind == mine.kind and (not is_opinion or one.author == author)
    ]
    after = [one for one in chain if one.revision > revision]
    if after and _is_undone(mine, after[0]):
        return read_judgment(connection, pair)
    if after or (is_opinion and mine.grade is None):
        raise _not_to_be_undone(pair, revision, states)
    writer = StateWriter(connection)
    last = mine if is_opinion else next(one for one in reversed(states) if one.kind != "opinion")
    replaced = last.revision
    if mine.grade is not None:
        gone = NewJudgment(*pair, None, None, stratum=None if is_opinion else last.stratum)
        replaced = writer.add(gone, author, None, replaced=replaced, kind=mine.kind)
    if not is_opinion:
        earlier = [one for one in states if one.revision < revision]
        if not restore_judgment(writer, earlier, pair, replaced) and mine.grade is not None:
            _promote(writer, history_of(states).pending, pair, replaced)
    writer.flush()
    apply_rule(connection, [read_history(connection, pair)], rule)
    return read_judgment(connection, pair)


def restore_judgment(
    writer: StateWriter, earlier: Sequence[StoredJudgment], pair: Pair, replaced: int
) -> bool:
    """Restore the judgment among earlier states; return whether there is one."""
    before = history_of(earlier).judgment
    if before is None:
        return False
    again = NewJudgment(
        *pair, before.grade, before.document_hash, *subtopics_of(before), before.stratum,
        before.note, before.given_at,
    )  # fmt: skip
    writer.add(again, before.author, before.source, replaced=replaced, restores=before.revision)
    return True


def _promote(
    writer: StateWriter, opinions: Sequence[StoredJudgment], pair: Pair, replaced: int
) -> None:
    """Make the first of the opinions on an undone judgment the judgment; the others follow it."""
    for number, one in enumerate(opinions):
        gone = NewJudgment(*pair, None, None)
        last = writer.add(gone, one.author, None, replaced=one.revision, kind="opinion")
        again = NewJudgment(
            *pair, one.grade, one.document_hash, *subtopics_of(one), None, one.note,
            one.given_at or one.judged_at,
        )  # fmt: skip
        if number == 0:
            writer.add(again, one.author, one.source, replaced=replaced)
        else:
            writer.add(again, one.author, one.source, replaced=last, kind="opinion")


def _is_undone(mine: StoredJudgment, after: StoredJudgment) -> bool:
    """Whether the next state undid it: it withdrew or restored a grade."""
    if mine.grade is None:
        return after.restores is not None
    return after.grade is None and after.author == mine.author


def _not_to_be_undone(pair: Pair, revision: int, states: Sequence[StoredJudgment]) -> ConflictError:
    found = f"revision {states[-1].revision}" if states else "no judgment"
    return ConflictError(f"judgment of {pair[1]!r} for {pair[0]!r}", f"revision {revision}", found)
