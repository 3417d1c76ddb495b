"""Second opinions, the rule that combines them, conflicts, and undo."""

import pytest

from archive.databases import ON_ONE_DATABASE
from berryeval.archive import Archive, JudgmentEntry
from berryeval.archive.judgments.opinions import SETTLED, PlainState, history_of
from berryeval.archive.records import JudgingPolicy, JudgmentBatch
from berryeval.core.judging import JUDGES, reduce_grades
from berryeval.core.judgments import Judgments
from berryeval.errors import ArgumentError, ConflictError, InputTypeError

PAIR = ("q1", "d1")


def judge(archive, grade, author, **more):
    """Judge the pair, replacing any judgment it has."""
    return archive.judgments.change(*PAIR, grade, author=author, **more)


def opine(archive, grade, author, **more):
    """Give a second opinion on the pair."""
    return archive.judgments.add_opinion(*PAIR, grade, author=author, **more)


def undo(archive, state):
    """Undo a state on behalf of its author."""
    return archive.judgments.undo(*PAIR, author=state.author, if_revision=state.revision)


def counted(archive):
    """Return the grade used in evaluations, or None."""
    return archive.judgments.current().to_dict().get("q1", {}).get("d1")


def history(archive):
    """Return the summary of all opinions on the pair."""
    return history_of(archive.judgments.history(*PAIR))


def test_a_second_opinion_does_not_set_the_grade_until_settled(archive):
    """It only counts towards agreement until a judge settles the conflict."""
    archive.judgments.put([JudgmentEntry(*PAIR, 2, "h")], author="ada", source="file")
    before = archive.judgments.hash()
    second = opine(archive, 0, "bob", source="workbench")
    assert (second.kind, second.grade, second.author) == ("opinion", 0, "bob")
    assert (counted(archive), archive.judgments.hash()) == (2, before)
    assert archive.judgments.get(*PAIR).author == "ada"
    assert history(archive).independent == {"ada": 2, "bob": 0}
    assert history(archive).is_conflict
    judge(archive, 1, "cora", source=SETTLED)
    assert counted(archive) == 1
    assert not history(archive).is_conflict
    assert history(archive).independent == {"ada": 2, "bob": 0}


def test_an_explicit_correction_replaces_the_grade_and_keeps_the_history(archive):
    """A correction is not a second opinion: it causes no conflict and does not affect agreement."""
    judge(archive, 2, "ada")
    judge(archive, 1, "bob")
    assert counted(archive) == 1
    assert [one.grade for one in archive.judgments.history(*PAIR)] == [2, 1]
    assert not history(archive).is_conflict
    assert history(archive).independent == {"bob": 1}


def test_the_first_opinion_on_a_pair_is_its_judgment(archive):
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
def test_the_rule_determines_the_grade(archive, rule, grade, author):
    """The rule may be declared before or after the opinions, and changed back."""
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
    """The preview lists, for each rule, the pairs whose grade would change."""
    judge(archive, 2, "ada")
    opine(archive, 0, "bob")
    archive.judgments.put([JudgmentEntry("q1", "d2", 1)], author="ada")
    archive.judgments.put([JudgmentEntry("q1", "d2", 1)], author="bob", as_opinion=True)
    assert archive.judging.preview() == {
        "first": 0, "latest": 1, "max": 0, "mean": 1, "majority": 1,
    }  # fmt: skip
    assert counted(archive) == 2


def test_a_new_judgment_resets_opinions_under_any_rule(archive):
    """Earlier opinions no longer count; later ones do."""
    archive.judging.put(JudgingPolicy("mean"))
    judge(archive, 2, "ada")
    opine(archive, 0, "bob")
    judge(archive, 3, "cora")
    assert counted(archive) == 3
    opine(archive, 1, "bob")
    assert counted(archive) == 2
    assert archive.judgments.get(*PAIR).author == "mean of 2 judges"


def test_each_judge_has_one_opinion(archive):
    """A judge's second opinion replaces the first, even on their own judgment."""
    archive.judging.put(JudgingPolicy("mean"))
    judge(archive, 3, "ada")
    opine(archive, 0, "bob")
    opine(archive, 1, "bob")
    assert counted(archive) == 2
    opine(archive, 2, "ada")
    assert counted(archive) == 1.5
    assert history(archive).independent == {"ada": 2, "bob": 1}


@ON_ONE_DATABASE
@pytest.mark.parametrize("rule", JUDGES)
def test_repeating_an_opinion_changes_nothing(archive, rule):
    """A client may resend a request; after a new judgment it is a new opinion."""
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


def test_a_judge_can_change_an_opinion_and_change_it_back(archive):
    """A judge's last opinion on their own judgment counts."""
    judge(archive, 2, "ada")
    opine(archive, 1, "ada")
    assert history(archive).is_conflict
    assert opine(archive, 2, "ada").grade == 2
    assert not history(archive).is_conflict
    assert history(archive).independent == {"ada": 2}


def test_an_opinion_is_kept_if_its_judge_removes_a_judgment(archive):
    """Removing a judgment and undoing the removal does not affect it."""
    judge(archive, 2, "ada")
    once = opine(archive, 1, "bob")
    undo(archive, archive.judgments.remove(*PAIR, author="bob"))
    assert opine(archive, 1, "bob") == once


@ON_ONE_DATABASE
@pytest.mark.parametrize("rule", JUDGES)
def test_agreeing_with_the_combined_grade_is_a_judgment(archive, rule):
    """It counts under every rule, and settles the conflict."""
    archive.judging.put(JudgingPolicy(rule))
    judge(archive, 2, "ada")
    opine(archive, 0, "bob")
    judge(archive, 0, "bob")
    assert archive.judgments.get(*PAIR).kind == "judgment"
    assert not history(archive).is_conflict
    archive.judging.put(JudgingPolicy())
    assert counted(archive) == 0


@pytest.mark.parametrize("rule", JUDGES)
def test_an_archive_and_a_file_combine_grades_alike(archive, rule):
    """A negative grade means unjudged, and counts only if all grades are negative."""
    archive.judging.put(JudgingPolicy(rule))
    for grades in [(2, 0, 1), (-1, 2, 0), (2, -1), (-1, -1), (0, 3, 3), (1, -2, 1)]:
        pair = ("q1", f"d{grades}")
        for number, grade in enumerate(grades):
            archive.judgments.add_opinion(*pair, grade, author=f"judge {number}")
        assert archive.judgments.current().to_dict()["q1"][pair[1]] == reduce_grades(grades, rule)
        found = history_of(archive.judgments.history(*pair))
        assert found.independent == {
            f"judge {number}": grade for number, grade in enumerate(grades) if grade >= 0
        }
        assert found.is_conflict == (len({grade for grade in grades if grade >= 0}) > 1)


def test_settling_with_the_current_grade_is_a_change(archive):
    """Otherwise the first judge could not confirm the existing grade."""
    before = judge(archive, 2, "ada")
    opine(archive, 1, "bob")
    settled = judge(archive, 2, "ada", source=SETTLED)
    assert settled.revision > before.revision
    assert not history(archive).is_conflict
    assert judge(archive, 2, "ada", source=SETTLED) == settled


def test_an_opinion_after_a_settlement_is_a_new_conflict(archive):
    """A settlement can turn out to be wrong."""
    judge(archive, 2, "ada", source=SETTLED)
    opine(archive, 0, "bob")
    assert history(archive).is_conflict
    assert history(archive).independent == {"bob": 0}


def test_undo_removes_the_first_judgment_of_a_pair(archive):
    """The pair is unjudged again, and the history shows both steps."""
    assert undo(archive, judge(archive, 2, "ada")) is None
    assert archive.judgments.get(*PAIR) is None
    assert [state.grade for state in archive.judgments.history(*PAIR)] == [2, None]


def test_undo_restores_the_previous_judgment(archive):
    """It keeps its own author, source and document hash."""
    archive.judgments.put([JudgmentEntry(*PAIR, 2, "h")], author="ada", source="file")
    again = undo(archive, judge(archive, 0, "bob"))
    assert (again.grade, again.author, again.source, again.document_hash) == (2, "ada", "file", "h")
    assert history(archive).independent == {"ada": 2}


def test_undoing_a_correction_restores_the_conflict(archive):
    """The grade set by the rule is restored, too."""
    archive.judging.put(JudgingPolicy("mean"))
    judge(archive, 2, "ada")
    opine(archive, 1, "bob")
    again = undo(archive, judge(archive, 0, "cora"))
    assert (again.grade, again.author) == (1.5, "mean of 2 judges")
    assert history(archive).is_conflict


def test_undo_restores_a_removed_judgment(archive):
    """It keeps its author; repeating the undo changes nothing."""
    judge(archive, 2, "ada")
    gone = archive.judgments.remove(*PAIR, author="bob")
    assert (gone.grade, counted(archive)) == (None, None)
    again = undo(archive, gone)
    assert (again.grade, again.author) == (2, "ada")
    assert undo(archive, gone) == again
    assert history(archive).independent == {"ada": 2}


@ON_ONE_DATABASE
@pytest.mark.parametrize("rule", JUDGES)
def test_undo_removes_an_opinion(archive, rule):
    """The grade without it applies again, as does the judge's earlier opinion."""
    archive.judging.put(JudgingPolicy(rule))
    judge(archive, 2, "ada")
    opine(archive, 1, "bob")
    before = archive.judgments.get(*PAIR)
    slip = opine(archive, 0, "bob")
    found = undo(archive, slip)
    assert (found.grade, found.author) == (before.grade, before.author)
    assert history(archive).independent == {"ada": 2, "bob": 1}
    assert undo(archive, slip) == found


def test_repeating_an_undo_changes_nothing(archive):
    """A client may resend a request whose response was lost."""
    judge(archive, 2, "ada")
    slip = judge(archive, 0, "bob")
    assert undo(archive, slip) == undo(archive, slip)


@ON_ONE_DATABASE
@pytest.mark.parametrize("rule", JUDGES)
def test_a_later_opinion_does_not_prevent_undo(archive, rule):
    """Under every rule, the opinion then applies to the previous judgment."""
    archive.judging.put(JudgingPolicy(rule))
    judge(archive, 2, "ada")
    slip = judge(archive, 0, "bob")
    opine(archive, 3, "cy")
    undo(archive, slip)
    assert counted(archive) == reduce_grades([2, 3], rule)
    assert history(archive).independent == {"ada": 2, "cy": 3}
    newest = archive.judgments.revision()
    undo(archive, slip)
    assert archive.judgments.revision() == newest


def test_undo_does_not_overwrite_a_later_judgment(archive):
    """The changes of other judges are kept."""
    mine = judge(archive, 2, "ada")
    judge(archive, 1, "bob")
    with pytest.raises(ConflictError):
        undo(archive, mine)
    with pytest.raises(ConflictError):
        archive.judgments.undo(*PAIR, author="ada", if_revision=mine.revision + 1)
    with pytest.raises(ConflictError, match="no judgment"):
        archive.judgments.undo("q1", "d9", author="ada", if_revision=1)
    assert counted(archive) == 1


def test_opinions_do_not_count_after_their_judgment_is_removed(archive):
    """Under any rule, opinions alone are not a judgment; they still count towards agreement."""
    archive.judging.put(JudgingPolicy("mean"))
    judge(archive, 2, "ada")
    opine(archive, 1, "bob")
    archive.judgments.remove(*PAIR, author="ada")
    assert counted(archive) is None
    assert not history(archive).is_conflict


def test_invalid_policies_are_rejected():
    """Rules have known names, and a scale has 2 to 10 short labels."""
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
    """Return judgments from a file with declarations."""
    found = Judgments.from_dict({"q9": dict(enumerate(grades))})
    for name, value in declared.items():
        setattr(found, name, value)
    return found


def adopt(archive, **declared):
    """Import judgments with declarations, and return the policy."""
    found = declaring(**declared)
    foreseen = archive.judging.to_adopt(found) or archive.judging.get()
    archive.judgments.put_batches([], declared=found)
    assert archive.judging.get() == foreseen
    return foreseen


@ON_ONE_DATABASE
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
    """A scale of 2 to 10 grades gives its labels, and the rule is adopted."""
    assert adopt(archive, **declared) == policy


@ON_ONE_DATABASE
@pytest.mark.parametrize(
    ("own", "policy"),
    [
        (JudgingPolicy("mean", ("No", "Yes")), JudgingPolicy("mean", ("No", "Yes"))),
        (JudgingPolicy("mean"), JudgingPolicy("mean", LABELS)),
        (JudgingPolicy("first"), JudgingPolicy("first", LABELS)),
    ],
)
def test_an_archive_keeps_its_own_policy(archive, own, policy):
    """A declared default rule is kept; a missing scale is adopted."""
    archive.judging.put(own)
    assert adopt(archive, scale=2, labels=LABELS, judges="max") == policy


def test_a_scale_exceeded_by_grades_is_not_adopted(archive):
    """This holds for grades in the archive and in the file; the rule is adopted anyway."""
    assert adopt(archive, grades=(3, 0), scale=2, labels=LABELS) == JudgingPolicy()
    judge(archive, 3, "ada")
    adopted = adopt(archive, scale=2, labels=LABELS, judges="latest")
    assert adopted == JudgingPolicy("latest")


def test_an_adopted_rule_applies_to_existing_opinions(archive):
    """It also applies to the imported judgments, in one transaction."""
    judge(archive, 1, "ada")
    opine(archive, 3, "bob")
    entries = [JudgmentBatch("eve", None, [JudgmentEntry("q1", "", 1)])]
    with pytest.raises(ArgumentError):
        archive.judgments.put_batches(entries, declared=declaring(judges="max"))
    assert (archive.judging.get(), counted(archive)) == (JudgingPolicy(), 1)
    adopt(archive, judges="max")
    assert counted(archive) == 3


def test_judgments_from_an_archive_carry_its_policy(archive):
    """Judgments from a file likewise carry the declarations of the file."""
    archive.judging.put(JudgingPolicy("mean", LABELS))
    current = archive.judgments.current()
    assert (current.scale, current.labels, current.judges) == (2, LABELS, "mean")


def test_the_policy_opinions_and_histories_survive_an_export(archive, tmp_path):
    """The imported archive has the same grades, and changes can be undone as before."""
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


def test_a_truncated_history_keeps_the_restored_judgment():
    """The grade recorded with the restoring state counts."""
    found = history_of([PlainState("ada", 2, revision=9, restores=3)])
    assert found.judgment == PlainState("ada", 2, revision=9, restores=3)


def test_a_removed_opinion_may_be_missing_from_the_history():
    """The history may be truncated."""
    found = history_of(
        [PlainState("ada", 2, revision=1), PlainState("bob", None, kind="opinion", revision=3)]
    )
    assert (found.pending, found.independent) == ((), {"ada": 2})
