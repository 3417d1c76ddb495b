"""The best possible mean, and thresholds above it."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from berryeval import Judgments, Query, evaluate
from berryeval.errors import MismatchError
from berryeval.evaluation.ceilings import best_possible, check_reachable
from berryeval.evaluation.guards import LatencyGuard, Margin, MarginGuard, ThresholdGuard
from berryeval.measures import define_measure, parse_measure
from berryeval.measures._base import all_measures
from cases import PARAMETERS, judged_rankings, parameters_of

# q1 has one relevant document, q2 three, q3 none.
JUDGED = Judgments.from_dict(
    {"q1": {"a": 3, "b": 0}, "q2": {"a": 2, "b": 1, "c": 1}, "q3": {"a": 0}}
)
BOUNDED = [
    m
    for m in all_measures()
    if m.higher_is_better and m.bounds[1] < float("inf") and not m.uses_intents
]


def at_least(measure, value, slices=()):
    return ThresholdGuard(parse_measure(measure), value, slices=slices)


def test_intent_aware_measures_have_no_ceiling():
    """Their best ranking is unknown: the highest grade may serve one intent, a lower one two."""
    judgments = Judgments.from_dict({"q": {"a": {"1": 3}, "b": {"2": 1, "3": 1}}})
    assert best_possible(judgments, ["alpha_nDCG@1", "P@1"]) == {"P@1": 1.0}
    check_reachable(judgments, [at_least("alpha_nDCG@1", 1.0)])


def test_the_best_possible_mean_is_that_of_ideal_rankings():
    """P@5 is (1 + 3 + 0) / 15, and R@1 is (1 + 1/3 + 0) / 3."""
    found = best_possible(JUDGED, ["P@5", "R@1", "P(rel=2)@5", "RR"])
    assert found == pytest.approx(
        {"P@5": 4 / 15, "R@1": 4 / 9, "P(rel=2)@5": 2 / 15, "RR": 2 / 3}, abs=1e-15
    )


def test_the_ideal_has_only_relevant_documents():
    """SetP is best without any other document."""
    assert best_possible(JUDGED, ["SetP", "SetP(rel=2)"]) == pytest.approx(
        {"SetP": 2 / 3, "SetP(rel=2)": 2 / 3}
    )


def test_measures_without_a_best_possible_mean_are_left_out():
    """These are unbounded measures, reversed gains, and custom functions."""
    own = define_measure("Odd", lambda _ranking, _judged: 1.0)
    assert best_possible(JUDGED, ["NumRet", "nDCG(gain={1:9,3:1})@10", own()]) == {}
    assert best_possible(Judgments.from_dict({}), ["P@5"]) == {}
    check_reachable(JUDGED, [ThresholdGuard(own(), 0.9)])


@given(case=judged_rankings(min_grade=-1), measure=st.sampled_from(BOUNDED), data=st.data())
def test_no_ranking_exceeds_the_best_possible_mean(case, measure, data):
    """This holds for every measure with any parameters."""
    assume(case.grades)
    given_gain = {**PARAMETERS, "gain": st.sampled_from(["linear", "exp2"])}
    drawn = data.draw(parameters_of(measure, parameters=given_gain))
    judgments = Judgments.from_dict({"q": {str(d): g for d, g in case.grades.items()}})
    run = {"q": [str(doc_id) for doc_id in case.retrieved]}
    reached = evaluate(judgments, run, drawn)[str(drawn)].mean
    assert reached <= best_possible(judgments, drawn).get(str(drawn), 1.0) + 1e-9


def test_a_threshold_above_the_best_possible_mean_is_an_error():
    """Every such threshold is named with the best possible mean."""
    guards = [at_least("P@5", 0.7), at_least("RR", 0.6), at_least("R@1", 0.5)]
    with pytest.raises(MismatchError) as caught:
        check_reachable(JUDGED, guards)
    assert str(caught.value) == (
        "the best possible P@5 is 0.2667 with these judgments, so the threshold 0.7 cannot be "
        "reached; the best possible R@1 is 0.4444 with these judgments, so the threshold 0.5 "
        "cannot be reached; lower the threshold, or judge more documents"
    )


def test_a_threshold_at_the_best_possible_mean_is_allowed():
    """Equality passes, and figures show on which side a threshold is."""
    check_reachable(JUDGED, [at_least("P@5", 4 / 15)])
    with pytest.raises(MismatchError, match=r"P@5 is 0\.266667 with .* threshold 0\.26667 cannot"):
        check_reachable(JUDGED, [at_least("P@5", 0.26667)])


def test_only_thresholds_are_checked():
    """Margins and latencies have no maximum."""
    margin = MarginGuard(parse_measure("P@5"), Margin.parse(0.9))
    check_reachable(JUDGED, [margin, LatencyGuard(95, 1)])
    check_reachable(Judgments.from_dict({}), [at_least("P@5", 1)])


def test_slices_have_their_own_best_possible_means():
    """Slices that decide are checked; those of too few queries are only watched."""
    queries = [Query("q1", "x", category="one"), Query("q2", "y", category="three")]
    guards = [at_least("P@5", 0.25, ("category",))]
    with pytest.raises(MismatchError, match=r"best possible P@5 \(category=one\) is 0\.2000"):
        check_reachable(JUDGED, guards, queries=queries)
    check_reachable(JUDGED, guards, queries=queries, smallest_slice=2)
