"""Grades by subtopic are part of a judgment, and survive whatever happens to it."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import berryeval as be
from berryeval.archive import Archive, JudgmentEntry
from berryeval.archive.judgments import states
from berryeval.archive.judgments.index import JudgmentIndex
from berryeval.archive.records import JudgingPolicy, JudgmentBatch
from berryeval.core.content_hash import hash_of_judgments
from berryeval.errors import ArgumentError, FormatError, InputTypeError

BY_TOPIC = JudgmentEntry("q", "a", 2, subtopics={"animal": 2, "car": 0})
WEIGHTED = JudgmentEntry("q", "b", 1, subtopics={"car": 1}, subtopic_weights={"car": 3})


def subtopics(archive):
    """Return the grades by subtopic that the archive scores with, by document of the query q."""
    found = archive.judgments.current().subtopics.get(b"q", {})
    return {
        doc_id.decode(): {name.decode(): grade for name, grade in own.items()}
        for doc_id, own in found.items()
    }


def test_subtopics_and_weights_are_stored(archive):
    """They are part of the judgments that runs are scored with, and of their hash."""
    assert archive.judgments.put([BY_TOPIC, WEIGHTED], author="ada") == 2
    expected = be.Judgments.from_dict(
        {"q": {"a": {"animal": 2, "car": 0}, "b": {"car": 1}}}
    ).with_subtopic_weights({"q": {"car": 3}})
    assert archive.judgments.current() == expected
    assert archive.judgments.hash() == hash_of_judgments(expected)
    assert archive.judgments.put([BY_TOPIC, WEIGHTED], author="ada") == 0
    stored = archive.judgments.get("q", "b")
    assert (stored.subtopics, stored.subtopic_weights) == ({"car": 1.0}, {"car": 3.0})


def test_earlier_states_have_their_own_subtopics(archive):
    """They are found by hash after the current ones have changed."""
    archive.judgments.put([BY_TOPIC], author="ada")
    before = archive.judgments.as_of(None)[1]
    archive.judgments.change("q", "a", 2, author="ada", subtopics={"team": 2})
    assert subtopics(archive) == {"a": {"team": 2.0}}
    earlier = archive.judgments.at(before)
    assert earlier.subtopics == {b"q": {b"a": {b"animal": 2.0, b"car": 0.0}}}


def test_a_plain_grade_keeps_subtopics_and_caps_them(archive):
    """Judging pages give plain grades: raising a lowered grade restores the subtopics."""
    archive.judgments.put([BY_TOPIC], author="ada")
    archive.judgments.change("q", "a", 1, author="bob")
    assert subtopics(archive) == {"a": {"animal": 1.0, "car": 0.0}}
    archive.judgments.change("q", "a", 0, author="bob")
    assert subtopics(archive) == {"a": {"animal": 0.0, "car": 0.0}}
    archive.judgments.change("q", "a", 3, author="bob")
    assert subtopics(archive) == {"a": {"animal": 2.0, "car": 0.0}}
    assert archive.judgments.current().to_dict() == {"q": {"a": 3.0}}


def test_an_empty_mapping_removes_subtopics(archive):
    """Their weights go with them."""
    archive.judgments.put([WEIGHTED], author="ada")
    archive.judgments.change("q", "b", 1, author="ada", subtopics={})
    assert subtopics(archive) == {}
    assert archive.judgments.current().subtopic_weights == {}


def test_a_withdrawal_can_be_undone(archive):
    """The subtopics count again, too."""
    archive.judgments.put([BY_TOPIC], author="ada")
    gone = archive.judgments.remove("q", "a", author="ada")
    assert subtopics(archive) == {}
    archive.judgments.undo("q", "a", author="ada", if_revision=gone.revision)
    assert subtopics(archive) == {"a": {"animal": 2.0, "car": 0.0}}


def test_of_different_weights_the_newest_counts(archive):
    """It counts until its judgment is withdrawn."""
    archive.judgments.put([WEIGHTED], author="ada")
    newer = JudgmentEntry("q", "c", 1, subtopics={"car": 1}, subtopic_weights={"car": 5})
    archive.judgments.put([newer], author="ada")
    assert archive.judgments.current().subtopic_weights == {b"q": {b"car": 5.0}}
    archive.judgments.remove("q", "c", author="ada")
    assert archive.judgments.current().subtopic_weights == {b"q": {b"car": 3.0}}


ROWS = [
    {"query_id": "q", "doc_id": "a", "judge": "ada", "subtopic": "animal", "relevance": 2},
    {"query_id": "q", "doc_id": "a", "judge": "ada", "subtopic": "car", "relevance": 0},
    {"query_id": "q", "doc_id": "a", "judge": "bob", "subtopic": "car", "relevance": 1},
    {"query_id": "q", "doc_id": "a", "judge": "bob", "subtopic": "team", "relevance": 3},
    {"query_id": "q", "doc_id": "b", "judge": "cem", "subtopic": "team", "relevance": 1},
]


@pytest.mark.parametrize("rule", ["first", "latest", "max", "mean", "majority"])
def test_judges_of_different_subtopics_count_as_in_files(archive, tmp_path, rule):
    """The rule applies to each subtopic; the document has the highest grade."""
    path = tmp_path / "judged.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    archive.judging.put(JudgingPolicy(rule))
    archive.judgments.put_batches(
        [
            JudgmentBatch("ada", None, [BY_TOPIC]),
            JudgmentBatch("cem", None, [JudgmentEntry("q", "b", 1, subtopics={"team": 1})]),
            JudgmentBatch(
                "bob",
                None,
                [JudgmentEntry("q", "a", 3, subtopics={"car": 1, "team": 3})],
                as_opinion=True,
            ),
        ]
    )
    expected = be.read_judgments(path, judges=rule)
    assert archive.judgments.current() == expected
    table = JudgmentIndex(archive._database).table()
    assert table.n_conflicts == 1  # about the car
    if rule == "first":  # by the mean, the document would be worth as much
        assert archive.judging.preview()["mean"] == 0


def test_judges_of_disjoint_subtopics_do_not_disagree(archive):
    """Each has judged a different subtopic."""
    archive.judgments.put([WEIGHTED], author="ada")
    other = JudgmentEntry("q", "b", 2, subtopics={"team": 2})
    archive.judgments.put([other], author="bob", as_opinion=True)
    index = JudgmentIndex(archive._database)
    assert index.table().n_conflicts == 0
    assert subtopics(archive) == {"b": {"car": 1.0, "team": 2.0}}
    archive.judgments.add_opinion("q", "b", 1, author="cem")  # a plain grade: of both
    assert index.table().n_conflicts == 1
    newest = archive.judgments.revision()
    archive.judgments.add_opinion("q", "b", 1, author="cem")
    assert archive.judgments.revision() == newest


def test_exports_have_subtopics_and_restore_them(archive, tmp_path):
    """The exported file of judgments can be scored unchanged."""
    archive.judgments.put([BY_TOPIC, WEIGHTED], author="ada")
    archive.judgments.change("q", "a", 1, author="bob")
    archive.export(tmp_path / "export")
    assert be.read_judgments(tmp_path / "export" / "judgments.jsonl") == archive.judgments.current()
    with Archive.open(tmp_path / "b.db") as other:
        other.import_(tmp_path / "export")
        assert other.judgments.current() == archive.judgments.current()
        assert other.judgments.history("q", "a") == archive.judgments.history("q", "a")
        assert other.judgments.change("q", "a", 2, author="bob").subtopics == BY_TOPIC.subtopics


def test_a_damaged_export_is_rejected(archive, tmp_path):
    """Subtopics are checked like everything else."""
    archive.judgments.put([BY_TOPIC], author="ada")
    archive.export(tmp_path / "export")
    path = tmp_path / "export" / "judgments.jsonl"
    path.write_text(path.read_text().replace('"car": 0.0', '"car": "no"'))
    with Archive.open(tmp_path / "b.db") as other, pytest.raises(FormatError, match=r"car"):
        other.import_(tmp_path / "export")


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"subtopics": {"a": 3}}, r"\.grade: expected at least 3, the highest grade of its sub"),
        ({"subtopics": {"a": float("nan")}}, r"\.subtopics\['a'\]: expected a finite number"),
        ({"subtopics": ["a"]}, r"\.subtopics: expected a mapping, got list"),
        ({"subtopics": {"": 1}}, r"\.subtopics: a subtopic: expected 1 to"),
        ({"subtopics": {"a": 1}, "subtopic_weights": {"b": 1}}, "weights of the subtopics beside"),
        ({"subtopic_weights": {"b": 1}}, "weights of the subtopics beside it, got 'b'"),
        ({"subtopics": {"a": 1}, "subtopic_weights": {"a": 0}}, "a finite number above 0"),
    ],
)
def test_invalid_subtopics_are_rejected(tmp_path, facts, words):
    """Nothing is written."""
    with Archive.open(tmp_path / "a.db") as archive:
        with pytest.raises((ArgumentError, InputTypeError), match=words):
            archive.judgments.put([JudgmentEntry("q", "d", 2, **facts)], author="ada")
        assert archive.judgments.revision() == 0


def test_two_entries_of_a_pair_have_the_same_subtopics(tmp_path):
    """Like the grade, they cannot differ within one call."""
    with Archive.open(tmp_path / "a.db") as archive:
        entries = [BY_TOPIC, JudgmentEntry("q", "a", 2, subtopics={"animal": 2})]
        with pytest.raises(ArgumentError, match="the same subtopics each time"):
            archive.judgments.put(entries, author="ada")


names = st.sampled_from(["s", "t", "\udcff", "ü"])
entries = st.builds(
    lambda query, doc, own, weights, grade: JudgmentEntry(
        query,
        doc,
        max([grade, *(own or {}).values()]),
        subtopics=own,
        subtopic_weights=None if own is None else {s: w for s, w in weights.items() if s in own},
    ),
    st.sampled_from("pq"),
    st.sampled_from("abc"),
    st.none() | st.dictionaries(names, st.sampled_from([0, 1, 2, 0.5]), max_size=3),
    st.dictionaries(names, st.sampled_from([1, 2.5]), max_size=2),
    st.sampled_from([-1, 0, 1, 2]),
)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    steps=st.lists(st.tuples(entries, st.sampled_from(["ada", "bob"]), st.booleans()), max_size=8)
)
def test_changes_lead_to_the_same_judgments_as_reading_everything(tmp_path, steps):
    """This holds step by step and from the beginning, and for the hash as well."""
    path = tmp_path / "a.db"
    path.unlink(missing_ok=True)
    with Archive.open(path) as archive:
        archive.judgments.put([JudgmentEntry("p", f"x{i}", 1) for i in range(40)], author="ada")
        archive.judgments.prepare()
        for entry, author, as_opinion in steps:
            archive.judgments.put([entry], author=author, as_opinion=as_opinion)
            found, hashed = archive.judgments.as_of(None)
            with archive._database.reading() as connection:
                whole = states.read(connection, archive.judgments.revision())
            assert found == whole
            assert hashed == hash_of_judgments(whole)
