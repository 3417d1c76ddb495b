"""Which holes to judge first: fast, and equal to the exact method where it matters."""

import random

import pytest

from berryeval import Judgments, Run
from berryeval.evaluation.hole_queue import queue_holes
from berryeval.evaluation.holes import find_holes
from berryeval.measures import NDCG, Precision
from berryeval.measures.average_precision import GeometricAveragePrecision


def pairs(queue):
    """Return query and document of each hole, in order."""
    return [(hole.query_id, hole.doc_id) for hole in queue.holes]


@pytest.fixture
def world():
    """Return judgments and three random runs."""
    chance = random.Random(11)  # noqa: S311
    docs = [f"d{n}" for n in range(25)]
    judgments = Judgments.from_dict(
        {f"q{n}": {doc: chance.randrange(4) for doc in chance.sample(docs, 8)} for n in range(12)}
    )
    runs = {
        name: Run.from_lists({f"q{n}": chance.sample(docs, 15) for n in range(14)})
        for name in ("a", "b", "c")
    }
    return judgments, runs


def test_holes_of_more_systems_and_higher_ranks_come_first():
    """d2 is first in both, d3 only in one of them."""
    judgments = Judgments.from_dict({"q1": {"d1": 1}})
    runs = {
        "a": Run.from_lists({"q1": ["d2", "d1"]}),
        "b": Run.from_lists({"q1": ["d2", "d3"]}),
    }
    queue = queue_holes(judgments, runs, Precision(2), head=0)
    assert pairs(queue) == [("q1", "d2"), ("q1", "d3")]
    assert [hole.n_runs for hole in queue.holes] == [2, 1]
    assert (queue.n_holes, queue.n_runs) == (2, 2)


def test_a_hole_at_the_same_rank_does_not_affect_a_comparison():
    """d2 changes both systems alike, and d3 only one."""
    judgments = Judgments.from_dict({"q1": {"d1": 1}})
    runs = {
        "a": Run.from_lists({"q1": ["d2", "d1"]}),
        "b": Run.from_lists({"q1": ["d2", "d3"]}),
    }
    queue = queue_holes(judgments, runs, Precision(2), baseline="a")
    assert pairs(queue) == [("q1", "d3"), ("q1", "d2")]
    assert [hole.effect for hole in queue.holes] == [0.5, 0.0]


@pytest.mark.parametrize("baseline", [None, "a"])
def test_every_hole_is_found_and_the_first_have_exact_effects(world, baseline):
    """Holes and effects of judged queries match the exact method."""
    judgments, runs = world
    measure = NDCG(10)
    queue = queue_holes(judgments, runs, measure, baseline=baseline, head=10_000)
    exact = {
        (hole.query_id, hole.doc_id): hole.effect
        for hole in find_holes(judgments, runs, [measure], baseline=baseline)
    }
    found = {(hole.query_id, hole.doc_id): hole.effect for hole in queue.holes}
    assert {pair for pair in found if pair[0] in judgments} == set(exact)
    for pair, effect in exact.items():
        assert found[pair] == pytest.approx(effect, abs=1e-12)
    effects = [hole.effect for hole in queue.holes if hole.effect is not None]
    assert effects == sorted(effects, reverse=True)


def test_effects_of_some_holes_refer_to_all_queries(world):
    """Only the first are scored, but their effects are on the overall mean."""
    judgments, runs = world
    whole = queue_holes(judgments, runs, NDCG(10), head=10_000)
    part = queue_holes(judgments, runs, NDCG(10), head=5)
    effects = {(hole.query_id, hole.doc_id): hole.effect for hole in whole.holes}
    for hole in part.holes[:5]:
        if hole.effect is not None:
            assert hole.effect == pytest.approx(effects[hole.query_id, hole.doc_id], abs=1e-12)
    assert all(hole.effect is None for hole in part.holes[5:])


def test_queries_without_judgments_are_included(world):
    """Their holes have no effect yet."""
    judgments, runs = world
    queue = queue_holes(judgments, runs, NDCG(10), head=10_000)
    new = [hole for hole in queue.holes if hole.query_id in ("q12", "q13")]
    assert new
    assert all(hole.effect is None for hole in new)
    assert queue_holes(Judgments.from_dict({}), runs, NDCG(10)).n_holes > 0


def test_only_the_most_important_holes_are_kept(world):
    """Their total number is reported."""
    judgments, runs = world
    whole = queue_holes(judgments, runs, NDCG(10), head=0)
    few = queue_holes(judgments, runs, NDCG(10), most=7, head=0)
    assert [hole.weight for hole in few.holes] == [hole.weight for hole in whole.holes[:7]]
    assert few.n_holes == whole.n_holes == len(whole.holes)


def test_a_negative_grade_is_a_hole():
    """The document was in the pool, but not judged."""
    judgments = Judgments.from_dict({"q1": {"d1": -1, "d2": 0}})
    runs = {"a": Run.from_lists({"q1": ["d1", "d2"]})}
    assert pairs(queue_holes(judgments, runs, NDCG(10))) == [("q1", "d1")]


def test_a_geometric_mean_has_no_effects(world):
    """Holes are ordered by weight alone."""
    judgments, runs = world
    queue = queue_holes(judgments, runs, GeometricAveragePrecision())
    assert all(hole.effect is None for hole in queue.holes)
