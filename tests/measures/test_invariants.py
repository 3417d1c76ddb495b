"""Invariants of every measure in the registry, for any parameters."""

import math
import pickle
from array import array
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from berryeval.kernels.relevance import NOT_IN_POOL
from berryeval.measures import all_measures, find_measure
from cases import cutoffs, judged_rankings, parameters_of, sized
from cases import kernel_input as plain_input
from depth import examples

# Times of queries are no measures of rankings: tests/evaluation/test_timings.py is about them.
OF_RANKINGS = [measure for measure in all_measures() if not measure.uses_timings]

every_measure = pytest.mark.parametrize("measure", OF_RANKINGS, ids=lambda m: m.name)

cases = judged_rankings(min_grade=-2, max_grade=5)


def kernel_input(case):
    """Return the arguments of kernels, with a length for each retrieved document."""
    grades, judged = plain_input(case)
    return sized(grades), judged


# Measures for which the better document first is not always better, and why.
NOT_BY_ORDER = {
    "Hole": "a document with a negative grade is no hole",
    "infAP": "an unjudged document above a relevant one may raise the estimate",
    "infNDCG": "so may one in place of a document that is not relevant",
    "xinfAP": "as for infAP",
    "NumNonrelJudgedRet": "an unjudged document in its place lowers it",
    "TBG": "a long document takes more time than a short one",
    "U": "a long document takes more reading than a short one",
    "tokens": "only lengths count",
}

# Measures of how much is known or returned, not of quality; or with their own scale.
NOT_NORMALISED = {
    "BPM", "DCG", "ERR", "ERR_IA", "Hole", "Holes", "IDCG", "INSQ", "INST", "Judged", "NERR8",
    "NERR9", "NERR10", "NERR11", "NRBP", "NumNonrelJudgedRet", "NumQ", "NumRel", "NumRelRet",
    "NumRet", "P", "P_IA", "RBP", "RBPResidual", "RprecMult", "SDCG", "TBG", "U", "Unjudged",
    "Utility", "alpha_DCG", "gERR_IA", "tokens", "yaap",
}  # fmt: skip
PERFECT_IS_ONE = {
    "AP", "AP11", "AP_IA", "Bpref", "Compat", "F", "F1", "G", "GMAP", "GMBpref", "IPrec", "NCG",
    "PairwiseAccuracy", "R", "RR", "RelP", "Rndcg", "Rprec", "SetAP", "SetF", "StRecall", "Success",
    "alpha_nDCG", "binG", "infAP", "infNDCG", "nDCG", "nDCGRel", "nERR_IA", "nNRBP", "xinfAP",
}  # fmt: skip


BY_GAIN = {measure.name for measure in all_measures() if hasattr(measure, "gain")}
LEVELS_AND_GRADES = {"gERR_IA"}
"""Measures in which grades below the level count as 0, and others keep their value."""
BY_LEVEL = {measure.name for measure in all_measures() if getattr(measure, "rel", 0) == 1}
BY_LEVEL -= BY_GAIN | LEVELS_AND_GRADES


def test_every_measure_is_in_a_list_of_this_module():
    """A new measure must declare whether a perfect ranking scores 1."""
    assert {measure.name for measure in OF_RANKINGS} == NOT_NORMALISED | PERFECT_IS_ONE
    assert not NOT_NORMALISED & PERFECT_IS_ONE


@every_measure
@examples(40)
@given(data=st.data(), case=cases)
def test_values_are_finite_and_within_bounds(measure, data, case):
    """There is never a NaN, even for empty rankings and without judgments."""
    value = data.draw(parameters_of(measure)).score(*kernel_input(case))
    low, high = measure.bounds
    assert isinstance(value, float)
    assert math.isfinite(value)
    assert low <= value <= high + 1e-12


@every_measure
def test_the_smallest_cases_have_a_value(measure):
    """Nothing retrieved, judged or relevant gives a number, not an error."""
    few = [[], [0.0], [-1.0], [1.0]]
    for grades, judged in product([[], [0.0], [NOT_IN_POOL] * 3, [1.0]], few):
        is_known = grades != [1.0] or judged == [1.0]
        known = judged if is_known else [1.0, *judged]
        assert math.isfinite(measure().score(sized(grades), known)), (grades, known)


@pytest.mark.parametrize("name", sorted({m.name for m in all_measures() if m.at == "k"}))
@examples(40)
@given(data=st.data(), case=cases, k=cutoffs(20), tail=st.lists(st.integers(-2, 5).map(float)))
def test_documents_after_rank_k_change_nothing(name, data, case, k, tail):
    """Documents below the cutoff are ignored."""
    grades, judged = kernel_input(case)
    first = sized((grades + [NOT_IN_POOL] * k)[:k])
    measure = data.draw(parameters_of(find_measure(name), k=st.just(k)))
    measure = replace(measure, judged_only=False)  # with it, k counts judged documents
    assert measure.score(first, judged) == measure.score([*first, *tail], judged)


@pytest.mark.parametrize(
    "name", sorted({measure.name for measure in OF_RANKINGS} - set(NOT_BY_ORDER))
)
@examples(40)
@given(case=cases, k=cutoffs())
def test_the_best_order_of_a_ranking_scores_best(name, case, k):
    """Sorting by grade, unjudged documents last, never lowers the score."""
    measure = find_measure(name)
    grades, judged = kernel_input(case)
    for value in {measure(k), measure()} if measure.at == "k" else {measure()}:
        given_order = value.score(grades, judged)
        best_order = value.score(sorted(grades, reverse=True), judged)
        gained = best_order - given_order
        assert (gained if measure.higher_is_better else -gained) >= -1e-12


@every_measure
@examples(40)
@given(data=st.data(), case=cases)
def test_judged_only_scores_the_ranking_without_unjudged_documents(measure, data, case):
    """The condensed list is scored as if nothing else had been retrieved."""
    chosen = replace(data.draw(parameters_of(measure)), judged_only=False)
    grades, judged = kernel_input(case)
    condensed = [grade for grade in grades if grade >= 0]
    found = replace(chosen, judged_only=True).score(grades, judged)
    assert found == chosen.score(condensed, judged)


@pytest.mark.parametrize("name", sorted(BY_LEVEL))
@examples(40)
@given(data=st.data(), case=cases, rel=st.sampled_from([0.0, 1.5, 2.0, 4.0]))
def test_a_relevance_level_scores_like_binary_judgments(name, data, case, rel):
    """Grades of at least the level count as 1, others as 0."""
    grades, judged = kernel_input(case)
    usable = [grade for grade in judged if grade >= 0]
    measure = data.draw(parameters_of(find_measure(name)))
    if name == "RBP":
        measure = replace(measure, max_grade=None)
    binary = sized([float(grade >= rel) if grade >= 0 else grade for grade in grades])
    all_binary = [float(grade >= rel) for grade in usable]
    expected = replace(measure, rel=1.0).score(binary, all_binary)
    assert replace(measure, rel=rel).score(grades, judged) == expected


@pytest.mark.parametrize("name", sorted(BY_GAIN))
@examples(40)
@given(
    case=cases, k=cutoffs(), table=st.permutations([0.0, 0.5, 1.0, 2.0, 7.0, 8.5]).map(enumerate)
)
def test_a_table_of_gains_scores_like_grades_of_that_height(name, case, k, table):
    """The table may order the grades in any way."""
    gain_of = {float(grade): gain for grade, gain in table}
    grades, judged = kernel_input(case)
    gained = [gain_of.get(grade, grade) for grade in grades]
    all_gained = sorted((gain_of.get(grade, grade) for grade in judged), reverse=True)
    measure = find_measure(name)
    own = {"k": k} if measure.at == "k" else {}
    own |= {"rel": 0.0} if name == "Rndcg" else {}
    expected = measure(**own).score(gained, all_gained)
    assert measure(**own, gain=gain_of).score(grades, judged) == expected


@pytest.mark.parametrize("name", sorted(PERFECT_IS_ONE))
@examples(40)
@given(grades=st.lists(st.integers(1, 5).map(float), min_size=1, max_size=20))
def test_the_ideal_ranking_scores_1(name, grades):
    """It has all relevant documents, best first, and nothing else."""
    ideal = sorted(grades, reverse=True)
    smoothing = 1e-4 if name in ("infAP", "xinfAP") else 1e-12
    assert find_measure(name)().score(ideal, ideal) == pytest.approx(1.0, abs=smoothing)


@every_measure
@examples(20)
@given(data=st.data(), case=cases)
def test_scoring_twice_or_in_another_process_gives_the_same_bits(measure, data, case):
    """A measure has no state, and can be pickled."""
    value = data.draw(parameters_of(measure))
    grades, judged = kernel_input(case)
    before = list(grades), list(judged)
    copy = pickle.loads(pickle.dumps(value))  # noqa: S301 - our own bytes
    assert (copy, hash(copy), str(copy)) == (value, hash(value), str(value))
    assert value.score(grades, judged) == value.score(grades, judged) == copy.score(grades, judged)
    assert (grades, judged) == before


@every_measure
def test_eight_threads_get_the_same_bits(measure):
    """Only read-only tables are shared."""
    value = measure()
    judged = [3.0, 2.0, 2.0, 1.0, 0.0]
    rankings = [[float((i * j) % 5 - 1) for j in range(1, 60 + i)] for i in range(32)]
    rankings = [sized([g if g < 1 or j < 4 else 0.0 for j, g in enumerate(r)]) for r in rankings]
    alone = [value.score(grades, judged) for grades in rankings]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda grades: value.score(grades, judged), rankings))
    assert array("d", together).tobytes() == array("d", alone).tobytes()
