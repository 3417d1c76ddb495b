"""What each judge thinks of a pair, and where judges differ."""

import pytest

from berryeval.archive import JudgmentEntry
from berryeval.archive.opinions import SETTLED, Said, is_conflict, opinions_of
from berryeval.errors import ConflictError


def judge(archive, grade, author, pair=("q1", "d1"), **more):
    """Judge a pair, whatever is there."""
    return archive.judgments.change(*pair, grade, author=author, **more)


def opinions(archive, pair=("q1", "d1")):
    """What the history of a pair says."""
    states = archive.judgments.history(*pair)
    return opinions_of(Said(state.author, state.grade, state.source) for state in states)


def test_an_opinion_is_the_last_grade_of_its_author():
    """Judging again replaces one's own opinion, and nobody else's."""
    said = [Said("ada", 2, None), Said("bob", 0, "file"), Said("ada", 1, None)]
    assert opinions_of(said) == {"ada": 1, "bob": 0}


def test_taking_a_judgment_back_takes_the_opinion_back():
    """Whoever does it: the author is not bound to it any more."""
    assert opinions_of([Said("ada", 2, None), Said("ada", None, None)]) == {}
    by_admin = [Said("bob", 1, None), Said("ada", 2, None), Said("root", None, None)]
    assert opinions_of(by_admin) == {"bob": 1}


def test_what_settles_a_conflict_is_no_opinion_of_its_own():
    """It counts as the grade, and not for the agreement of judges."""
    said = [Said("ada", 2, None), Said("bob", 0, None)]
    assert is_conflict(opinions_of(said), None)
    settled = [*said, Said("ada", 1, SETTLED)]
    assert opinions_of(settled) == {"ada": 2, "bob": 0}
    assert not is_conflict(opinions_of(settled), SETTLED)
    assert not is_conflict({"ada": 1, "bob": 1}, None)


def test_settling_with_the_grade_that_counts_is_a_change(archive):
    """Otherwise the judge who was last could not settle in favour of what is there."""
    judge(archive, 2, "ada")
    before = judge(archive, 1, "bob")
    settled = judge(archive, 1, "bob", source=SETTLED)
    assert settled.revision > before.revision
    assert settled.source == SETTLED
    assert judge(archive, 1, "bob", source=SETTLED) == settled


def test_undo_takes_the_first_judgment_of_a_pair_back(archive):
    """Nobody had judged it before, and nobody has now; the history knows."""
    judged = judge(archive, 2, "ada")
    assert archive.judgments.undo("q1", "d1", author="ada", if_revision=judged.revision) is None
    assert archive.judgments.get("q1", "d1") is None
    assert [state.grade for state in archive.judgments.history("q1", "d1")] == [2, None]


def test_undo_lets_the_judgment_before_count_again(archive):
    """A second opinion that was a slip leaves the first as it was."""
    archive.judgments.put([JudgmentEntry("q1", "d1", 2, "h")], author="ada", source="file")
    slip = judge(archive, 0, "bob")
    again = archive.judgments.undo("q1", "d1", author="bob", if_revision=slip.revision)
    assert (again.grade, again.author, again.source, again.document_hash) == (2, "ada", "file", "h")
    assert opinions(archive) == {"ada": 2}


def test_undoing_the_same_once_more_changes_nothing(archive):
    """An answer that got lost on its way may be asked for again."""
    judge(archive, 2, "ada")
    slip = judge(archive, 0, "bob")
    first = archive.judgments.undo("q1", "d1", author="bob", if_revision=slip.revision)
    again = archive.judgments.undo("q1", "d1", author="bob", if_revision=slip.revision)
    assert first == again


def test_nobody_undoes_what_another_has_judged_since(archive):
    """A lost update would be one that nobody sees."""
    mine = judge(archive, 2, "ada")
    judge(archive, 1, "bob")
    with pytest.raises(ConflictError):
        archive.judgments.undo("q1", "d1", author="ada", if_revision=mine.revision)
    with pytest.raises(ConflictError):
        archive.judgments.undo("q1", "d1", author="ada", if_revision=mine.revision + 1)
    with pytest.raises(ConflictError, match="no judgment"):
        archive.judgments.undo("q1", "d9", author="ada", if_revision=1)
    assert archive.judgments.get("q1", "d1").grade == 1
