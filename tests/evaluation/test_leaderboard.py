"""Systems in order, and differences by effect."""

from berryeval import compare
from berryeval.evaluation.all_pairs import all_pairs
from berryeval.evaluation.leaderboard import by_effect, leaderboard
from berryeval.measures import parse_measure
from example_results import a_comparison

SYSTEMS = {"base": 0.8, "good": 2.0, "bad": 0.0, "best": 3.0}
COMPARISON = a_comparison(40, SYSTEMS, slices=())


def test_the_best_mean_comes_first():
    """The baseline is listed among the others, without a difference."""
    found = leaderboard(COMPARISON)
    assert [place.system for place in found] == ["best", "good", "base", "bad"]
    assert [place.difference is None for place in found] == [False, False, True, False]
    assert found[0].result.mean == COMPARISON.evaluations["best"]["nDCG@10"].mean


def test_where_lower_is_better_the_lowest_comes_first():
    """A measure other than the first can order the systems."""
    unjudged = parse_measure("Unjudged@10")
    judged, runs = {"q": {"d": 1}}, {"a": {"q": ["x", "y"]}, "b": {"q": ["d", "y"]}}
    found = compare(judged, runs, ["nDCG@10", unjudged])
    assert [place.system for place in leaderboard(found, unjudged)] == ["b", "a"]
    assert by_effect(found, unjudged)[0].mean < 0


def test_equal_means_keep_the_order_of_runs():
    """Ties are not broken by names."""
    same = {"q1": ["d1"], "q2": ["d2"]}
    judged = {"q1": {"d1": 1}, "q2": {"d2": 1}}
    found = compare(judged, {"z": same, "m": same, "a": same}, "RR")
    assert [place.system for place in leaderboard(found)] == ["z", "m", "a"]


def test_differences_start_with_the_greatest_gain():
    """Only those of one measure are returned."""
    found = by_effect(COMPARISON, COMPARISON.lead)
    assert [one.system for one in found] == ["best", "good", "bad"]
    assert {one.measure for one in found} == {COMPARISON.lead}


def test_pairs_of_one_measure_are_those_of_all():
    """A family is one measure: leaving out the others changes no number."""
    everything = all_pairs(COMPARISON)
    some = all_pairs(COMPARISON, [COMPARISON.measures[1]])
    wanted = [p for p in everything if p.difference.measure == COMPARISON.measures[1]]
    assert [(p.first, p.second, p.difference.interval) for p in some] == [
        (p.first, p.second, p.difference.interval) for p in wanted
    ]
