"""The registry of measures."""

import inspect
import math
from importlib import import_module

import numpy as np
import pytest
from hypothesis import given

from berryeval import measures
from berryeval.errors import ArgumentError, BerryEvalError, UnknownMeasureError
from berryeval.measures import (
    NDCG,
    AveragePrecision,
    ExpectedReciprocalRank,
    FBeta,
    InterpolatedPrecision,
    Measure,
    Precision,
    RankBiasedPrecision,
    RPrecision,
    SetF,
    TimeBiasedGain,
    Utility,
    all_measures,
    find_measure,
)
from berryeval.measures.describing import describe_parameters
from berryeval.ranking import compute_all
from cases import cutoffs, judged_rankings, sized

# Measures with a list function, and the fields of compute_all with their values.
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


def test_every_measure_class_is_registered():
    """Every measure is documented, and covered by the tests of this folder."""
    classes = {
        value
        for value in vars(measures).values()
        if inspect.isclass(value) and issubclass(value, Measure) and value is not Measure
    }
    assert classes == set(all_measures())
    listed = {
        measure.name for measure in all_measures() if "ranking" in " ".join(measure.functions)
    }
    assert listed == set(SAME_AS)


@every_measure
def test_a_measure_explains_itself(measure):
    """E7: definition, when to use, when to avoid and edge cases are sentences."""
    texts = (measure.definition, measure.use_when, measure.avoid_when, *measure.edge_cases)
    assert measure.edge_cases
    assert all(text.endswith(".") for text in texts)


@every_measure
def test_a_measure_passes_its_kernel_to_the_native_twin(measure):
    """Function and arguments are those of score, except for grades and judged."""
    value = measure()
    if measure.uses_timings:  # times have no kernel
        assert value.native_call() is None
        return
    name, arguments = value.native_call()
    kernel = getattr(import_module(measure.kernel.__module__), name)
    grades, judged = sized([1.0, -1.0, 2.0, 0.0]), [2.0, 1.0, 1.0, 0.0]
    assert kernel(grades, judged, **arguments) == value.score(grades, judged)
    assert ("k" in arguments) == (measure.at == "k")


def test_a_measure_that_scores_by_itself_has_no_native_twin():
    """Neither has a measure with a k beyond float64's integers."""

    class OwnScore(NDCG):
        def score(self, grades, judged):
            return float(len(grades) > len(judged))

    class OwnKernel(NDCG):
        kernel = staticmethod(lambda _grades, _judged, **_arguments: 0.5)

    assert OwnScore(10).native_call() is None
    assert OwnKernel(10).native_call() is None
    assert OwnKernel(10).score([], []) == 0.5
    assert NDCG(2**53).native_call() is not None
    assert NDCG(2**53 + 1).native_call() is None


@every_measure
def test_the_functions_of_a_measure_exist(measure):
    """The reference links to them."""
    for path in measure.functions:
        module, _, name = path.rpartition(".")
        assert callable(getattr(import_module(module), name))


@pytest.mark.parametrize("name", SAME_AS)
@given(case=judged_rankings(), k=cutoffs())
def test_a_measure_scores_like_the_list_metrics(name, case, k):
    """Both use the same formula."""
    measure = find_measure(name)
    grades = [case.grades.get(doc_id, -1) for doc_id in case.retrieved]
    judged = sorted(case.grades.values(), reverse=True)
    expected = getattr(compute_all(case.retrieved, case.grades, (k,)), SAME_AS[name])[k]
    assert measure(k).score(grades, judged) == expected
    low, high = measure.bounds
    assert low <= expected <= high


def test_precision_of_the_whole_ranking_divides_by_its_length():
    """Without k, precision is that of the returned set."""
    assert Precision().score([1, 0, 0, 1], [1, 1, 1]) == 0.5
    assert Precision().score([], [1]) == 0.0


def test_a_measure_is_a_value():
    """Measures with equal parameters are equal, and print as people write them."""
    assert NDCG(10) == NDCG(k=10) != NDCG(5)
    assert (str(NDCG(10)), str(NDCG())) == ("nDCG@10", "nDCG")
    assert len({NDCG(10), NDCG(10)}) == 1


def test_parameters_are_normalised():
    """Any number types, and gains as mapping or pairs, give equal measures."""
    assert Precision(np.int64(5), rel=2) == Precision(5, rel=2.0)
    assert NDCG(gain={2: 9, 1: 3}) == NDCG(gain=((1, 3), (2, 9)))
    assert type(Precision(np.int64(5)).k) is int


@pytest.mark.parametrize(
    ("measure", "text"),
    [
        (AveragePrecision(100, rel=2), "AP(rel=2)@100"),
        (NDCG(10, gain="exp2"), "nDCG(gain=exp2)@10"),
        (NDCG(gain={1: 3, 2: 9.5}), "nDCG(gain={1:3,2:9.5})"),
        (NDCG(10, rel=2), "nDCG(rel=2)@10"),
        (RankBiasedPrecision(p=0.95), "RBP(p=0.95)"),
        (RankBiasedPrecision(max_grade=3), "RBP(max_grade=3)"),
        (FBeta(5, beta=0.5), "F(beta=0.5)@5"),
        (ExpectedReciprocalRank(20, max_grade=3), "ERR(max_grade=3)@20"),
        (InterpolatedPrecision(recall=0.1), "IPrec@0.1"),
        (InterpolatedPrecision(rounding="nearest"), "IPrec(rounding=nearest)@0"),
        (Precision(), "SetP"),
        (Precision(rel=2), "SetP(rel=2)"),
        (SetF(x=0.25), "SetF(x=0.25)"),
        (
            Utility(worth=(1, -1, 0.5, 0), n_documents=100),
            "Utility(worth=[1,-1,0.5,0],n_documents=100)",
        ),
    ],
)
def test_a_measure_prints_what_differs_from_its_defaults(measure, text):
    """Parameters are in brackets, and the cutoff follows an @."""
    assert str(measure) == text


def test_a_measure_checks_its_cutoff():
    """k < 1 is rejected when the measure is created."""
    with pytest.raises(ArgumentError, match="k: expected an integer, at least 1, got 0"):
        NDCG(0)


def test_a_measure_of_the_whole_ranking_takes_no_cutoff():
    """R-precision has its own cutoff."""
    with pytest.raises(ArgumentError, match="k: expected none, since Rprec takes no cutoff, got 5"):
        RPrecision(5)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Precision(5, rel=-1), "rel: expected a number, at least 0, got -1"),
        (lambda: Precision(5, rel=True), "rel: expected a number, at least 0, got bool True"),
        (lambda: Precision(5, rel=math.nan), "rel: expected a finite number"),
        (lambda: FBeta(beta=-0.5), "beta: expected a number from 0 to 1e100, got -0.5"),
        (lambda: RankBiasedPrecision(p=1), "p: expected a number between 0 and 1, got 1"),
        (lambda: RankBiasedPrecision(p=1.5), "p: expected a number between 0 and 1, got 1.5"),
        (lambda: ExpectedReciprocalRank(max_grade=0), "max_grade: expected a number above 0"),
        (lambda: InterpolatedPrecision(recall=2), "recall: expected a number from 0 to 1, got 2"),
        (lambda: InterpolatedPrecision(rounding="down"), "rounding: expected 'up' or 'nearest'"),
        (lambda: NDCG(gain="cubic"), "gain: expected 'linear', 'exp2' or a gain for each grade"),
        (lambda: NDCG(gain={}), "gain: expected .*, got an empty table"),
        (lambda: NDCG(gain=3), "gain: expected .*, got int 3"),
        (lambda: NDCG(gain={-1: 2}), "gain: expected grades of at least 0, got -1"),
        (lambda: NDCG(gain=[(1, 2), (1, 3)]), "one gain for each grade, got two"),
        (lambda: Utility(worth=(1, 2)), "worth: expected four numbers.*got 2 numbers"),
        (lambda: Utility(worth="1234"), "worth: expected four numbers.*got str"),
        (lambda: Utility(n_documents=0.5), "n_documents: expected a whole number"),
        (
            lambda: Utility(n_documents=-1),
            "n_documents: expected a whole number, at least 0, got -1",
        ),
    ],
)
def test_a_measure_checks_its_parameters(make, message):
    """The message has what was expected and found."""
    with pytest.raises(BerryEvalError, match=message):
        make()


@pytest.mark.parametrize("name", ["nDCG", "ndcg", "NDCG", "ndcg_cut", NDCG.title])
def test_a_measure_is_found_by_any_of_its_names(name):
    """Case and origin of the name do not matter."""
    assert find_measure(name) is NDCG


def test_a_misspelt_measure_suggests_the_nearest_name():
    """The message contains it."""
    with pytest.raises(UnknownMeasureError, match="unknown measure 'ndgc': did you mean 'nDCG'"):
        find_measure("ndgc")


def test_an_unknown_measure_lists_all_names():
    """Without a similar name, the message lists the registry."""
    with pytest.raises(UnknownMeasureError) as caught:
        find_measure("velocity")
    assert caught.value.suggestion is None
    assert {measure.name for measure in all_measures()} <= set(caught.value.known)
    assert str(caught.value).endswith(", ".join(sorted(caught.value.known)))


def test_no_name_belongs_to_two_measures():
    """An alias refers to one measure only."""
    names = [
        word
        for measure in all_measures()
        for word in {w.lower() for w in (measure.name, measure.title, *measure.aliases)}
    ]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("measure", all_measures(), ids=lambda measure: measure.name)
def test_every_parameter_of_a_measure_is_described(measure):
    """Each is named once with its default, and none lacks a text."""
    described = describe_parameters(measure)
    names = [one.partition("=")[0] for group, _ in described for one in group.split(", ")]
    assert sorted(names) == sorted(measure.defaults())
    assert all(text.endswith(".") for _, text in described)


def test_parameters_with_one_description_are_listed_together():
    """TBG's two probabilities of opening a document share a sentence."""
    described = dict(describe_parameters(TimeBiasedGain))
    assert described["click=0.64, stray=0.39"].startswith("Probability of opening")
    assert described["k"].startswith("Ranks to consider")
