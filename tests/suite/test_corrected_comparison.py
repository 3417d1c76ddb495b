"""Differences by a judge's grades, corrected by those of people."""

import pytest

from berryeval.core.run import Run
from berryeval.errors import ArgumentError, MismatchError
from berryeval.evaluation.sources import load_run
from berryeval.golden.reading import read_golden_set
from berryeval.judges.function import FunctionJudge
from berryeval.reports.corrected_comparison import corrected_table
from berryeval.suite.corrected_comparison import compare_corrected, draw_queries
from berryeval.suite.counted_grades import find_counted_grades
from berryeval.suite.judge_check import ask_sample, draw_sample, store_check
from berryeval.suite.judged_pairs import find_pool
from berryeval.suite.judging import judge_pool, plan_pool
from judges.chat_server import chance
from judges.judged_set import truth, write_judged_set

N_QUERIES = 60
FIRST = Run.from_lists({f"q{n}": [f"d{n}-{p}" for p in (0, 1, 2, 3)] for n in range(N_QUERIES)})
ORDERS = [(4, 0, 2, 5), (0, 2, 1, 4), (5, 4, 3, 2), (1, 0, 5, 3), (3, 5, 0, 1)]
SECOND = Run.from_lists(
    {f"q{n}": [f"d{n}-{p}" for p in ORDERS[n % len(ORDERS)]] for n in range(N_QUERIES)}
)
RUNS = {"old": FIRST, "new": SECOND}
"""Everything in both is judged by people, so the true difference is known."""


def with_errors(query, document):
    """Grade as people do, but every fourth document one better or worse."""
    lucky = chance("errs", query, document)
    return min(3, max(0, truth(query, document) + (lucky < 0.15) - (lucky > 0.9)))


def admitted(folder, grade, name="mine"):
    """Check a judge, let it judge everything, and return the set."""
    golden = read_golden_set(folder)
    judge = FunctionJudge(
        lambda query, _intent, document, *_: grade(query.text, document.text),
        name,
        fingerprint={"version": "1"},
    )
    found = ask_sample(golden, judge, draw_sample(golden, RUNS, n=200))
    assert found.admission.is_admitted, found.admission.reasons
    store_check(golden, found, {})
    judge_pool(golden, judge, plan_pool(golden, judge, find_pool(golden, RUNS, "all").pairs))
    return golden


@pytest.fixture(scope="module")
def golden(tmp_path_factory):
    """A set with the grades of an admitted judge that errs."""
    folder = write_judged_set(tmp_path_factory.mktemp("corrected") / "golden", N_QUERIES)
    return admitted(folder, with_errors)


def test_people_correct_the_judge(golden):
    """The interval contains the true difference, and says what it rests on."""
    everyone = draw_queries(golden, N_QUERIES)
    true = compare_corrected(golden, RUNS, "nDCG@4", everyone).corrected.sample.mean
    found = compare_corrected(golden, RUNS, "nDCG@4", draw_queries(golden, 30))
    assert found.corrected.n_labelled == 30
    assert 0 < found.corrected.weight <= 1
    assert found.corrected.sample.interval().contains(true)
    assert found.rests_on.startswith("Rests on 180 human and ")
    spread = found.corrected.sample.standard_error
    assert spread < found.people.standard_error * 1.5


def test_with_all_queries_judged_the_judge_does_not_matter(golden):
    """People's mean is the mean."""
    found = compare_corrected(golden, RUNS, "P@4", draw_queries(golden, N_QUERIES))
    assert found.corrected.sample.mean == pytest.approx(found.people.mean)


def test_grades_of_other_pools_do_not_matter(tmp_path):
    """The judge's score is made of what both runs return, for drawn and other queries alike."""
    folder = write_judged_set(tmp_path / "golden", N_QUERIES)
    golden = admitted(folder, with_errors)
    drawn = draw_queries(golden, 30)
    before = compare_corrected(golden, RUNS, "nDCG@4", drawn)
    judge = FunctionJudge(
        lambda query, _intent, document, *_: with_errors(query.text, document.text),
        "mine",
        fingerprint={"version": "1"},
    )
    others = Run.from_lists({query_id: [f"d{query_id[1:]}-7"] for query_id in drawn})
    pool = find_pool(golden, {"other": others}, "all").pairs
    judge_pool(golden, judge, plan_pool(golden, judge, pool))
    after = compare_corrected(golden, RUNS, "nDCG@4", drawn)
    assert after.corrected == before.corrected
    assert after.n_model == before.n_model


def test_too_few_differences_leave_it_to_people(tmp_path):
    """The rule of ten: a judge that seems perfect narrows nothing."""
    folder = write_judged_set(tmp_path / "golden", N_QUERIES)
    golden = admitted(folder, truth)
    found = compare_corrected(golden, RUNS, "nDCG@4", draw_queries(golden, 20))
    assert found.corrected.weight == 0
    assert found.rests_on == "Rests on 120 human judgments and no model judgments."
    assert "People's grades count alone" in corrected_table(found, 0.95).notes[-1]


def test_the_draw_depends_on_the_set_alone(golden):
    """A larger draw keeps the smaller one; the order is not that of the file."""
    assert draw_queries(golden, 50)[:10] == draw_queries(golden, 10)
    assert draw_queries(golden, 10) != [f"q{number}" for number in range(10)]


def test_an_incomplete_pool_is_refused(golden, tmp_path):
    """Every document of both runs needs a grade of the judge, and of people for drawn queries."""
    deeper = {**RUNS, "new": Run.from_lists({"q0": ["d0-7"]})}
    with pytest.raises(MismatchError, match=r"1 of \d+ pairs have no grade by the judge.*q0 d0-7"):
        compare_corrected(golden, deeper, "nDCG@4", draw_queries(golden, 10))
    folder = write_judged_set(tmp_path / "golden", 30)
    runs = {name: load_run(str(tmp_path / f"{name}.run")) for name in ("old", "new")}
    fresh = admitted(folder, with_errors)
    judge = FunctionJudge(
        lambda query, _intent, document, *_: with_errors(query.text, document.text),
        "mine",
        fingerprint={"version": "1"},
    )
    judge_pool(fresh, judge, plan_pool(fresh, judge, find_pool(fresh, runs, "all").pairs))
    with pytest.raises(MismatchError, match="20 of 80 pairs have no grade by people"):
        compare_corrected(fresh, runs, "nDCG@6", [f"q{number}" for number in range(10)])


def test_only_an_admitted_judge_counts(golden, tmp_path):
    """Without an admission, under another guideline or another name, nothing is computed."""
    with pytest.raises(MismatchError, match="judge 'other' is not admitted"):
        find_counted_grades(golden, "other")
    folder = write_judged_set(tmp_path / "golden", 30)
    with pytest.raises(MismatchError, match="no judge is admitted"):
        find_counted_grades(read_golden_set(folder))
    admitted(folder, with_errors)
    again = admitted(folder, with_errors, "another")
    with pytest.raises(MismatchError, match="several judges are admitted, another, mine"):
        find_counted_grades(again)
    assert find_counted_grades(again, "mine").n_grades > 0
    (folder / "GUIDELINE.md").write_text("Be strict.")
    with pytest.raises(MismatchError, match="no judge is admitted"):
        find_counted_grades(read_golden_set(folder))


def test_grades_of_changed_texts_do_not_count(tmp_path):
    """A document that was edited has to be judged again."""
    folder = write_judged_set(tmp_path / "golden", 30)
    before = find_counted_grades(admitted(folder, with_errors)).n_grades
    path = folder / "documents.jsonl"
    path.write_text(path.read_text().replace("Page 0 about topic 7.", "Page 0 about topic 7!"))
    assert find_counted_grades(read_golden_set(folder)).n_grades == before - 1


@pytest.mark.parametrize(
    ("runs", "measure", "drawn", "problem"),
    [
        ({"old": FIRST}, "nDCG@4", ["q0"], "a baseline and a candidate"),
        (RUNS, "AP", ["q0"], "one with a cutoff"),
        (RUNS, "nDCG@4", ["q0", "q999"], "queries of the golden set, got 'q999'"),
        (RUNS, "nDCG@4", ["q0"], "at least 10 queries, got 1"),
    ],
)
def test_what_cannot_be_compared_is_refused(golden, runs, measure, drawn, problem):
    """The argument is named."""
    with pytest.raises(ArgumentError, match=problem):
        compare_corrected(golden, runs, measure, drawn)


def test_weights_and_groups_are_refused(golden):
    """The correction has no formula for them yet."""
    from dataclasses import replace

    queries = (replace(golden.queries[0], weight=2.0), *golden.queries[1:])
    with pytest.raises(ArgumentError, match="without weights and groups"):
        compare_corrected(replace(golden, queries=queries), RUNS, "nDCG@4", ["q0", "q1"])
