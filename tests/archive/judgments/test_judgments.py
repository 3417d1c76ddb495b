from datetime import datetime, timedelta, timezone

import pytest

from archive.databases import ON_ONE_DATABASE
from berryeval import Document, Judgments
from berryeval.archive import Archive, JudgmentEntry, hash_of_document
from berryeval.core.content_hash import hash_of_judgments
from berryeval.errors import ArgumentError, ConflictError, InputTypeError, NotFoundError


def put(archive, grades, author="ada", **more):
    entries = [JudgmentEntry(query, doc, grade) for (query, doc), grade in grades.items()]
    return archive.judgments.put(entries, author=author, **more)


def test_a_judgment_records_author_time_source_and_document_hash(archive):
    """E5: the hash is that of the document when it was judged."""
    before = datetime.now(timezone.utc)
    entry = JudgmentEntry("q1", "d1", 2, document_hash="abc")
    assert archive.judgments.put([entry], author="ada", source="workbench") == 1
    found = archive.judgments.get("q1", "d1")
    assert (found.query_id, found.doc_id, found.grade) == ("q1", "d1", 2.0)
    assert (found.author, found.source, found.document_hash) == ("ada", "workbench", "abc")
    assert before <= found.judged_at <= datetime.now(timezone.utc)
    assert found.judged_at.utcoffset() == timedelta(0)
    assert archive.judgments.get("q1", "d2") is None


def test_judging_again_replaces_the_grade_and_keeps_the_old_one(archive):
    """E5: the history contains every state, oldest first."""
    put(archive, {("q1", "d1"): 2, ("q1", "d2"): 1})
    assert put(archive, {("q1", "d1"): 0, ("q1", "d2"): 1}, author="ada", source="second") == 1
    states = archive.judgments.history("q1", "d1")
    assert [state.grade for state in states] == [2, 0]
    assert [state.source for state in states] == [None, "second"]
    assert states[0].revision < states[1].revision
    assert archive.judgments.get("q1", "d1") == states[1]
    assert len(archive.judgments.history("q1", "d2")) == 1
    assert archive.judgments.history("q1", "d9") == []


def test_the_same_grade_by_another_author_is_a_new_state(archive):
    """The author is part of the state."""
    put(archive, {("q1", "d1"): 2})
    assert put(archive, {("q1", "d1"): 2}, author="bob") == 1
    assert archive.judgments.get("q1", "d1").author == "bob"


def test_two_grades_for_a_pair_in_one_call_are_rejected(archive):
    """E5: the whole call fails, and nothing is written."""
    entries = [
        JudgmentEntry("q1", "d0", 1),
        JudgmentEntry("q1", "d1", 1),
        JudgmentEntry("q1", "d1", 2),
    ]
    with pytest.raises(ArgumentError, match=r"judgments\[2\]: expected one grade.* 1 and 2"):
        archive.judgments.put(entries, author="ada")
    assert archive.judgments.page().items == ()
    assert archive.judgments.put(entries[:2] + entries[1:2], author="ada") == 2


@ON_ONE_DATABASE
@pytest.mark.parametrize(
    ("entry", "error", "words"),
    [
        (JudgmentEntry("", "d", 1), ArgumentError, "query_id: expected 1 to 1,024 bytes, got 0"),
        (JudgmentEntry("q", "d" * 1025, 1), ArgumentError, "doc_id: expected 1 to 1,024 bytes"),
        (JudgmentEntry("q", "\ud800", 1), ArgumentError, "text that UTF-8 can encode"),
        (JudgmentEntry(1, "d", 1), InputTypeError, "query_id: expected a str, got int 1"),
        (JudgmentEntry("q", "d", "1"), InputTypeError, "grade: expected a number, got str"),
        (JudgmentEntry("q", "d", float("nan")), ArgumentError, "finite"),
        (JudgmentEntry("q", "d", 1, document_hash=""), ArgumentError, "document_hash"),
    ],
)
def test_invalid_judgments_are_rejected(archive, entry, error, words):
    """The message names the judgment, what was expected and what was found."""
    with pytest.raises(error, match=words):
        archive.judgments.put([JudgmentEntry("q", "x", 1), entry], author="ada")
    assert archive.judgments.page().items == ()


@ON_ONE_DATABASE
@pytest.mark.parametrize(("author", "error"), [("", ArgumentError), (None, InputTypeError)])
def test_a_judgment_requires_an_author(archive, author, error):
    """An empty author is rejected."""
    with pytest.raises(error, match="author"):
        archive.judgments.put([JudgmentEntry("q", "d", 1)], author=author)


def test_ids_and_names_may_contain_any_bytes(archive):
    """Invalid UTF-8, NUL and letters of any script are returned unchanged."""
    ids = ["\udcff\udc80", "a\0b", "ключ", " ", "😀", "d" * 1024]
    put(archive, {(one, one): 1 for one in ids}, author="O'Brien \0 \ud83d", source="файл")
    assert {item.query_id for item in archive.judgments.page().items} == set(ids)
    assert archive.judgments.get("a\0b", "a\0b").author == "O'Brien \0 \ud83d"


def test_a_grade_of_minus_zero_is_stored_as_zero(archive):
    """Both databases then compute the same hash."""
    put(archive, {("q", "d"): -0.0})
    assert hash_of_judgments(Judgments.from_dict({"q": {"d": 0.0}})) == archive.judgments.hash()


def test_a_change_is_checked_against_the_state_the_caller_saw(archive):
    """The second of two concurrent changes gets a conflict."""
    first = archive.judgments.change("q", "d", 1, author="ada", if_revision=0)
    second = archive.judgments.change("q", "d", 2, author="bob", if_revision=first.revision)
    assert (second.grade, second.author) == (2, "bob")
    expected = f"expected revision {first.revision}, found revision {second.revision}"
    with pytest.raises(ConflictError, match=expected):
        archive.judgments.change("q", "d", 3, author="ada", if_revision=first.revision)
    with pytest.raises(ConflictError, match="expected no judgment, found revision"):
        archive.judgments.change("q", "d", 3, author="ada", if_revision=0)
    assert archive.judgments.get("q", "d") == second
    assert archive.judgments.change("q", "d", 3, author="ada").grade == 3
    with pytest.raises(ArgumentError, match="if_revision"):
        archive.judgments.change("q", "d", 3, author="ada", if_revision=-1)


def test_a_judgment_can_be_removed_and_given_again(archive):
    """The history keeps the earlier states."""
    state = archive.judgments.change("q", "d", 1, author="ada", source="x")
    with pytest.raises(ConflictError, match="revision"):
        archive.judgments.remove("q", "d", author="bob", if_revision=state.revision + 1)
    archive.judgments.remove("q", "d", author="bob", if_revision=state.revision)
    assert archive.judgments.get("q", "d") is None
    assert archive.judgments.page().items == ()
    assert archive.judgments.current().n_rows == 0
    with pytest.raises(NotFoundError, match="no judgment 'd for q'"):
        archive.judgments.remove("q", "d", author="bob")
    archive.judgments.change("q", "d", 1, author="ada", if_revision=0)
    history = archive.judgments.history("q", "d")
    assert [(one.grade, one.author) for one in history] == [(1, "ada"), (None, "bob"), (1, "ada")]


def test_judgments_of_a_changed_document_are_stale(archive):
    """They still count until the document is judged again."""
    archive.documents.put([Document("d1", "old"), Document("d2", "same")])
    put(archive, {("q1", "d1"): 2, ("q1", "d2"): 1, ("q1", "d3"): 1})
    assert archive.judgments.page(is_stale=True).items == ()
    assert archive.documents.put([Document("d1", "new"), Document("d2", "same")]) == 1
    archive.documents.put([Document("d3", "came later")])
    stale = archive.judgments.page(is_stale=True).items
    assert [item.doc_id for item in stale] == ["d1"]
    assert stale[0].document_hash == hash_of_document(Document("d1", "old"))
    assert len(archive.judgments.page(is_stale=False).items) == 2
    assert archive.judgments.current().n_rows == 3
    assert put(archive, {("q1", "d1"): 2}) == 1, "the same grade, of another text"
    assert archive.judgments.page(is_stale=True).items == ()


def test_pages_list_each_judgment_once_in_byte_order(archive):
    """Concurrent writes cause no duplicates or gaps."""
    ids = [f"d{number}" for number in range(7)]
    put(archive, {("q2", "x"): 0} | {("q1", doc): 1 for doc in ids})
    seen, after = [], None
    while True:
        page = archive.judgments.page(after=after, limit=3)
        seen += [(item.query_id, item.doc_id) for item in page.items]
        put(archive, {("q0", str(len(seen))): 1})
        if page.next is None:
            break
        after = page.next
    assert seen == [("q1", doc) for doc in ids] + [("q2", "x")]
    assert len(archive.judgments.page(query_id="q1").items) == 7


@ON_ONE_DATABASE
@pytest.mark.parametrize("after", ["", "!", "e30", "WzFd", "WyJxIl0", "WyJxIiwgMV0", "é"])
def test_a_page_token_must_come_from_the_previous_page(archive, after):
    """Any other value is rejected."""
    with pytest.raises(ArgumentError, match="after: expected the next value of a page"):
        archive.judgments.page(after=after)


@ON_ONE_DATABASE
@pytest.mark.parametrize("limit", [0, -1, 10_001])
def test_a_page_size_is_from_1_to_10000(archive, limit):
    """Any other size is rejected."""
    with pytest.raises(ArgumentError, match="limit"):
        archive.judgments.page(limit=limit)


def test_earlier_judgments_can_be_restored(archive):
    """They are found by hash and by time, even after many changes."""
    put(archive, {("q1", "d1"): 2, ("q2", "d1"): 0})
    first, first_hash = archive.judgments.current(), archive.judgments.hash()
    moment = datetime.now(timezone.utc)
    put(archive, {("q1", "d1"): 1, ("q3", "d1"): 3})
    archive.judgments.remove("q2", "d1", author="ada")
    assert first.to_dict() == {"q1": {"d1": 2}, "q2": {"d1": 0}}
    assert archive.judgments.current().to_dict() == {"q1": {"d1": 1}, "q3": {"d1": 3}}
    assert archive.judgments.hash() != first_hash == hash_of_judgments(first)
    for when in (first_hash, moment):
        assert archive.judgments.at(when) == first
    assert archive.judgments.at(archive.judgments.hash()) == archive.judgments.current()
    assert archive.judgments.at(moment - timedelta(days=1)).n_rows == 0
    with pytest.raises(NotFoundError, match="no state of the judgments 'beef'"):
        archive.judgments.at("beef")
    with pytest.raises(ArgumentError, match="time zone"):
        archive.judgments.at(datetime(2026, 1, 1))  # noqa: DTZ001


def test_a_state_is_found_by_other_processes(archive, location):
    """A hash that was returned to a caller is stored."""
    put(archive, {("q1", "d1"): 2})
    state = archive.judgments.hash()
    put(archive, {("q1", "d1"): 1})
    with Archive.open(location) as other:
        assert other.judgments.at(state).to_dict() == {"q1": {"d1": 2}}
        assert other.judgments.at(state) is other.judgments.at(state)
        put(other, {("q1", "d1"): 0})
    assert archive.judgments.current().to_dict() == {"q1": {"d1": 0}}


def test_many_judgments_are_stored_in_one_call(archive):
    """Several SQL statements are needed; storing the same again changes nothing."""
    grades = {(f"q{i % 7}", f"d{i}"): i % 4 for i in range(1234)}
    assert put(archive, grades) == 1234
    assert put(archive, grades) == 0
    assert put(archive, grades | {("q0", "d0"): 3}) == 1
    assert archive.judgments.current().n_rows == 1234
    assert put(archive, {}) == 0
