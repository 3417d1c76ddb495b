"""The measures as people see them."""

import inspect
from importlib import import_module

import pytest
from hypothesis import given

from berryeval import measures
from berryeval.errors import ArgumentError, UnknownMeasureError
from berryeval.measures import NDCG, Measure, Precision, all_measures, find_measure
from berryeval.ranking import compute_all
from cases import cutoffs, judged_rankings

# Each measure, and where compute_all puts its value.
SAME_AS = {
    "AP": "ap",
    "DCG": "dcg",
    "F1": "f1",
    "Success": "hit_rate",
    "nDCG": "ndcg",
    "P": "precision",
    "R": "recall",
    "RR": "rr",
}

every_measure = pytest.mark.parametrize("measure", all_measures(), ids=lambda m: m.name)


def test_every_measure_class_is_registered_and_compared():
    """A measure that exists is shown to people, and held by the tests below."""
    classes = {
        value
        for value in vars(measures).values()
        if inspect.isclass(value) and issubclass(value, Measure) and value is not Measure
    }
    assert classes == set(all_measures())
    assert {measure.name for measure in all_measures()} == set(SAME_AS)


@every_measure
def test_a_measure_explains_itself(measure):
    """E7: definition, when to use, when to avoid, edge cases; all of them sentences."""
    texts = (measure.definition, measure.use_when, measure.avoid_when, *measure.edge_cases)
    assert measure.edge_cases
    assert all(text.endswith(".") for text in texts)


@every_measure
def test_the_functions_a_measure_names_exist(measure):
    """The way from the command line into Python is no dead end."""
    for path in measure.functions:
        module, _, name = path.rpartition(".")
        assert callable(getattr(import_module(module), name))


@every_measure
@given(case=judged_rankings(), k=cutoffs())
def test_a_measure_scores_as_the_list_metrics_do(measure, case, k):
    """One formula behind both."""
    grades = [case.grades.get(doc_id, -1) for doc_id in case.retrieved]
    judged = sorted(case.grades.values(), reverse=True)
    expected = getattr(compute_all(case.retrieved, case.grades, (k,)), SAME_AS[measure.name])[k]
    assert measure(k).score(grades, judged) == expected
    low, high = measure.bounds
    assert low <= expected <= high


def test_precision_of_the_whole_ranking_divides_by_its_length():
    """Without k, precision is that of the set returned."""
    assert Precision().score([1, 0, 0, 1], [1, 1, 1]) == 0.5
    assert Precision().score([], [1]) == 0.0


def test_a_measure_is_a_value():
    """Equal parameters make equal measures, which print as people write them."""
    assert NDCG(10) == NDCG(k=10) != NDCG(5)
    assert (str(NDCG(10)), str(NDCG())) == ("nDCG@10", "nDCG")
    assert len({NDCG(10), NDCG(10)}) == 1


def test_a_measure_checks_its_cutoff():
    """k < 1 is refused when the measure is made, not when it is used."""
    with pytest.raises(ArgumentError, match="k: expected an integer, at least 1, got 0"):
        NDCG(0)


@pytest.mark.parametrize(
    "name", ["nDCG", "ndcg", "NDCG", "ndcg_cut", "Normalised discounted cumulative gain"]
)
def test_a_measure_is_found_by_any_of_its_names(name):
    """Case of letters and the name's origin do not matter."""
    assert find_measure(name) is NDCG


def test_a_misspelt_measure_is_answered_with_the_nearest_name():
    """The message is the way out."""
    with pytest.raises(UnknownMeasureError, match="unknown measure 'ndgc': did you mean 'nDCG'"):
        find_measure("ndgc")


def test_a_measure_nobody_knows_is_answered_with_all_names():
    """Where nothing is near, the list comes from the registry."""
    with pytest.raises(UnknownMeasureError) as caught:
        find_measure("velocity")
    assert caught.value.suggestion is None
    assert str(caught.value).endswith(", ".join(sorted(m.name for m in all_measures())))


def test_no_name_belongs_to_two_measures():
    """An alias leads to one measure only."""
    names = [
        word
        for measure in all_measures()
        for word in {w.lower() for w in (measure.name, measure.title, *measure.aliases)}
    ]
    assert len(names) == len(set(names))
