"""Applying a few changes to cached judgments gives the same result as a full read."""

import random
from datetime import datetime, timezone
from unittest import mock
from weakref import ref

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select

from berryeval.archive import Archive, JudgmentEntry
from berryeval.archive.judgments import changes as judgment_changes
from berryeval.archive.judgments import states
from berryeval.archive.judgments.changes import RunningHash, apply_changes
from berryeval.archive.tables import judgment_states
from berryeval.backend import backend
from berryeval.core.content_hash import hash_of_judgments
from berryeval.core.id_column import decode_id
from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.errors import NotFoundError
from berryeval.evaluation.evaluate import evaluate
from depth import IS_DEEP

ids = st.binary(min_size=1, max_size=3)
grades = st.sampled_from([-1.0, 0.0, 0.5, 1.0, 3.0])
judged = st.dictionaries(ids, st.dictionaries(ids, grades, min_size=1, max_size=5), max_size=6)
changes = st.dictionaries(
    ids, st.dictionaries(ids, st.none() | grades, min_size=1, max_size=5), max_size=6
)


def sorted_judgments(content):
    """Return judgments as the archive reads them: sorted, without empty queries."""
    return Judgments.from_dict({
        decode_id(query_id): {decode_id(doc_id): own[doc_id] for doc_id in sorted(own)}
        for query_id, own in sorted(content.items())
        if own
    })  # fmt: skip


def merged(before, changes):
    """Apply changes to dicts in the simplest way."""
    after = {query_id: dict(own) for query_id, own in before.items()}
    for query_id, new in changes.items():
        own = after.setdefault(query_id, {})
        for doc_id, grade in new.items():
            own.pop(doc_id, None) if grade is None else own.update({doc_id: grade})
    return after


@given(before=judged, changes=changes)
def test_applied_changes_equal_a_full_read(before, changes):
    """Judgments added, changed and removed, in new, kept and dropped queries, match exactly."""
    found = apply_changes(sorted_judgments(before), changes)
    assert found == sorted_judgments(merged(before, changes))


@given(before=judged, changes=changes, more=changes, each=st.integers(1, 3))
def test_the_incremental_hash_equals_the_hash_of_all_judgments(before, changes, more, each):
    """This holds after several changes, and the previous hash stays unchanged."""
    with mock.patch.object(judgment_changes, "_EACH", each):
        judgments = sorted_judgments(before)
        running = RunningHash.of(judgments)
        assert running.digits == hash_of_judgments(judgments)
        for new in (changes, more, changes):
            earlier, digits, marks = running, running.digits, len(running._marks)
            judgments = apply_changes(judgments, new)
            running = running.changed(judgments, new)
            assert running.digits == hash_of_judgments(judgments)
            assert (earlier.digits, len(earlier._marks)) == (digits, marks)


@pytest.mark.parametrize("is_prepared", [False, True])
def test_cached_judgments_always_equal_a_fresh_read(archive, location, is_prepared):
    """After any sequence of changes, the state in memory equals a fresh read."""
    chance = random.Random(f"{is_prepared}")  # noqa: S311 - a walk
    pairs = [(f"q{i}", f"d{j}") for i in range(5) for j in range(5)]
    archive.judgments.put([JudgmentEntry(*pair, 1) for pair in pairs[::2]], author="ada")
    for step in range(25 if IS_DEEP else 12):
        wanted = chance.sample(pairs, chance.choice([1, 1, 2, 8]))
        known = [pair for pair in wanted if archive.judgments.get(*pair) is not None]
        if step % 3 == 0:
            for pair in known:
                archive.judgments.remove(*pair, author="ben")
        else:
            entries = [JudgmentEntry(*pair, chance.randrange(4)) for pair in wanted]
            archive.judgments.put(entries, author=chance.choice(["ada", "ben"]))
        if is_prepared:
            archive.judgments.prepare()
        found, hashed = archive.judgments.as_of(None)
        assert hashed == hash_of_judgments(found) == archive.judgments.hash()
        with Archive.open(location) as another:
            assert another.judgments.hash() == hashed
            assert another.judgments.as_of(None) == (found, hashed)


def test_adding_one_judgment_does_not_reread_all(archive, monkeypatch):
    """Rereading a million judgments would take seconds."""
    many = [JudgmentEntry(f"q{i % 7}", f"d{i}", i % 4) for i in range(100)]
    archive.judgments.put(many, author="ada")
    archive.judgments.prepare()
    monkeypatch.setattr(states, "read", None)
    archive.judgments.put([JudgmentEntry("q1", "new", 3)], author="ada")
    assert archive.judgments.current().to_dict()["q1"]["new"] == 3


def test_many_changes_cause_a_full_read(archive, monkeypatch):
    """If most judgments are new, an incremental update saves nothing."""
    archive.judgments.put([JudgmentEntry("q1", "d1", 1)], author="ada")
    assert archive.judgments.current().n_rows == 1
    monkeypatch.setattr(states, "read_changes", None)
    archive.judgments.put([JudgmentEntry("q1", f"e{i}", 1) for i in range(9)], author="ada")
    assert archive.judgments.current().n_rows == 10


def test_reading_the_current_judgments_writes_nothing(archive):
    """A hash is recorded only for callers that may look it up later, even if others read it."""
    archive.judgments.put([JudgmentEntry("q1", "d1", 1)], author="ada")

    def is_known(hashed):
        with archive._database.reading() as connection:
            return connection.scalar(
                select(judgment_states.c.revision).where(judgment_states.c.hash == hashed)
            )

    archive.judgments.current()
    _, hashed = archive.judgments.as_of(None, is_recorded=False)
    assert is_known(hashed) is None
    assert archive.judgments.as_of(None)[1] == hashed
    assert is_known(hashed) == archive.judgments.revision()


def test_a_stored_hash_is_returned_without_reading_judgments(archive, location, monkeypatch):
    """A service that starts with a large archive can answer at once."""
    archive.judgments.put([JudgmentEntry("q1", "d1", 1)], author="ada")
    hashed = archive.judgments.hash()
    with Archive.open(location) as another:
        monkeypatch.setattr(states, "read", None)
        assert another.judgments.hash() == hashed


def test_current_judgments_are_shared_with_a_lookup_by_their_hash(archive, location, monkeypatch):
    """They are read once, whether requested by hash or as the current ones."""
    archive.judgments.put([JudgmentEntry("q1", f"d{i}", 1) for i in range(9)], author="ada")
    hashed = archive.judgments.hash()
    with Archive.open(location) as another:
        found = another.judgments.at(hashed)
        monkeypatch.setattr(states, "read", None)
        assert another.judgments.current() is found


def test_recent_judgments_are_derived_from_the_current_ones(archive, monkeypatch):
    """States that no caller recorded are found by their hash, without reading all judgments."""
    entries = [JudgmentEntry(query, f"d{i}", i % 3) for query in ("q1", "q2") for i in range(9)]
    archive.judgments.put(entries, author="ada")
    seen = [archive.judgments.as_of(None, is_recorded=False)]
    for change in (
        [JudgmentEntry("q1", "d1", 3), JudgmentEntry("q0", "d1", 1)],
        [JudgmentEntry("q2", "d2", 1, subtopics={"price": 1}), JudgmentEntry("q2", "e", 1)],
        [JudgmentEntry("q1", "d1", 1, stratum="top")],
    ):
        archive.judgments.put(change, author="ben")
        seen.append(archive.judgments.as_of(None, is_recorded=False))
    archive.judgments.remove("q0", "d1", author="ada")
    assert archive.judgments.current() != seen[-1][0]
    monkeypatch.setattr(states, "read", None)
    for before, hashed in reversed(seen):
        found = archive.judgments.at(hashed)
        assert found == before
        assert (found.subtopics, found.strata) == (before.subtopics, before.strata)
    with pytest.raises(NotFoundError):
        archive.judgments.at("0" * 64)


def test_judgments_of_long_ago_are_read(archive, monkeypatch):
    """With many changes since, deriving a state would take as long as reading it."""
    archive.judgments.put([JudgmentEntry("q1", "d1", 1)], author="ada")
    before, hashed = archive.judgments.as_of(None)
    archive.judgments.put([JudgmentEntry("q1", f"d{i}", 2) for i in range(9)], author="ada")
    archive.judgments.current()
    archive.judgments.put([JudgmentEntry("q1", "d1", 3)], author="ada")
    archive.judgments.current()
    monkeypatch.setattr(states, "_MAX_CHANGES", 5)
    monkeypatch.setattr(states, "read_changes", None)
    assert archive.judgments.at(hashed) == before


def test_earlier_states_are_still_found(archive):
    """They are found by hash and by time, whatever is cached."""
    archive.judgments.put([JudgmentEntry("q1", f"d{i}", 1) for i in range(9)], author="ada")
    before, hashed = archive.judgments.as_of(None)
    moment = datetime.now(timezone.utc)
    archive.judgments.put([JudgmentEntry("q1", "d1", 2)], author="ada")
    assert archive.judgments.current() != before
    assert archive.judgments.at(hashed) == before
    assert archive.judgments.as_of(moment) == (before, hashed)


def test_an_earlier_state_can_be_dropped_from_memory(archive):
    """It is derived again when it is requested, with the same content."""
    archive.judgments.put([JudgmentEntry("q1", "d1", 1)], author="ann")
    hashed = archive.judgments.hash()
    before = ref(archive.judgments.at(hashed))
    archive.judgments.put([JudgmentEntry("q1", "d2", 1)], author="ann")
    archive.judgments.current()
    assert before() is not None
    archive.judgments.forget_earlier()
    assert before() is None
    assert hash_of_judgments(archive.judgments.at(hashed)) == hashed


def test_only_the_last_change_of_each_pair_is_read(archive):
    """A pair that was judged twice is one change."""
    archive.judgments.put([JudgmentEntry("q1", "d1", 1)], author="ada")
    first = archive.judgments.revision()
    archive.judgments.put([JudgmentEntry("q1", "d1", 2), JudgmentEntry("q2", "d1", 0)], author="x")
    archive.judgments.put([JudgmentEntry("q1", "d1", 3)], author="ada")
    archive.judgments.remove("q2", "d1", author="ada")
    with archive._database.reading() as connection:
        found = states.read_changes(connection, first, archive.judgments.revision())
    assert found == {b"q1": {b"d1": 3.0}, b"q2": {b"d1": None}}


def test_earlier_judgments_keep_no_tables_of_the_engine(tmp_path):
    """Only the current ones do; the scores with earlier ones stay the same."""
    run = Run.from_dict({"q1": {"d2": 2.0, "d1": 1.0}})
    with Archive.open(tmp_path / "a.db") as archive:
        archive.judgments.put([JudgmentEntry("q1", "d1", 1)], author="ada")
        before, _ = archive.judgments.as_of(None)
        first = evaluate(before, run, ["RR"])["RR"].mean
        assert "_pools" in vars(before) or backend().name == "python"
        archive.judgments.put([JudgmentEntry("q1", "d2", 1)], author="ada")
        after, _ = archive.judgments.as_of(None)
        assert (before.is_kept_ready, after.is_kept_ready) == (False, True)
        assert "_pools" not in vars(before)
        assert first == evaluate(before, run, ["RR"])["RR"].mean == 0.5
        assert evaluate(after, run, ["RR"])["RR"].mean == 1.0
