"""Bounds of scores and differences, compared with all possible assignments."""

import itertools
import math
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from berryeval.evaluation.bounds import (
    Bounds,
    difference_bounds,
    has_bounds,
    holes_of,
    score_bounds,
)
from berryeval.evaluation.bounds.families import FAMILIES
from berryeval.evaluation.extremes import is_bounded
from berryeval.measures import all_measures, define_measure, parse_measure
from berryeval.measures.without_bounds import WITHOUT_BOUNDS, why_no_bounds
from cases import PARAMETERS, parameters_of, score_ranking
from depth import examples

DOCUMENTS = [b"a", b"b", b"c", b"d", b"e", b"f", b"g", b"h"]

every_measure_with_bounds = pytest.mark.parametrize(
    "measure", sorted(FAMILIES, key=lambda m: m.name), ids=lambda m: m.name
)

parameters = PARAMETERS | {
    "rel": st.sampled_from([0.0, 1.0, 1.0, 1.5, 2.0, 4.0]),
    "gain": st.sampled_from(["linear", "exp2"])
    | st.dictionaries(
        st.integers(0, 3).map(float), st.sampled_from([-1.0, 0.0, 0.5, 1, 2, 9.5]), min_size=1
    ),
    "n_documents": st.integers(0, 100),  # a large gain absorbs the digits of the others
    "judged_only": st.sampled_from([False]),  # True leaves no holes
    "times": st.sampled_from([0.2, 0.5, 1.0, 1.7, 3.0]),
    "recall": st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 1.0]),
}


@dataclass
class Case:
    """Two rankings of one query, a third with more holes, and judgments."""

    baseline: list[bytes]
    candidate: list[bytes]
    other: list[bytes]
    grades: dict[bytes, float]
    max_grade: float


rankings = st.lists(st.sampled_from(DOCUMENTS), unique=True, max_size=6)


@st.composite
def cases(draw):
    """Draw a case with few enough holes to try every assignment."""
    grade = st.integers(-1, 3).map(float) | st.sampled_from([0.5, 1.5, 2.5])
    judged = draw(st.lists(st.sampled_from(DOCUMENTS), unique=True, min_size=4))
    return Case(
        draw(rankings),
        draw(rankings),
        draw(st.just([]) | rankings),
        {doc_id: draw(grade) for doc_id in judged},
        draw(st.sampled_from([1.0, 2.0, 3.0, 1.5])),
    )


def assignments(case: Case, holes: list[bytes]):
    """Return every assignment of whole grades, or the highest grade, to the holes."""
    steps = sorted({*map(float, range(math.floor(case.max_grade) + 1)), case.max_grade})
    for grades in itertools.product(steps, repeat=len(holes)):
        yield dict(zip(holes, grades, strict=True))


def check(bounds: Bounds, values: list[float]) -> None:
    room = 1e-12 * max(1.0, *map(abs, values))
    assert bounds.low <= min(values) + room
    assert bounds.high >= max(values) - room
    if not bounds.is_outer:
        assert bounds.low == pytest.approx(min(values), rel=1e-12, abs=1e-12)
        assert bounds.high == pytest.approx(max(values), rel=1e-12, abs=1e-12)


@every_measure_with_bounds
@examples(40)
@given(data=st.data(), case=cases())
def test_a_score_lies_within_its_bounds_for_every_assignment(measure, data, case):
    """E6: exact bounds are the minimum and maximum, and outer ones contain them."""
    chosen = data.draw(
        parameters_of(measure, k=st.none() | st.integers(1, 6), parameters=parameters)
    )
    if not has_bounds(chosen):
        return
    holes = holes_of([case.candidate, case.other], case.grades, chosen.k)[:5]
    found = score_bounds(chosen, case.candidate, case.grades, holes, case.max_grade)
    values = [
        score_ranking(chosen, case.candidate, case.grades | a) for a in assignments(case, holes)
    ]
    check(found, values)
    assert not found.is_outer or len(values) > 1000


@every_measure_with_bounds
@examples(40)
@given(data=st.data(), case=cases())
def test_a_difference_lies_within_its_bounds_for_every_assignment(measure, data, case):
    """E6: a hole has the same grade in both rankings, and exact bounds are reached."""
    chosen = data.draw(
        parameters_of(measure, k=st.none() | st.integers(1, 6), parameters=parameters)
    )
    if not has_bounds(chosen):
        return
    lists = [case.baseline, case.candidate, case.other]
    holes = holes_of(lists, case.grades, chosen.k)[:5]
    found = difference_bounds(
        chosen, case.baseline, case.candidate, case.grades, holes, case.max_grade
    )
    values = [
        score_ranking(chosen, case.candidate, grades) - score_ranking(chosen, case.baseline, grades)
        for grades in (case.grades | a for a in assignments(case, holes))
    ]
    check(found, values)
    assert not found.is_outer or len(values) > 1000


def test_every_measure_declares_whether_it_has_bounds():
    """A new measure must be added to a family, or to those without bounds."""
    assert set(all_measures()) == FAMILIES.keys() | WITHOUT_BOUNDS.keys()
    assert not FAMILIES.keys() & WITHOUT_BOUNDS.keys()


@pytest.mark.parametrize("measure", sorted(WITHOUT_BOUNDS, key=lambda m: m.name))
def test_measures_of_unjudged_documents_have_no_bounds(measure):
    """Scores and differences have None."""
    assert not has_bounds(measure())
    assert score_bounds(measure(), [b"a"], {}, [b"a"], 1.0) is None
    assert difference_bounds(measure(), [b"a"], [b"b"], {}, [b"a", b"b"], 1.0) is None


@pytest.mark.parametrize("measure", sorted(FAMILIES, key=lambda m: m.name), ids=lambda m: m.name)
def test_measures_of_judged_documents_only_have_no_bounds(measure):
    """They leave unjudged documents out on purpose, like bpref."""
    chosen = measure(judged_only=True)
    assert not has_bounds(chosen)
    assert score_bounds(chosen, [b"a"], {}, [b"a"], 1.0) is None


@pytest.mark.parametrize("measure", all_measures(), ids=lambda m: m.name)
def test_measures_without_bounds_have_a_reason(measure):
    """Comparisons have bounds if, and only if, there is none."""
    assert is_bounded(measure()) == (why_no_bounds(measure) is None)


def test_many_holes_leave_outer_bounds():
    """There are many with more than 100 of them, or more than 1,000 assignments of grades."""
    ranking = [b"%d" % i for i in range(101)]
    for name in ("PairwiseAccuracy", "BPM", "Compat"):
        found = score_bounds(parse_measure(name), ranking, {b"x": 1.0}, ranking, 1.0)
        assert found == Bounds(0.0, 1.0, is_outer=True)


def test_custom_measures_have_no_bounds():
    """Their use of grades is unknown."""
    assert not has_bounds(define_measure("BoundlessOne", lambda _grades, _judged: 1.0)())


@pytest.mark.parametrize("name", ["nDCGRel", "Rndcg", "G"])
def test_negative_gains_leave_averages_of_ndcg_without_bounds(name):
    """They have no range; nDCG itself accepts any table."""
    assert has_bounds(parse_measure(name))
    assert not has_bounds(type(parse_measure(name))(gain={1: -1}))
    assert has_bounds(parse_measure("nDCG(gain={1:-1})@10"))


def test_holes_are_sorted_by_best_rank_then_bytes():
    """A grade of 0 is a judgment, a negative one or none is a hole, above the cutoff."""
    lists = [[b"j", b"z", b"n", b"y"], [b"a", b"n", b"z"]]
    grades = {b"j": 0.0, b"n": -1.0}
    assert holes_of(lists, grades, 3) == [b"a", b"n", b"z"]
    assert holes_of(lists, grades, None) == [b"a", b"n", b"z", b"y"]
    assert holes_of([], grades, 3) == []


def test_precision_counts_holes_as_all_or_none():
    """One relevant and one hole in the first two: 0.5 to 1."""
    grades = {b"a": 1.0}
    assert score_bounds(parse_measure("P@2"), [b"a", b"x"], grades, [b"x"], 1.0) == Bounds(0.5, 1.0)


def test_a_relevant_hole_low_down_can_harm_average_precision():
    """One relevant document at rank 1 scores 1; a relevant hole at rank 4 makes it 0.75."""
    grades = {b"a": 1.0, b"b": 0.0, b"c": 0.0}
    ranking = [b"a", b"b", b"c", b"x"]
    assert score_bounds(parse_measure("AP"), ranking, grades, [b"x"], 1.0) == Bounds(0.75, 1.0)


def test_a_hole_of_another_run_can_improve_the_ideal():
    """nDCG@1 of a top grade 1 is 1; it is a third if the other run's document has grade 3."""
    found = score_bounds(parse_measure("nDCG@1"), [b"a"], {b"a": 1.0}, [b"x"], 3.0)
    assert (found.low, found.high) == (pytest.approx(1 / 3), 1.0)


def test_one_relevant_hole_is_enough_for_reciprocal_rank():
    """A second one could only help the baseline: 1 - 0 at best, 0 - 1 at worst."""
    found = difference_bounds(
        parse_measure("RR"), [b"x", b"y"], [b"y", b"x"], {}, [b"x", b"y"], 1.0
    )
    assert found == Bounds(-0.5, 0.5)


def test_a_hole_at_the_same_rank_does_not_change_an_additive_difference():
    """The bounds equal the difference to the bit."""
    baseline, candidate = [b"x", b"a", b"b"], [b"x", b"b", b"a"]
    grades = {b"a": 1.0, b"b": 2.0}
    for name in ("DCG@3", "RBP@3", "P@3", "R@3"):
        measure = parse_measure(name)
        value = score_ranking(measure, candidate, grades) - score_ranking(measure, baseline, grades)
        found = difference_bounds(measure, baseline, candidate, grades, [b"x"], 3.0)
        assert found == Bounds(value, value)


def test_without_holes_bounds_equal_the_score():
    """An unchanged ranking has no difference, whatever its holes."""
    grades = {b"a": 1.0, b"b": 0.0}
    assert score_bounds(parse_measure("RR"), [b"b", b"a"], grades, [], 1.0) == Bounds(0.5, 0.5)
    for name in ("nDCG@2", "AP@2", "ERR@2"):
        same = difference_bounds(
            parse_measure(name), [b"x", b"a", b"b"], [b"x", b"a", b"c"], grades, [b"x"], 1.0
        )
        assert same == Bounds(0.0, 0.0)


def test_a_level_outside_the_scale_leaves_nothing_open():
    """With rel=4 on a scale to 3 no hole is relevant; with rel=0 each is, once judged."""
    for name, value in (("P(rel=4)@1", 0.0), ("P(rel=0)@1", 1.0)):
        found = score_bounds(parse_measure(name), [b"x"], {}, [b"x"], 3.0)
        assert found == Bounds(value, value)


def test_an_outer_difference_of_a_certain_score_is_exact():
    """If one score cannot vary, bounding both separately loses nothing."""
    assert Bounds(0.25, 0.5).minus(Bounds(1.0, 1.0)) == Bounds(-0.75, -0.5)
    assert Bounds(0.25, 0.5).minus(Bounds(0.0, 1.0)) == Bounds(-0.75, 0.5, is_outer=True)
    assert Bounds(0.5, 0.5).minus(Bounds(0.0, 1.0, is_outer=True)).is_outer
