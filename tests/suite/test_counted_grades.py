"""The grades of judges that count."""

import pytest

import berryeval as be
from berryeval.core.run import Run
from berryeval.errors import MismatchError
from berryeval.golden.reading import read_golden_set
from berryeval.judges.function import FunctionJudge
from berryeval.suite.counted_grades import NOT_JUDGED, find_counted_grades, grades_of_pool
from berryeval.suite.judge_check import ask_sample, draw_sample, store_check
from berryeval.suite.judged_pairs import find_pool
from berryeval.suite.judging import judge_pool, plan_pool
from judges.chat_server import chance
from judges.judged_set import truth, write_judged_set

N_QUERIES = 30
RUNS = {
    "old": Run.from_lists({f"q{n}": [f"d{n}-0", f"d{n}-1"] for n in range(N_QUERIES)}),
    "new": Run.from_lists({f"q{n}": [f"d{n}-2", f"d{n}-1"] for n in range(N_QUERIES)}),
}


def with_errors(query, document):
    """Return the grade of people, but every fourth document gets one more or less."""
    lucky = chance("errs", query, document)
    return min(3, max(0, truth(query, document) + (lucky < 0.15) - (lucky > 0.9)))


def judge_of(name="mine", declines=()):
    """Return a judge that errs, and cannot judge the documents whose ids begin in some way."""

    def judge(query, _intent, document, *_):
        if document.doc_id.startswith(tuple(declines)):
            return None
        return with_errors(query.text, document.text)

    return FunctionJudge(judge, name, fingerprint={"version": "1"})


def admitted(folder, name="mine", declines=()):
    """Check a judge, let it judge the documents of the runs, and return the set."""
    golden = read_golden_set(folder)
    judge = judge_of(name, declines)
    found = ask_sample(golden, judge, draw_sample(golden, {}, n=150))
    assert found.admission.is_admitted, found.admission.reasons
    store_check(golden, found, {})
    judge_pool(golden, judge, plan_pool(golden, judge, find_pool(golden, RUNS, "all").pairs))
    return golden


@pytest.fixture
def folder(tmp_path):
    """A golden set without grades of judges."""
    return write_judged_set(tmp_path / "golden", N_QUERIES)


def test_the_pool_of_the_runs_is_exported(folder):
    """Grades of the check are not part of it: they belong to queries that people judged."""
    golden = admitted(folder)
    found = grades_of_pool(golden, RUNS, k=2)
    assert found.n_rows == 3 * N_QUERIES < find_counted_grades(golden).n_grades
    assert found.scale == 3
    grade = found.to_dict()["q4"]["d4-2"]
    assert grade == with_errors("topic 4", golden.chunks[4 * 8 + 2].text)
    assert grades_of_pool(golden, RUNS, k=1).n_rows == 2 * N_QUERIES


def test_an_incomplete_pool_is_refused(folder):
    """A document that the judge has not graded is named, with the way out."""
    golden = admitted(folder)
    deeper = {**RUNS, "deep": Run.from_lists({"q0": ["d0-7"]})}
    with pytest.raises(MismatchError, match=r"1 of 91 pairs .* q0 d0-7; run `berryeval judge"):
        grades_of_pool(golden, deeper)


def test_only_an_admitted_judge_counts(folder):
    """Without an admission, under another guideline or another name, nothing counts."""
    with pytest.raises(MismatchError, match="no judge is admitted"):
        find_counted_grades(read_golden_set(folder))
    admitted(folder)
    again = admitted(folder, "another")
    with pytest.raises(MismatchError, match="judge 'other' is not admitted"):
        find_counted_grades(again, "other")
    with pytest.raises(MismatchError, match="several judges are admitted, another, mine"):
        find_counted_grades(again)
    assert find_counted_grades(again, "mine").n_grades > 0
    (folder / "GUIDELINE.md").write_text("Be strict.")
    with pytest.raises(MismatchError, match="no judge is admitted"):
        find_counted_grades(read_golden_set(folder))


def test_grades_of_changed_texts_do_not_count(folder):
    """A document that was edited has to be judged again."""
    before = find_counted_grades(admitted(folder)).n_grades
    path = folder / "documents.jsonl"
    path.write_text(path.read_text().replace("Page 0 about topic 7.", "Page 0 about topic 7!"))
    assert find_counted_grades(read_golden_set(folder)).n_grades == before - 1


def test_a_pair_that_the_judge_cannot_judge_gains_nothing(folder):
    """The rest counts, also if a whole query is declined; the corrected mean stays that of people.

    Both would otherwise have to be asked again for ever.
    """
    golden = admitted(folder, declines=("d4-2", "d7-"))
    found = grades_of_pool(golden, RUNS, k=2)
    grades = found.to_dict()
    declined = {(q, d) for q, own in grades.items() for d, grade in own.items() if grade < 0}
    assert declined == {("q4", "d4-2"), ("q7", "d7-0"), ("q7", "d7-1"), ("q7", "d7-2")}
    assert {grades[q][d] for q, d in declined} == {NOT_JUDGED}
    everything = be.LabelDraw(dict.fromkeys(grades, "all"), frozenset(grades))
    model = be.ModelJudgments(found, everything)
    compared = be.compare(golden.judgments, RUNS, "P@2", model=model).difference("new", "P@2")
    assert compared.mean == be.compare(golden.judgments, RUNS, "P@2").difference("new", "P@2").mean
    assert compared.rests_on.n_model == 3 * N_QUERIES - 4
    half = be.draw_labels(grades, N_QUERIES // 2)
    partly = be.compare(golden.judgments, RUNS, "P@2", model=be.ModelJudgments(found, half))
    assert partly.difference("new", "P@2").rests_on.n_model == 3 * N_QUERIES - 4
