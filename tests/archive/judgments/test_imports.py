"""Imports of judgments: one step each, with notes and times, which can be undone."""

from datetime import datetime, timezone

import pytest

from berryeval.archive import JudgmentEntry
from berryeval.archive.records import JudgingPolicy, JudgmentBatch
from berryeval.errors import ArgumentError, ConflictError, NotFoundError

THEN = datetime(2025, 3, 4, 5, 6, 7, tzinfo=timezone.utc)


def import_file(archive, *batches, name="qrels.txt"):
    """Import grades by pair, in batches of one judge: (judge, grades, is a second opinion)."""
    return archive.imports.put(
        [
            JudgmentBatch(judge, "file", [JudgmentEntry("q1", doc_id, grade, note=f"by {judge}",
                                                        given_at=THEN)
                                          for doc_id, grade in grades.items()], as_opinion)
            for judge, grades, as_opinion in batches
        ],
        file_name=name,
        author="ada",
    )  # fmt: skip


def grades(archive):
    """Return the grades and authors of all judgments by document."""
    return {one.doc_id: (one.grade, one.author) for one in archive.judgments.page().items}


def test_notes_and_times_of_grades_are_kept(archive):
    """The time at which a judge gave a grade is not the time at which it is stored."""
    import_file(archive, ("eve", {"d1": 2}, False))
    found = archive.judgments.get("q1", "d1")
    assert (found.note, found.given_at) == ("by eve", THEN)
    assert found.judged_at.year > THEN.year
    [[opinion]] = [*archive.judgments.with_opinions().opinions[b"q1"].values()]
    assert (opinion.judged_at, opinion.note) == (THEN.isoformat().encode(), b"by eve")
    assert archive.judgments.at(datetime(2025, 6, 1, tzinfo=timezone.utc)).n_rows == 0


def test_a_note_that_changes_is_a_change_and_a_missing_one_is_none(archive):
    """The same grade again keeps the note; another note replaces it."""
    first = archive.judgments.change("q1", "d1", 2, author="ada", note="why")
    assert archive.judgments.change("q1", "d1", 2, author="ada").revision == first.revision
    again = archive.judgments.change("q1", "d1", 2, author="ada", note="because")
    assert (again.note, again.revision) == ("because", 2)
    second = archive.judgments.add_opinion("q1", "d1", 1, author="bob", note="no")
    third = archive.judgments.add_opinion("q1", "d1", 1, author="bob", note="not at all")
    assert (second.note, third.note) == ("no", "not at all")
    assert archive.judgments.add_opinion("q1", "d1", 1, author="bob").revision == third.revision
    with pytest.raises(ArgumentError, match="10,000 characters"):
        archive.judgments.change("q1", "d1", 2, author="ada", note="x" * 10_001)


def test_undoing_an_import_restores_what_was_before(archive):
    """Grades, judges, notes and second opinions are restored; new pairs are unjudged again."""
    archive.judgments.change("q1", "d1", 3, author="bob", note="mine")
    archive.judgments.add_opinion("q1", "d1", 1, author="dan")
    before = archive.judgments.with_opinions()
    done = import_file(
        archive, ("eve", {"d1": 0, "d2": 2}, False), ("fay", {"d1": 1, "d2": 0}, True)
    )
    assert (done.import_id, done.n_changed, done.file_name) == (1, 4, "qrels.txt")
    assert grades(archive) == {"d1": (0, "eve"), "d2": (2, "eve")}
    assert archive.imports.changed_since(1) == 0
    undone = archive.imports.undo(1, author="ada")
    assert (undone.undone_by, undone.n_kept) == ("ada", 0)
    assert grades(archive) == {"d1": (3, "bob")}
    assert archive.judgments.get("q1", "d1").note == "mine"
    assert archive.judgments.current() == before
    sources = {one.source for one in archive.judgments.history("q1", "d2")}
    assert sources == {"file", "undo of import 1"}
    opinions = archive.judgments.with_opinions().opinions[b"q1"][b"d1"]
    assert [(one.judge, one.grade) for one in opinions] == [(b"bob", 3), (b"dan", 1)]


def test_pairs_judged_since_an_import_are_kept_by_its_undo(archive):
    """They are counted beforehand, and afterwards."""
    import_file(archive, ("eve", {"d1": 0, "d2": 2, "d3": 1}, False))
    archive.judgments.change("q1", "d1", 3, author="bob")
    archive.judgments.add_opinion("q1", "d3", 2, author="bob")
    assert archive.imports.changed_since(1) == 2
    assert archive.imports.undo(1, author="ada").n_kept == 2
    assert grades(archive) == {"d1": (3, "bob"), "d3": (1, "eve")}


def test_an_import_is_undone_once(archive):
    """A second undo is rejected, and so is the undo of an import that does not exist."""
    import_file(archive, ("eve", {"d1": 0}, False))
    archive.imports.undo(1, author="ada")
    with pytest.raises(ConflictError, match="undone by ada"):
        archive.imports.undo(1, author="bob")
    for act in (archive.imports.changed_since, lambda n: archive.imports.undo(n, author="bob")):
        with pytest.raises(NotFoundError, match="import"):
            act(2)
    assert archive.imports.get(2) is None


def test_undoing_an_import_applies_the_rule_again(archive):
    """A mean no longer includes the grades of the file."""
    archive.judging.put(JudgingPolicy("mean"))
    archive.judgments.change("q1", "d1", 3, author="bob")
    import_file(archive, ("eve", {"d1": 0}, True), ("fay", {"d1": 0}, True))
    assert grades(archive) == {"d1": (1, "mean of 3 judges")}
    archive.imports.undo(1, author="ada")
    assert grades(archive) == {"d1": (3, "bob")}


def test_imports_are_listed_newest_first(archive):
    """An import that changed nothing is listed as well."""
    import_file(archive, ("eve", {"d1": 0}, False), name="a.txt")
    import_file(archive, ("eve", {"d1": 0}, False), name="b.txt")
    found = archive.imports.page().items
    assert [(one.file_name, one.n_changed) for one in found] == [("b.txt", 0), ("a.txt", 1)]
    assert archive.imports.undo(2, author="ada").n_kept == 0
    assert grades(archive) == {"d1": (0, "eve")}


def test_opinions_that_were_settled_are_exported_on_request(archive):
    """A settled grade is exported alone, or followed by the opinions that it settled."""
    archive.judgments.change("q1", "d1", 3, author="ada")
    archive.judgments.add_opinion("q1", "d1", 0, author="bob")
    archive.judgments.change("q1", "d1", 2, author="eve", source="settled")
    judges = {
        flag: [one.judge for one in archive.judgments.with_opinions(with_settled=flag)
               .opinions[b"q1"][b"d1"]]
        for flag in (False, True)
    }  # fmt: skip
    assert judges == {False: [b"eve"], True: [b"eve", b"ada", b"bob"]}


def test_undoing_the_first_of_two_grades_makes_the_second_the_judgment(archive):
    """The other judge's grade counts, and the first judge can answer again."""
    first = archive.judgments.add_opinion("q1", "d1", 3, author="ada")
    archive.judgments.add_opinion("q1", "d1", 0, author="bob", note="no")
    archive.judgments.add_opinion("q1", "d1", 1, author="dan")
    archive.judgments.undo("q1", "d1", author="ada", if_revision=first.revision)
    opinions = archive.judgments.with_opinions().opinions[b"q1"][b"d1"]
    assert [(one.judge, one.grade, one.note) for one in opinions] == [
        (b"bob", 0, b"no"), (b"dan", 1, None)
    ]  # fmt: skip
    archive.judgments.add_opinion("q1", "d1", 2, author="ada")
    table = archive.judgment_index.table()
    assert [*table.opinions.values()] == [{"bob": 0, "dan": 1, "ada": 2}]
    assert table.n_conflicts == 1
