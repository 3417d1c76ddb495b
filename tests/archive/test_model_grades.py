from dataclasses import replace

import pytest

from archive.judged_by_models import admission, identity, model_grade, proposal
from berryeval import Judgments, Query
from berryeval.archive import JudgmentEntry
from berryeval.archive.records import JudgingPolicy
from berryeval.errors import ArgumentError, ConflictError, InputTypeError, NotFoundError
from berryeval.evaluation.label_draw import draw_labels
from berryeval.judges.protocol import Guideline, Scale


def test_grades_are_stored_as_they_are_and_only_once(archive):
    """Uploading the same grades again changes nothing, nor does another grade with that hash."""
    grades = [
        model_grade("q1", "d1", 2, reason="it answers", confidence=0.8, model="qwen-7b"),
        model_grade("q1", "d2", None, reason="no text"),
        model_grade("q1", "d1", 1, number=1),
    ]
    assert archive.model_grades.put(grades) == 3
    assert archive.model_grades.put([replace(grades[0], grade=0)]) == 0
    who = identity().digest
    assert sorted(archive.model_grades.of_judge(who), key=lambda one: one.content) == sorted(
        grades, key=lambda one: one.content
    )
    assert {*archive.model_grades.iter_all()} == {*grades}
    assert archive.model_grades.repeated(who) == [grades[0], grades[2]]
    assert archive.model_grades.models(who) == {"qwen-7b"}
    assert archive.model_grades.stamp() == 3


def test_grades_of_models_are_no_judgments(archive):
    """People's judgments, and everything that is scored with them, do not change."""
    before = archive.judgments.hash()
    archive.model_grades.put([model_grade("q1", "d1", 2)])
    assert archive.judgments.current().n_rows == 0
    assert archive.judgments.hash() == before


def test_totals_count_calls_and_refusals(archive):
    """A repetition counts as a call, but not as another pair."""
    archive.model_grades.put(
        [
            model_grade("q1", "d1", 2),
            model_grade("q1", "d2", None),
            model_grade("q1", "d1", 2, number=1),
            model_grade("q1", "d1", 0, "other", judged_at="2026-11-19T00:00:00Z"),
        ]
    )
    first, second = archive.model_grades.totals()
    assert (first.judge, first.n_pairs, first.n_unanswered, first.n_calls) == ("qwen", 2, 1, 3)
    assert (first.input_tokens, first.output_tokens) == (600, 60)
    assert (second.judge, second.n_pairs) == ("other", 1)


def test_pages_of_grades_are_those_of_a_judge(archive):
    """All of them are listed, in the order of ids."""
    archive.model_grades.put([model_grade(f"q{n}", "d1", 1) for n in (2, 1, 3)])
    archive.model_grades.put([model_grade("q1", "d1", 0, "other")])
    page = archive.model_grades.page(identity=identity().digest, limit=2)
    assert [one.query_id for one in page.items] == ["q1", "q2"]
    page = archive.model_grades.page(identity=identity().digest, after=page.next, limit=2)
    assert [one.query_id for one in page.items] == ["q3"]
    assert len(archive.model_grades.page().items) == 4


@pytest.mark.parametrize(
    "wrong",
    [
        {"grade": float("nan")}, {"confidence": 1.5}, {"purpose": "fun"}, {"judged_at": "soon"},
        {"judged_at": 7}, {"n_calls": -1}, {"input_tokens": 1.5}, {"content": ""},
        {"identity": 3}, {"reason": None}, {"reason": "x" * 1001}, {"judge": ""},
    ],
)  # fmt: skip
def test_an_invalid_grade_is_rejected_with_all_others(archive, wrong):
    """Either all grades are stored or none; the message names the field."""
    with pytest.raises((ArgumentError, InputTypeError), match=r"\w+: expected"):
        archive.model_grades.put(
            [model_grade("q1", "d1", 1), replace(model_grade("q2", "d1", 1), **wrong)]
        )
    assert archive.model_grades.stamp() == 0


def test_checks_are_kept_and_the_same_one_is_stored_once(archive):
    """A judge's checks are listed oldest first."""
    first = admission(result={"kappa": {"value": 0.4}}, is_admitted=False)
    second = admission(checked_at="2026-11-19T08:00:00+00:00", models=("qwen-7b",))
    assert archive.admissions.put([second, first], stored_by="ada") == 2
    assert archive.admissions.put([first], stored_by="bob") == 0
    assert archive.admissions.all() == [first, second]
    with pytest.raises(InputTypeError, match="is_admitted"):
        archive.admissions.put([replace(first, is_admitted="yes")], stored_by="ada")


def test_the_guideline_of_a_check_is_that_of_the_policy(archive):
    """It consists of text and labels; without labels, the scale ends with the highest grade."""
    assert archive.judging.guideline() is None
    archive.judging.adopt_guideline(" Judge from\r\nthe text.\n")
    assert archive.judging.guideline() is None  # the scale is unknown
    archive.judgments.put([JudgmentEntry("q1", "d1", 2)], author="ada")
    text = "Judge from\nthe text."
    assert archive.judging.guideline() == Guideline(text, Scale(2))
    labels = ("no", "hardly", "partly", "yes")
    archive.judging.put(JudgingPolicy(labels=labels, guideline=text))
    assert archive.judging.guideline() == Guideline(text, Scale(3, labels))


def test_an_archive_keeps_its_guideline(archive):
    """Adopting one does not declare a rule, so a file still may; an empty guideline is ignored."""
    archive.judging.adopt_guideline(" \n")
    archive.judging.adopt_guideline("Judge fairly.")
    archive.judging.adopt_guideline("Judge otherwise.")
    declared = Judgments.from_dict({"q1": {"d1": 1}})
    declared.judges = "max"
    assert archive.judging.to_adopt(declared) == JudgingPolicy("max", None, "Judge fairly.")
    archive.judging.put(JudgingPolicy("first", None, "Judge fairly."))
    assert archive.judging.to_adopt(declared) is None


def test_a_draw_never_changes(archive):
    """The same draw may be stored again; a different one needs another name."""
    ids = [f"q{n}" for n in range(30)]
    stored, is_new = archive.label_draws.put("first", draw_labels(ids, 12), created_by="ada")
    assert is_new
    assert archive.label_draws.get("first").draw == stored.draw
    assert archive.label_draws.put("first", stored.draw, created_by="bob")[1] is False
    with pytest.raises(ConflictError, match="label draw 'first'"):
        archive.label_draws.put("first", draw_labels(ids, 13), created_by="ada")
    assert [one.name for one in archive.label_draws.page().items] == ["first"]
    assert archive.label_draws.remove("first")
    assert archive.label_draws.get("first") is None


def test_nothing_enters_the_queries_before_a_person_accepts_it(archive):
    """This holds even if a file marks them as accepted."""
    archive.proposals.put([proposal("P1"), proposal("P2", status="accepted")])
    assert archive.queries.all() == {}
    assert archive.proposals.counts() == {"proposed": 2}
    added = archive.proposals.accept("P1", reviewer="ada", query="how long does it take?")
    assert (added.status, added.original, added.reviewed_by) == ("added", "how long?", "ada")
    assert archive.queries.all() == {
        "P1": Query("P1", "how long does it take?", "factoid", "easy", "to know")
    }
    assert archive.proposals.get("P1") == added


@pytest.mark.parametrize("status", ["accepted", "added", "rejected"])
def test_no_reviewer_is_taken_from_a_file(archive, status):
    """Otherwise, a judge's upload could bear the name of a person."""
    given = replace(proposal("P1", status=status), reviewed_by="ada", reviewed_at="2026-11-18")
    archive.proposals.put([given])
    found = archive.proposals.get("P1")
    assert found.status == ("proposed" if status == "accepted" else status)
    assert (found.reviewed_by, found.reviewed_at) == (None, None)


def test_decisions_on_proposals_are_final(archive):
    """Neither another person nor a second upload replaces a decision."""
    archive.proposals.put([proposal("P1"), proposal("P2")])
    archive.proposals.reject("P1", reviewer="ada", why="too easy")
    assert archive.proposals.put([proposal("P1")]) == 0
    with pytest.raises(ConflictError, match="rejected by ada"):
        archive.proposals.accept("P1", reviewer="bob")
    with pytest.raises(NotFoundError):
        archive.proposals.reject("P9", reviewer="bob")
    assert [one.query_id for one in archive.proposals.page(status="proposed").items] == ["P2"]
    archive.queries.put([Query("P2", "another query")])
    with pytest.raises(ConflictError, match="another query"):
        archive.proposals.accept("P2", reviewer="bob")
    with pytest.raises(ArgumentError, match="status"):
        archive.proposals.put([proposal("P3", status="new")])


def test_totals_of_hostile_counts_can_be_summed(archive):
    """Counts that no judge can reach are rejected, since pages could not show their sum."""
    for name in ("n_calls", "input_tokens", "output_tokens", "number"):
        with pytest.raises(ArgumentError, match=f"{name}: expected at most 2,147,483,647"):
            archive.model_grades.put([model_grade("q1", "d1", 1, **{name: 2**53})])
    most = {"n_calls": 2**31 - 1, "input_tokens": 2**31 - 1}
    archive.model_grades.put([model_grade(f"q{n}", "d1", 1, **most) for n in range(20)])
    [found] = archive.model_grades.totals()
    assert found.n_calls == found.input_tokens == 20 * (2**31 - 1)


def test_first_grades_are_streamed(archive):
    """Repetitions and refusals are omitted, and grades are sorted by pair."""
    archive.model_grades.put(
        [
            model_grade("q1", "d1", 2),
            model_grade("q1", "d1", 0, number=1),
            model_grade("q1", "d2", None),
            model_grade("q2", "d1", 1, reason="partly"),
            model_grade("q2", "d1", 3, "other"),
        ]
    )
    who = identity().digest
    found = [(one[0], one[1], one[3]) for one in archive.model_grades.iter_first(who)]
    assert sorted(found) == [("q1", "d1", 2), ("q2", "d1", 1)]
    [one] = archive.model_grades.of_pairs(who, [("q2", "d1"), ("q9", "d9")])
    assert (one.grade, one.reason) == (1, "partly")


@pytest.mark.parametrize("name", ["fingerprint", "rule", "result"])
def test_a_check_has_a_limited_size(archive, name):
    """Every list of judges reads all checks."""
    huge = {str(number): "x" * 100 for number in range(10_000)}
    with pytest.raises(ArgumentError, match=f"{name}: expected at most .* characters of JSON"):
        archive.admissions.put([replace(admission(), **{name: huge})], stored_by="ada")
    assert archive.admissions.all() == []


def test_two_reviewers_at_once_leave_one_text(archive, monkeypatch):
    """Proposal and query have the same text, whichever reviewer came second."""
    archive.proposals.put([proposal("P1", "how long?")])
    put = archive.queries.put

    def put_after_another(*given, **options):
        monkeypatch.setattr(archive.queries, "put", put)
        stored = put(*given, **options)
        with pytest.raises(ConflictError):  # accepted between the two steps, just too late
            archive.proposals.accept("P1", reviewer="bob", query="how much longer?")
        return stored

    monkeypatch.setattr(archive.queries, "put", put_after_another)
    archive.proposals.accept("P1", reviewer="ada", query="how long is it?")
    found = archive.proposals.get("P1")
    assert (found.status, found.query, found.reviewed_by) == ("added", "how long is it?", "ada")
    assert archive.queries.get("P1").text == "how long is it?"
