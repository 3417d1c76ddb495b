"""Comparisons in one sentence."""

import pytest

from berryeval import compare
from berryeval.evaluation.comparison import headline
from berryeval.evaluation.headline import listing
from berryeval.measures import parse_measure
from example_results import a_comparison, compare_these

JUDGED = {"q1": {"d1": 1}, "q2": {"d2": 1}}
THIRTY = {f"q{i:02}": {"d": 1} for i in range(30)}
BEFORE = {q: ["d"] if i % 3 else ["x", "d"] for i, q in enumerate(THIRTY)}
LACKING = {q: BEFORE[q] for q in list(BEFORE)[12:]}


@pytest.mark.parametrize(
    ("qualities", "word"),
    [((0.1, 2.0), "better"), ((2.0, 0.1), "worse"), ((0.6, 0.6), "not clearly different")],
)
def test_the_sentence_names_the_better_system(qualities, word):
    """It follows from the interval of the first measure."""
    comparison = a_comparison(80, dict(zip(("old", "new"), qualities, strict=True)))
    assert comparison.sentence.startswith(f"new is {word} ")
    assert f"{comparison.differences[0].candidate_mean:.4f}" in comparison.sentence


def test_the_sentence_of_several_candidates_groups_them():
    """Better, worse and unclear candidates are listed together."""
    systems = {"base": 0.8, "good": 3.0, "great": 3.0, "bad": 0.0}
    assert a_comparison(80, systems).sentence == (
        "By nDCG@10, good and great are better than base; bad is worse than base."
    )
    few = {q: ["d"] if i < 4 else BEFORE[q] for i, q in enumerate(THIRTY)}
    assert compare(THIRTY, {"a": BEFORE, "b": few, "c": few}, "RR").sentence == (
        "By RR, b and c differ from a in too few queries to decide."
    )


def test_the_sentence_counts_many_candidates():
    """It names the best one, if any is better."""
    few = {q: ["d"] if i < 4 else BEFORE[q] for i, q in enumerate(THIRTY)}
    good, bad = {key: ["d"] for key in THIRTY}, {key: ["x", "y"] for key in THIRTY}
    nearly = {q: ["d"] if i != 3 else ["x", "d"] for i, q in enumerate(THIRTY)}
    runs = {"base": BEFORE, "good": nearly, "best": good, "bad": bad, "few": few, "same": few}
    assert compare(THIRTY, runs, "RR").sentence == (
        "By RR, 1 of 5 is better than base, 1 is worse, 3 differ in too few queries to decide; "
        "the best is best."
    )
    runs = {"base": BEFORE, **{f"bad{i}": bad for i in range(5)}}
    assert compare(THIRTY, runs, "RR").sentence == "By RR, 5 of 5 are worse than base."


def test_the_sentence_reports_few_changed_queries():
    """It has both means, and makes no claim."""
    few = {q: ["d"] if i < 4 else BEFORE[q] for i, q in enumerate(THIRTY)}
    assert compare(THIRTY, {"a": BEFORE, "b": few}, "RR").sentence == (
        "b differs from a in too few queries to decide: RR is 0.8667, compared with 0.8333, and "
        "only 2 of 30 queries changed."
    )
    three = ["q1", "q2", "q3"]
    runs = {"a": {key: ["x", "d"] for key in three}, "b": {key: ["d"] for key in three}}
    assert compare({key: {"d": 1} for key in three}, runs, "RR").sentence.endswith(
        "compared with 0.5000, and the set has only 3 queries."
    )


def test_the_sentence_of_equal_rankings_claims_nothing():
    """Equal scores are not a result."""
    same = {"q1": ["d1"], "q2": ["d2"]}
    found = compare_these(JUDGED, {"a": same, "b": same})
    assert found.sentence == "b and a score the same nDCG@10 for every query."


def test_missing_queries_come_first():
    """Their number by side, the result over common queries, and the one with zeros follow."""
    found = compare(THIRTY, {"a": LACKING, "b": BEFORE}, "RR")
    assert found.sentence == (
        "12 of 30 judged queries are missing from a. Over the 18 queries in every run, b and a "
        "score the same RR for every query. With missing queries scored as 0, b is better than a: "
        "RR rises from 0.5000 to 0.8333."
    )
    other = {q: BEFORE[q] for q in list(BEFORE)[:-1]}
    both = compare(THIRTY, {"a": LACKING, "b": other}, "RR").sentence
    assert both.startswith("12 of 30 judged queries are missing from a, and 1 from b. Over the 17")


def test_two_results_that_agree_are_written_once():
    """The same words for two sets of queries would only be read twice."""
    fewer = {q: ranking for q, ranking in BEFORE.items() if q not in ("q00", "q01")}
    better = {key: ["d"] for key in THIRTY} | {"q02": ["x", "d"]}
    worse = {q: ["y", "z", *ranking] for q, ranking in BEFORE.items()}
    assert compare(THIRTY, {"a": worse, "b": {q: better[q] for q in fewer}}, "RR").sentence == (
        "2 of 30 judged queries are missing from b. Over the 28 queries in every run, b is better "
        "than a: RR rises from 0.3065 to 0.9821. With missing queries scored as 0, this holds, too."
    )
    several = compare(THIRTY, {"a": worse, "b": fewer, "c": better}, "RR").sentence
    assert several.endswith(
        "by RR, b and c are better than a. With missing queries scored as 0, this holds, too."
    )


def test_missing_queries_that_are_left_out_are_named():
    """With `missing="skip"` there is one result, over the common queries."""
    found = compare(THIRTY, {"a": LACKING, "b": BEFORE}, "RR", missing="skip")
    assert found.sentence == (
        "12 of 30 judged queries are missing from a, and left out. b and a score the same RR for "
        "every query."
    )


def test_without_common_queries_only_the_result_with_zeros_remains():
    """Three runs may have none in common, although each shares some with the baseline."""
    parts = {
        "a": BEFORE,
        "b": dict(list(BEFORE.items())[:15]),
        "c": dict(list(BEFORE.items())[15:]),
    }
    found = compare(THIRTY, parts, "RR")
    assert found.common == ()
    assert found.sentence == (
        "15 of 30 judged queries are missing from b, and 15 from c. No query is in every run. With "
        "missing queries scored as 0, by RR, b and c are worse than a."
    )


def test_another_measure_can_have_the_headline():
    """Missing queries do not decide there, either."""
    found = compare(THIRTY, {"a": LACKING, "b": BEFORE}, ["P@1", "RR"])
    rr = parse_measure("RR")
    assert headline(found, rr) == (
        "12 of 30 judged queries are missing from a. Over the 18 queries in every run, b and a "
        "score the same RR for every query. With missing queries scored as 0, b is better than a: "
        "RR rises from 0.5000 to 0.8333."
    )
    assert [d.finding for d in found.deciding(rr)] == ["untested"]


def test_lists_are_written_as_people_write_them():
    """Commas separate items, with "and" before the last."""
    assert listing(["a"]) == "a"
    assert listing(["a", "b", "c"]) == "a, b and c"


def test_cautions_come_first_where_every_score_is_0():
    """Equal zeros are no result if the ids do not match."""
    wrong = {query_id: ["x1"] for query_id in JUDGED}
    sentence = compare(JUDGED, {"a": wrong, "b": wrong}, "RR").sentence
    assert sentence.startswith("Caution: every score is 0; check that the run has the document ids")
    assert sentence.endswith(" b and a score 0 in RR for every query.")
    same = {query_id: ["d1", "d2"] for query_id in JUDGED}
    assert compare(JUDGED, {"a": same, "b": same}, "RR").sentence == (
        "b and a score the same RR for every query."
    )
