"""Judgments are what people said: second opinions, the rule, conflicts, and undo."""

import pytest

from berryeval.archive import Archive, JudgmentEntry
from berryeval.archive.judgments.opinions import SETTLED, PlainState, history_of
from berryeval.archive.records import JudgingPolicy, JudgmentBatch
from berryeval.core.judging import JUDGES, reduce_grades
from berryeval.core.judgments import Judgments
from berryeval.errors import ArgumentError, ConflictError, InputTypeError

PAIR = ("q1", "d1")


def judge(archive, grade, author, **more):
    """Judge the pair, whatever is there."""
    return archive.judgments.change(*PAIR, grade, author=author, **more)


def opine(archive, grade, author, **more):
    """Give a second opinion on the pair."""
    return archive.judgments.add_opinion(*PAIR, grade, author=author, **more)


def undo(archive, state):
    """Undo a state, as its author."""
    return archive.judgments.undo(*PAIR, author=state.author, if_revision=state.revision)


def counted(archive):
    """The grade that counts in evaluations; None if there is none."""
    return archive.judgments.current().to_dict().get("q1", {}).get("d1")


def said(archive):
    """What all that was said amounts to."""
    return history_of(archive.judgments.history(*PAIR))


def test_a_second_opinion_does_not_count_until_it_is_settled(archive):
    """It counts for agreement only, until a judge settles the conflict."""
    archive.judgments.put([JudgmentEntry(*PAIR, 2, "h")], author="ada", source="file")
    before = archive.judgments.hash()
    second = opine(archive, 0, "bob", source="workbench")
    assert (second.kind, second.grade, second.author) == ("opinion", 0, "bob")
    assert (counted(archive), archive.judgments.hash()) == (2, before)
    assert archive.judgments.get(*PAIR).author == "ada"
    assert said(archive).independent == {"ada": 2, "bob": 0}
    assert said(archive).is_conflict
    judge(archive, 1, "cora", source=SETTLED)
    assert counted(archive) == 1
    assert not said(archive).is_conflict
    assert said(archive).independent == {"ada": 2, "bob": 0}


def test_an_explicit_correction_replaces_the_grade_and_keeps_the_history(archive):
    """It is a judgment and no second opinion: there is no conflict, and no agreement to count."""
    judge(archive, 2, "ada")
    judge(archive, 1, "bob")
    assert counted(archive) == 1
    assert [one.grade for one in archive.judgments.history(*PAIR)] == [2, 1]
    assert not said(archive).is_conflict
    assert said(archive).independent == {"bob": 1}


def test_the_first_opinion_of_a_pair_is_a_judgment(archive):
    """Without a judgment, an opinion becomes the judgment."""
    assert opine(archive, 2, "ada").kind == "judgment"
    assert counted(archive) == 2


@pytest.mark.parametrize(
    ("rule", "grade", "author"),
    [
        ("first", 3, "ada"),
        ("latest", 0, "cy"),
        ("max", 3, "max of 3 judges"),
        ("mean", 1, "mean of 3 judges"),
        ("majority", 0, "majority of 3 judges"),
    ],
)
def test_the_rule_decides_which_grade_counts(archive, rule, grade, author):
    """Whether it is declared before the opinions are given or after, and back again."""
    judge(archive, 3, "ada")
    archive.judging.put(JudgingPolicy(rule))
    opine(archive, 0, "bob")
    opine(archive, 0, "cy")
    now = archive.judgments.get(*PAIR)
    assert (now.grade, now.author, counted(archive)) == (grade, author, grade)
    archive.judging.put(JudgingPolicy())
    assert (counted(archive), archive.judgments.get(*PAIR).author) == (3, "ada")
    n_changed = archive.judging.put(JudgingPolicy(rule))
    assert (counted(archive), n_changed) == (grade, int(rule != "first"))


def test_a_rule_is_previewed_before_it_changes_a_grade(archive):
    """For each rule, the pairs that would have another grade."""
    judge(archive, 2, "ada")
    opine(archive, 0, "bob")
    archive.judgments.put([JudgmentEntry("q1", "d2", 1)], author="ada")
    archive.judgments.put([JudgmentEntry("q1", "d2", 1)], author="bob", as_opinion=True)
    assert archive.judging.preview() == {
        "first": 0, "latest": 1, "max": 0, "mean": 1, "majority": 1,
    }  # fmt: skip
    assert counted(archive) == 2


def test_a_new_judgment_starts_afresh_whatever_the_rule(archive):
    """Opinions from before it do not count any more, and a later one does."""
    archive.judging.put(JudgingPolicy("mean"))
    judge(archive, 2, "ada")
    opine(archive, 0, "bob")
    judge(archive, 3, "cora")
    assert counted(archive) == 3
    opine(archive, 1, "bob")
    assert counted(archive) == 2
    assert archive.judgments.get(*PAIR).author == "mean of 2 judges"


def test_a_judge_has_one_say(archive):
    """A second opinion of the same judge replaces the first, also on one's own judgment."""
    archive.judging.put(JudgingPolicy("mean"))
    judge(archive, 3, "ada")
    opine(archive, 0, "bob")
    opine(archive, 1, "bob")
    assert counted(archive) == 2
    opine(archive, 2, "ada")
    assert counted(archive) == 1.5
    assert said(archive).independent == {"ada": 2, "bob": 1}


@pytest.mark.parametrize("rule", JUDGES)
def test_the_same_opinion_once_more_changes_nothing(archive, rule):
    """A page whose answer got lost sends it again; after a new judgment it is a new opinion."""
    archive.judging.put(JudgingPolicy(rule))
    judge(archive, 2, "ada")
    once = opine(archive, 1, "bob")
    newest = archive.judgments.revision()
    assert opine(archive, 1, "bob") == once
    assert archive.judgments.revision() == newest
    judge(archive, 3, "ada")
    assert opine(archive, 1, "bob").revision > once.revision
    newest = archive.judgments.revision()
    assert opine(archive, 3, "ada").kind == "judgment", "her judgment says so"
    assert archive.judgments.revision() == newest


def test_a_judge_may_think_again_and_come_back(archive):
    """The last opinion of a judge on their own judgment counts."""
    judge(archive, 2, "ada")
    opine(archive, 1, "ada")
    assert said(archive).is_conflict
    assert opine(archive, 2, "ada").grade == 2
    assert not said(archive).is_conflict
    assert said(archive).independent == {"ada": 2}


def test_an_opinion_is_returned_whatever_its_judge_did_since(archive):
    """Taking a judgment back and undoing that does not touch it."""
    judge(archive, 2, "ada")
    once = opine(archive, 1, "bob")
    undo(archive, archive.judgments.remove(*PAIR, author="bob"))
    assert opine(archive, 1, "bob") == once


@pytest.mark.parametrize("rule", JUDGES)
def test_agreeing_with_what_the_rule_made_is_a_judgment(archive, rule):
    """It counts with every rule, and the conflict is settled."""
    archive.judging.put(JudgingPolicy(rule))
    judge(archive, 2, "ada")
    opine(archive, 0, "bob")
    judge(archive, 0, "bob")
    assert archive.judgments.get(*PAIR).kind == "judgment"
    assert not said(archive).is_conflict
    archive.judging.put(JudgingPolicy())
    assert counted(archive) == 0


@pytest.mark.parametrize("rule", JUDGES)
@pytest.mark.parametrize(
    "grades", [(2, 0, 1), (-1, 2, 0), (2, -1), (-1, -1), (0, 3, 3), (1, -2, 1)]
)
def test_an_archive_and_a_file_let_the_same_grade_count(archive, rule, grades):
    """A negative grade says that a judge did not judge, and counts only where all are negative."""
    archive.judging.put(JudgingPolicy(rule))
    for number, grade in enumerate(grades):
        opine(archive, grade, f"judge {number}")
    assert counted(archive) == reduce_grades(grades, rule)
    assert said(archive).independent == {
        f"judge {number}": grade for number, grade in enumerate(grades) if grade >= 0
    }
    assert said(archive).is_conflict == (len({grade for grade in grades if grade >= 0}) > 1)


def test_settling_with_the_grade_that_counts_is_a_change(archive):
    """Otherwise the judge who was first could not settle in favour of what is there."""
    before = judge(archive, 2, "ada")
    opine(archive, 1, "bob")
    settled = judge(archive, 2, "ada", source=SETTLED)
    assert settled.revision > before.revision
    assert not said(archive).is_conflict
    assert judge(archive, 2, "ada", source=SETTLED) == settled


def test_an_opinion_after_a_settlement_is_a_new_conflict(archive):
    """What was settled may turn out to be wrong."""
    judge(archive, 2, "ada", source=SETTLED)
    opine(archive, 0, "bob")
    assert said(archive).is_conflict
    assert said(archive).independent == {"bob": 0}


def test_undo_withdraws_the_first_judgment_of_a_pair(archive):
    """The pair is unjudged again, and the history shows both steps."""
    assert undo(archive, judge(archive, 2, "ada")) is None
    assert archive.judgments.get(*PAIR) is None
    assert [state.grade for state in archive.judgments.history(*PAIR)] == [2, None]


def test_undo_lets_the_judgment_before_count_again(archive):
    """It keeps its own author, source and document."""
    archive.judgments.put([JudgmentEntry(*PAIR, 2, "h")], author="ada", source="file")
    again = undo(archive, judge(archive, 0, "bob"))
    assert (again.grade, again.author, again.source, again.document_hash) == (2, "ada", "file", "h")
    assert said(archive).independent == {"ada": 2}


def test_undoing_a_correction_brings_the_conflict_back_that_it_ended(archive):
    """And what the rule made of it."""
    archive.judging.put(JudgingPolicy("mean"))
    judge(archive, 2, "ada")
    opine(archive, 1, "bob")
    again = undo(archive, judge(archive, 0, "cora"))
    assert (again.grade, again.author) == (1.5, "mean of 2 judges")
    assert said(archive).is_conflict


def test_undo_brings_back_what_was_taken_back(archive):
    """As it was, with its author; once more changes nothing."""
    judge(archive, 2, "ada")
    gone = archive.judgments.remove(*PAIR, author="bob")
    assert (gone.grade, counted(archive)) == (None, None)
    again = undo(archive, gone)
    assert (again.grade, again.author) == (2, "ada")
    assert undo(archive, gone) == again
    assert said(archive).independent == {"ada": 2}


@pytest.mark.parametrize("rule", JUDGES)
def test_undo_takes_an_opinion_back(archive, rule):
    """What counts without it counts again, and one's earlier opinion is there again."""
    archive.judging.put(JudgingPolicy(rule))
    judge(archive, 2, "ada")
    opine(archive, 1, "bob")
    before = archive.judgments.get(*PAIR)
    slip = opine(archive, 0, "bob")
    found = undo(archive, slip)
    assert (found.grade, found.author) == (before.grade, before.author)
    assert said(archive).independent == {"ada": 2, "bob": 1}
    assert undo(archive, slip) == found


def test_undoing_the_same_once_more_changes_nothing(archive):
    """An answer that got lost on its way may be asked for again."""
    judge(archive, 2, "ada")
    slip = judge(archive, 0, "bob")
    assert undo(archive, slip) == undo(archive, slip)


@pytest.mark.parametrize("rule", JUDGES)
def test_an_opinion_since_then_does_not_stand_in_the_way_of_undo(archive, rule):
    """The judgment is undone, and the opinion then applies to the previous one, with every rule."""
    archive.judging.put(JudgingPolicy(rule))
    judge(archive, 2, "ada")
    slip = judge(archive, 0, "bob")
    opine(archive, 3, "cy")
    undo(archive, slip)
    assert counted(archive) == reduce_grades([2, 3], rule)
    assert said(archive).independent == {"ada": 2, "cy": 3}
    newest = archive.judgments.revision()
    undo(archive, slip)
    assert archive.judgments.revision() == newest


def test_undo_does_not_overwrite_a_later_judgment(archive):
    """Later changes by others are not overwritten."""
    mine = judge(archive, 2, "ada")
    judge(archive, 1, "bob")
    with pytest.raises(ConflictError):
        undo(archive, mine)
    with pytest.raises(ConflictError):
        archive.judgments.undo(*PAIR, author="ada", if_revision=mine.revision + 1)
    with pytest.raises(ConflictError, match="no judgment"):
        archive.judgments.undo("q1", "d9", author="ada", if_revision=1)
    assert counted(archive) == 1


def test_taking_back_what_opinions_stand_beside_leaves_nothing_that_counts(archive):
    """Opinions alone are no judgment, by whatever rule; they stay for agreement."""
    archive.judging.put(JudgingPolicy("mean"))
    judge(archive, 2, "ada")
    opine(archive, 1, "bob")
    archive.judgments.remove(*PAIR, author="ada")
    assert counted(archive) is None
    assert not said(archive).is_conflict


def test_what_cannot_be_a_policy_is_refused():
    """Rules by name; 2 to 10 labels, each a short text."""
    with pytest.raises(ArgumentError, match="rule: expected 'first' or 'latest'"):
        JudgingPolicy("median")
    with pytest.raises(ArgumentError, match="labels: expected 2 to 10 labels, from grade 0 up"):
        JudgingPolicy(labels=["only"])
    with pytest.raises(ArgumentError, match=r"labels\[1\]: expected 1 to 60 characters, got 0"):
        JudgingPolicy(labels=["no", " "])
    with pytest.raises(InputTypeError, match="labels: expected a list of texts, got str"):
        JudgingPolicy(labels="no, yes")
    with pytest.raises(InputTypeError, match=r"labels\[0\]: expected a text, got int"):
        JudgingPolicy(labels=[0, 1])


LABELS = ("None", "A little", "All")


def declaring(grades=(2, 0), **declared):
    """Judgments of a file that declares something of them."""
    found = Judgments.from_dict({"q9": dict(enumerate(grades))})
    for name, value in declared.items():
        setattr(found, name, value)
    return found


def adopt(archive, **declared):
    """Import judgments that declare something, and return the policy."""
    found = declaring(**declared)
    foreseen = archive.judging.to_adopt(found) or archive.judging.get()
    archive.judgments.put_batches([], declared=found)
    assert archive.judging.get() == foreseen
    return foreseen


@pytest.mark.parametrize(
    ("declared", "policy"),
    [
        ({}, JudgingPolicy()),
        ({"scale": 2, "labels": LABELS, "judges": "max"}, JudgingPolicy("max", LABELS)),
        ({"scale": 2}, JudgingPolicy("first", ("Not relevant", "Partly relevant", "Relevant"))),
        ({"judges": "mean"}, JudgingPolicy("mean")),
        ({"scale": 2.5}, JudgingPolicy()),
        ({"scale": 100}, JudgingPolicy()),
    ],
)
def test_an_archive_without_a_policy_adopts_what_a_file_declares(archive, declared, policy):
    """As far as a policy can have it: the labels of a scale of 2 to 10 grades, and the rule."""
    assert adopt(archive, **declared) == policy


@pytest.mark.parametrize(
    ("own", "policy"),
    [
        (JudgingPolicy("mean", ("No", "Yes")), JudgingPolicy("mean", ("No", "Yes"))),
        (JudgingPolicy("mean"), JudgingPolicy("mean", LABELS)),
        (JudgingPolicy("first"), JudgingPolicy("first", LABELS)),
    ],
)
def test_an_archive_keeps_what_it_declares_itself(archive, own, policy):
    """A declared rule stays though it is the default; a scale is adopted where there is none."""
    archive.judging.put(own)
    assert adopt(archive, scale=2, labels=LABELS, judges="max") == policy


def test_a_scale_that_grades_exceed_is_not_adopted(archive):
    """Neither grades of the archive nor those of the file; the rule is another matter."""
    assert adopt(archive, grades=(3, 0), scale=2, labels=LABELS) == JudgingPolicy()
    judge(archive, 3, "ada")
    adopted = adopt(archive, scale=2, labels=LABELS, judges="latest")
    assert adopted == JudgingPolicy("latest")


def test_an_adopted_rule_applies_to_the_opinions_that_are_there(archive):
    """And to what comes with it, all or nothing."""
    judge(archive, 1, "ada")
    opine(archive, 3, "bob")
    entries = [JudgmentBatch("eve", None, [JudgmentEntry("q1", "", 1)])]
    with pytest.raises(ArgumentError):
        archive.judgments.put_batches(entries, declared=declaring(judges="max"))
    assert (archive.judging.get(), counted(archive)) == (JudgingPolicy(), 1)
    adopt(archive, judges="max")
    assert counted(archive) == 3


def test_judgments_of_an_archive_carry_its_policy(archive):
    """As those of a file carry what the file declares."""
    archive.judging.put(JudgingPolicy("mean", LABELS))
    current = archive.judgments.current()
    assert (current.scale, current.labels, current.judges) == (2, LABELS, "mean")


def test_the_policy_opinions_and_histories_survive_an_export(archive, tmp_path):
    """In an archive made of it everything counts as before, and can be undone as before."""
    policy = JudgingPolicy("mean", ("no", "a little", "some", "much", "all"))
    archive.judging.put(policy)
    judge(archive, 4, "ada")
    slip = opine(archive, 1, "bob")
    archive.export(tmp_path / "out")
    with Archive.open(tmp_path / "again.db") as again:
        again.import_(tmp_path / "out")
        assert (again.judging.get(), again.judging.get().highest) == (policy, 4)
        assert counted(again) == 2.5
        assert again.judgments.history(*PAIR) == archive.judgments.history(*PAIR)
        assert undo(again, slip).grade == 4


def test_an_undone_judgment_that_is_not_in_the_history_leaves_what_it_restored():
    """A history may be cut off; what a state says of itself counts then."""
    found = history_of([PlainState("ada", 2, revision=9, restores=3)])
    assert found.judgment == PlainState("ada", 2, revision=9, restores=3)


def test_an_opinion_that_was_taken_back_need_not_be_in_the_history():
    """For the same reason."""
    found = history_of(
        [PlainState("ada", 2, revision=1), PlainState("bob", None, kind="opinion", revision=3)]
    )
    assert (found.pending, found.independent) == ((), {"ada": 2})
