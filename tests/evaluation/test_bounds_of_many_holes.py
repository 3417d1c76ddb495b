"""Bounds with too many holes to try every assignment."""

import itertools

import numpy as np
import pytest

from berryeval.evaluation.bounds import difference_bounds, holes_of, score_bounds
from berryeval.measures import parse_measure
from cases import score_ranking


def many(n_documents: int, depth: int, n_judged: int, seed: int = 7):
    """Return two long rankings with few judged documents."""
    drawn = np.random.default_rng(seed)
    documents = [b"%03d" % i for i in range(n_documents)]
    baseline, candidate = (drawn.permutation(documents)[:depth].tolist() for _ in range(2))
    grades = {
        d: float(drawn.integers(-1, 4)) for d in drawn.permutation(documents)[:n_judged].tolist()
    }
    return baseline, candidate, grades


def some_assignments(holes, max_grade: int):
    """Return extreme and random assignments."""
    drawn = np.random.default_rng(11)
    for share in (0.0, 0.1, 0.5, 0.9, 1.0):
        for _ in range(20):
            yield {h: float(max_grade if drawn.random() < share else 0) for h in holes}
            yield {h: float(drawn.integers(0, max_grade + 1)) for h in holes}


NAMES = ["AP", "AP@20", "yaap", "ERR", "IPrec@0.3", "AP11", "binG", "nDCGRel", "Rndcg", "G", "F1",
         "SetF", "SetAP", "nDCG", "NCG@20", "Rprec", "R", "RBP(max_grade=3)"]  # fmt: skip
OUTER = {"AP", "AP@20", "yaap", "ERR", "IPrec@0.3", "AP11", "binG", "nDCGRel", "Rndcg", "G"}


@pytest.mark.parametrize("name", NAMES)
def test_bounds_hold_for_hundreds_of_holes(name):
    """E6: outer bounds are marked, and contain all assignments that are tried."""
    measure = parse_measure(name)
    baseline, candidate, grades = many(180, 150, 30)
    holes = holes_of([baseline, candidate], grades, measure.k)
    scores = score_bounds(measure, candidate, grades, holes, 3.0)
    differences = difference_bounds(measure, baseline, candidate, grades, holes, 3.0)
    assert differences.is_outer == (name in OUTER)
    for given in some_assignments(holes, 3):
        ours, theirs = (score_ranking(measure, r, grades | given) for r in (candidate, baseline))
        assert scores.low - 1e-12 <= ours <= scores.high + 1e-12
        assert differences.low - 1e-12 <= ours - theirs <= differences.high + 1e-12


def test_f_of_long_rankings_falls_back_to_outer_bounds():
    """Up to 20,000 combinations of holes are counted."""
    baseline, candidate, grades = many(500, 300, 10)
    holes = holes_of([baseline, candidate[:-9], [b"x%d" % i for i in range(300)]], grades, None)
    found = difference_bounds(parse_measure("F1"), baseline, candidate[:-9], grades, holes, 3.0)
    assert found.is_outer


@pytest.mark.parametrize("gain", ["linear", "exp2"])
@pytest.mark.parametrize("max_grade", [40.0, 5000.0])
def test_many_grades_are_extreme_at_judged_grades_and_the_ends(gain, max_grade):
    """nDCG considers few of a thousand grades, without losing accuracy."""
    if gain == "exp2" and max_grade > 1000:
        gain = "linear"
    measure = parse_measure(f"nDCG(gain={gain})@3")
    grades = {b"a": 3.0, b"b": 17.0, b"c": 0.0}
    baseline, candidate = [b"x", b"a", b"y"], [b"b", b"y", b"x"]
    holes = [b"x", b"y"]
    found = difference_bounds(measure, baseline, candidate, grades, holes, max_grade)
    steps = [*range(41), *range(100, int(max_grade) + 1, 100)]
    values = [
        score_ranking(measure, candidate, judged) - score_ranking(measure, baseline, judged)
        for x in steps
        for y in steps
        if max(x, y) <= max_grade
        for judged in [grades | {b"x": float(x), b"y": float(y)}]
    ]
    assert found.low == pytest.approx(min(values), abs=1e-12)
    assert found.high == pytest.approx(max(values), abs=1e-12)


def by_counts(measure, baseline, candidate, grades, holes, max_grade: int) -> list[float]:
    """Return the best and worst difference for each number of holes of each grade.

    The highest grades go to the holes by which a difference of DCG gains most, or least.
    """
    dcg = parse_measure(f"DCG@{measure.k}")

    def gained(hole: bytes) -> float:
        alone = {hole: 1.0}
        return score_ranking(dcg, candidate, alone) - score_ranking(dcg, baseline, alone)

    falling = sorted(holes, key=gained, reverse=True)
    found = []
    for given in itertools.combinations_with_replacement(range(max_grade + 1), len(holes)):
        for order in (falling, falling[::-1]):
            judged = grades | dict(zip(order, map(float, given), strict=True))
            ours, theirs = (score_ranking(measure, r, judged) for r in (candidate, baseline))
            found.append(ours - theirs)
    return found


@pytest.mark.parametrize("name", ["nDCG@5", "nDCG(gain=exp2)@8", "nDCG(rel=2)@6"])
@pytest.mark.parametrize("seed", range(20))
def test_ndcg_is_as_extreme_as_the_best_count_of_each_grade(name, seed):
    """E6: trying every number of holes of each grade gives the same, on longer lists."""
    measure = parse_measure(name)
    baseline, candidate, grades = many(14, 9, 8, seed)
    holes = holes_of([baseline, candidate], grades, measure.k)
    found = difference_bounds(measure, baseline, candidate, grades, holes, 3.0)
    values = by_counts(measure, baseline, candidate, grades, holes, 3)
    assert found.low == pytest.approx(min(values), abs=1e-12)
    assert found.high == pytest.approx(max(values), abs=1e-12)


def test_a_table_of_gains_may_leave_nothing_to_gain():
    """Only grade 0 gains here, so nDCG is 0 or 1."""
    measure = parse_measure("nDCG(gain={0:5,1:0})@1")
    found = score_bounds(measure, [b"x"], {}, [b"x"], 1.0)
    assert (found.low, found.high) == (0.0, 1.0)
