"""Every measure of trec_eval's ``all_trec``, compared with trec_eval's own C code."""

import math

import pytest
import pytrec_eval
from hypothesis import example, given
from hypothesis import strategies as st

from berryeval.kernels.average_precision import average_precision
from berryeval.kernels.bpref import bpref
from berryeval.kernels.counts import (
    n_nonrelevant_retrieved,
    n_relevant,
    n_relevant_retrieved,
    n_retrieved,
)
from berryeval.kernels.hit_rate import hit_rate
from berryeval.kernels.inferred_ap import inferred_average_precision
from berryeval.kernels.interpolated_precision import eleven_point_average, interpolated_precision
from berryeval.kernels.ndcg import ndcg
from berryeval.kernels.ndcg_points import ndcg_at_gain_levels, ndcg_at_relevant
from berryeval.kernels.normalised_gain import binary_normalised_gain, normalised_gain
from berryeval.kernels.precision import precision
from berryeval.kernels.r_precision import r_precision, r_precision_at_multiple
from berryeval.kernels.recall import recall
from berryeval.kernels.reciprocal_rank import reciprocal_rank
from berryeval.kernels.relative_precision import relative_precision
from berryeval.kernels.set_based import set_average_precision, set_f
from berryeval.kernels.utility import utility
from berryeval.measures import GEOMETRIC_FLOOR, parse_measure, parse_measures
from cases import JudgedRanking, judged_rankings, kernel_input
from depth import examples

# Values that are not numbers per query: a text, or a constant.
TEXTS = {"relstring", "runid"}
NOT_SCORES = {"num_q", *TEXTS}

SINGLE = {
    "num_ret": lambda g, j, _level: n_retrieved(g, j),
    "num_rel": n_relevant,
    "num_rel_ret": lambda g, j, level: n_relevant_retrieved(g, j, None, level),
    "num_nonrel_judged_ret": lambda g, j, level: n_nonrelevant_retrieved(g, j, None, level),
    "map": lambda g, j, level: average_precision(g, j, None, level),
    "gm_map": lambda g, j, level: math.log(max(average_precision(g, j, None, level), 1e-5)),
    "Rprec": r_precision,
    "bpref": bpref,
    "gm_bpref": lambda g, j, level: math.log(max(bpref(g, j, level), 1e-5)),
    "recip_rank": lambda g, j, level: reciprocal_rank(g, j, None, level),
    "11pt_avg": eleven_point_average,
    "set_P": lambda g, j, level: precision(g, j, None, level),
    "set_recall": lambda g, j, level: recall(g, j, None, level),
    "set_relative_P": lambda g, j, level: relative_precision(g, j, None, level),
    "set_map": set_average_precision,
    "set_F": lambda g, j, level: set_f(g, j, 1.0, level),
    "utility": lambda g, j, level: utility(g, j, level=level),
    "infAP": inferred_average_precision,
    "ndcg": lambda g, j, _level: ndcg(g, j, None),
    "ndcg_rel": lambda g, j, _level: ndcg_at_relevant(g, j),
    "Rndcg": lambda g, j, level: ndcg_at_gain_levels(g, j, level=level),
    "binG": binary_normalised_gain,
    "G": lambda g, j, _level: normalised_gain(g, j),
}

AT_CUTOFF = {
    "P": precision,
    "recall": recall,
    "relative_P": relative_precision,
    "success": hit_rate,
    "map_cut": average_precision,
    "ndcg_cut": lambda g, j, k, _level: ndcg(g, j, k),
}

AT_SHARE = {"iprec_at_recall": interpolated_precision, "Rprec_mult": r_precision_at_multiple}


def trec_eval(case: JudgedRanking, measures: set[str], level: int) -> dict[str, float]:
    """Score the case, with the order given by descending scores."""
    evaluator = pytrec_eval.RelevanceEvaluator(
        {"q": {str(doc_id): grade for doc_id, grade in case.grades.items()}},
        measures,
        relevance_level=level,
    )
    run = {str(doc_id): float(-rank) for rank, doc_id in enumerate(case.retrieved)}
    return evaluator.evaluate({"q": run})["q"]


# pytrec_eval needs at least one document and one judgment, and reads invalid memory if all
# grades are negative.
cases = judged_rankings(min_size=1, min_grade=-3, max_grade=10).filter(
    lambda case: any(grade >= 0 for grade in case.grades.values())
)
levels = st.sampled_from([1, 1, 2, 3, 7])


def test_every_measure_of_all_trec_is_tested():
    """All 34 names are in a table of this module."""
    compared = {*SINGLE, *AT_CUTOFF, *AT_SHARE, *NOT_SCORES}
    assert compared == set(pytrec_eval.supported_measures)
    assert len(compared) == 34


@examples(500)
@given(case=cases, level=levels)
@example(case=JudgedRanking([1], {1: 1}), level=1)
@example(case=JudgedRanking([1], {2: 1}), level=1)
@example(case=JudgedRanking([1, 2, 3], {1: 0, 2: 0}), level=1)
@example(case=JudgedRanking([1, 2, 3], {1: 1, 2: 1, 3: 1}), level=1)
@example(case=JudgedRanking([1, 2, 3, 4, 5], {2: -1, 3: 1, 4: -2, 5: 2, 9: 1}), level=1)
def test_measures_without_a_cutoff_score_like_trec_eval(case, level):
    """Holes, negative grades, and nothing or everything relevant agree to 1e-12."""
    theirs = trec_eval(case, set(SINGLE), level)
    grades, judged = kernel_input(case)
    ours = {name: score(grades, judged, level) for name, score in SINGLE.items()}
    assert ours == pytest.approx({name: theirs[name] for name in ours}, abs=1e-12)


@given(case=cases, level=levels)
@example(case=JudgedRanking([1, 2, 3, 4, 5], dict.fromkeys(range(5, 21), 1)), level=1)
def test_products_and_sums_round_like_trec_eval(case, level):
    """Bits are equal: one division for set_map, the last recall point first for 11pt_avg."""
    theirs = trec_eval(case, {"set_map", "11pt_avg"}, level)
    grades, judged = kernel_input(case)
    assert {name: SINGLE[name](grades, judged, level) for name in theirs} == theirs


@examples(300)
@given(case=cases, level=levels, ks=st.sets(st.integers(1, 60), min_size=1, max_size=4))
@example(case=JudgedRanking([3, 1, 2], {1: 3, 2: 1, 9: 2}), level=1, ks={1, 3, 1000})
def test_measures_at_k_score_like_trec_eval(case, level, ks):
    """Cutoffs may exceed the length of the ranking."""
    cutoffs = ",".join(map(str, sorted(ks)))
    theirs = trec_eval(case, {f"{name}.{cutoffs}" for name in AT_CUTOFF}, level)
    grades, judged = kernel_input(case)
    ours = {
        f"{name}_{k}": score(grades, judged, k, level)
        for name, score in AT_CUTOFF.items()
        for k in ks
    }
    assert ours == pytest.approx(theirs, abs=1e-12)


@examples(300)
@given(case=cases, level=levels, hundredths=st.integers(10, 100))
@example(case=JudgedRanking([1, 2], {1: 1, 3: 1, 4: 1}), level=1, hundredths=100)
def test_measures_at_a_share_score_like_trec_eval(case, level, hundredths):
    """Recall points and multiples of R are rounded as in trec_eval 9.0.8."""
    share = hundredths / 100
    theirs = trec_eval(case, {f"{name}.{share}" for name in AT_SHARE}, level)
    grades, judged = kernel_input(case)
    ours = {
        f"{name}_{share:3.2f}": score(grades, judged, share, level)
        for name, score in AT_SHARE.items()
    }
    assert ours == pytest.approx(theirs, abs=1e-12)


@given(case=cases, level=levels)
def test_default_cutoffs_score_like_trec_eval(case, level):
    """They are those that trec_eval uses if none is named."""
    theirs = trec_eval(case, {*AT_CUTOFF, *AT_SHARE}, level)
    grades, judged = kernel_input(case)
    for name, value in theirs.items():
        family, _, cutoff = name.rpartition("_")
        if family in AT_CUTOFF:
            ours = AT_CUTOFF[family](grades, judged, int(cutoff), level)
        else:
            ours = AT_SHARE[family](grades, judged, float(cutoff), level)
        assert ours == pytest.approx(value, abs=1e-12), name


@given(case=cases)
def test_all_trec_is_parsed_and_scored_like_trec_eval(case):
    """Every name in its output is a measure, and the nickname expands to all of them."""
    theirs = trec_eval(case, {"all_trec"}, 1)
    grades, judged = kernel_input(case)
    measures = {name: parse_measure(name) for name in theirs if name not in TEXTS}
    ours = {name: measure.score(grades, judged) for name, measure in measures.items()}
    for name in ("gm_map", "gm_bpref"):
        assert measures[name].aggregate == "geometric"
        ours[name] = math.log(max(ours[name], GEOMETRIC_FLOOR))
    assert set(measures.values()) == set(parse_measures("all_trec"))
    assert ours == pytest.approx({name: theirs[name] for name in ours}, abs=1e-12)


@given(case=cases, x=st.sampled_from([0.25, 0.5, 2.0, 4.0]))
def test_the_weight_of_set_f_is_that_of_trec_eval(case, x):
    """set_F.0.5 uses 0.5 as the square of beta."""
    theirs = trec_eval(case, {f"set_F.{x}"}, 1)
    grades, judged = kernel_input(case)
    assert set_f(grades, judged, x) == pytest.approx(next(iter(theirs.values())), abs=1e-12)


@given(case=cases)
def test_the_weights_of_utility_are_those_of_trec_eval(case):
    """pytrec_eval requires the four numbers to be ascending."""
    theirs = trec_eval(case, {"utility.0.25,0.5,2,3"}, 1)
    grades, judged = kernel_input(case)
    ours = utility(grades, judged, (0.25, 0.5, 2.0, 3.0))
    assert ours == pytest.approx(next(iter(theirs.values())), abs=1e-12)


@given(case=cases)
def test_negative_grades_among_the_judged_do_not_matter(case):
    """They may be included or left out."""
    grades, judged = kernel_input(case)
    usable = [grade for grade in judged if grade >= 0]
    for score in SINGLE.values():
        assert score(grades, judged, 1) == score(grades, usable, 1)
    for score in AT_CUTOFF.values():
        assert score(grades, judged, 5, 1) == score(grades, usable, 5, 1)
