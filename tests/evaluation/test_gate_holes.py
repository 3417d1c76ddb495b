"""Verdicts that the grades of unjudged documents could change."""

import pytest

from berryeval import Query, compare, gate
from berryeval.evaluation.guards import Margin, MarginGuard
from berryeval.measures import parse_measure
from evaluation.gating_cases import RELEVANT, ids, judged, only, ranked


def unjudged_runs():
    """Return runs with an unjudged document instead of a relevant one in half of the queries."""
    before = ranked([5] * 40)
    after = {q: (["u", *RELEVANT[1:]] if i % 2 else RELEVANT) for i, q in enumerate(ids(40))}
    return {"baseline": before, "candidate": after}


def test_a_verdict_that_unjudged_documents_could_change_is_marked():
    """It fails, but nothing would be lost if they were relevant; they are listed."""
    comparison = compare(judged(40), unjudged_runs(), "P@5", bounds=True)
    result = gate(comparison, margin=0.05)
    guard = only(result)
    assert result.verdict == "fail"
    assert guard.verdicts_by_holes == ("fail", "inconclusive")
    assert guard.depends_on_holes
    assert not guard.is_blocked_by_holes
    assert [hole.query_id for hole in result.holes] == ids(40)[1::2]
    assert {hole.doc_id for hole in result.holes} == {"u"}
    assert result.sentence.endswith("Extreme grades for 20 unjudged documents could change this.")


@pytest.mark.parametrize(
    ("settings", "is_blocked"),
    [
        ({"holes": "inconclusive"}, True),
        ({"holes": "report"}, False),
        ({"pool_depth": 5}, True),
        ({"pool_depth": 4}, False),
        ({"pool_depth": 5, "holes": "report"}, False),
        ({}, False),
    ],
)
def test_such_a_verdict_is_inconclusive_if_requested_or_the_pool_is_deep(settings, is_blocked):
    """The pool depth sets the default, and the setting wins."""
    comparison = compare(judged(40), unjudged_runs(), "P@5", bounds=True)
    result = gate(comparison, margin=0.05, **settings)
    assert only(result).is_blocked_by_holes == is_blocked
    assert result.verdict == ("inconclusive" if is_blocked else "fail")
    assert only(result).depends_on_holes
    if is_blocked:
        assert "whether that is within 0.05 depends on unjudged documents." in result.sentence


def test_on_the_set_unjudged_documents_are_inconclusive_too():
    """The reason is given instead of the observed difference."""
    comparison = compare(judged(40), unjudged_runs(), "P@5", bounds=True)
    result = gate(comparison, margin=0.05, holes="inconclusive", inference="set")
    assert result.verdict == "inconclusive"
    assert "depends on unjudged documents" in only(result).reason


def test_without_a_cutoff_no_pool_is_deep_enough():
    """RR uses whole rankings."""
    comparison = compare(judged(40), unjudged_runs(), "RR", bounds=True)
    assert not only(gate(comparison, margin=0.05, pool_depth=1000)).is_blocked_by_holes


def test_a_firm_verdict_is_not_marked():
    """Another guard fails for any grades."""
    comparison = compare(judged(40), unjudged_runs(), "P@5", bounds=True)
    result = gate(comparison, margin=0.05, at_least={"P@5": 0.99})
    assert result.verdict == "fail"
    assert result.guards[1].depends_on_holes
    assert result.holes
    assert "depends on" not in result.sentence


def test_holes_of_watched_slices_and_other_queries_are_not_listed():
    """Only holes that could change a deciding guard are listed, here of one slice."""
    queries = [Query(q, "t", category="a" if i < 30 else "b") for i, q in enumerate(ids(59))]
    holes = [*ids(59)[1:30:2], "q031"]
    after = {q: ["u", *RELEVANT[1:]] if q in holes else RELEVANT for q in ids(59)}
    runs = {"baseline": ranked([5] * 59), "candidate": after}
    comparison = compare(judged(59), runs, "P@5", bounds=True, queries=queries)
    guard = MarginGuard(parse_measure("P@5"), Margin(0.1), ("category",))
    result = gate(comparison, [guard], smallest_slice=30)
    assert [(g.verdict, g.is_watched, g.depends_on_holes) for g in result.guards] == [
        ("pass", False, False),
        ("inconclusive", False, True),
        ("inconclusive", True, True),
    ]
    assert [hole.query_id for hole in result.holes] == holes[:-1]
    assert result.sentence.endswith("Extreme grades for 15 unjudged documents could change this.")


def test_holes_of_several_measures_are_listed_once():
    """They have the larger effect, and the most decisive comes first."""
    comparison = compare(judged(40), unjudged_runs(), ["P@5", "P@1", "P@2"], bounds=True)
    result = gate(comparison, margin=0.05)
    assert len(result.holes) == 20
    assert {hole.effect for hole in result.holes} == {1 / 40}


def test_the_declared_highest_grade_is_used_for_the_list():
    """A hole of grade 4 could gain more than one of grade 1."""
    effects = []
    for max_grade in (1.0, 4.0):
        comparison = compare(judged(40), unjudged_runs(), "DCG@5", bounds=True, max_grade=max_grade)
        effects.append(gate(comparison, margin=0.05).holes[0].effect)
    assert effects[1] == pytest.approx(4 * effects[0])


def test_a_rounding_difference_is_not_a_change_for_any_grades():
    """At their lowest these differences are 0, up to the last digit."""
    grades = {"d1": 2, "d3": 1, "d4": 2, "d5": 1, "d6": 2}
    runs = {
        "baseline": {key: ["d1", "d4", "d5", "d6", "d0"] for key in ids(12)},
        "candidate": {key: ["d5", "d1", "d4", "d6", "d3"] for key in ids(12)},
    }
    comparison = compare(dict.fromkeys(ids(12), grades), runs, "RBP@5", bounds=True)
    low, high = comparison.differences[0].extremes
    assert low.tolist() == [0.0] * 12
    assert (high > 0.08).all()
    assert only(gate(comparison, margin=0.05)).verdicts_by_holes == ("inconclusive", "pass")
