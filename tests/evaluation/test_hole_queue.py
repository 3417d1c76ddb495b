"""Which holes to judge first, quickly, and the same as the exact way where that matters."""

import random

import pytest

from berryeval import Judgments, Run
from berryeval.evaluation.hole_queue import queue_holes
from berryeval.evaluation.holes import find_holes
from berryeval.measures import NDCG, Precision
from berryeval.measures.average_precision import GeometricAveragePrecision


def pairs(queue):
    """Query and document of each hole, in order."""
    return [(hole.query_id, hole.doc_id) for hole in queue.holes]


@pytest.fixture
def world():
    """Judgments and three runs by chance."""
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


def test_what_both_have_at_the_same_rank_decides_no_comparison():
    """d2 moves both systems alike; d3 moves one of them."""
    judgments = Judgments.from_dict({"q1": {"d1": 1}})
    runs = {
        "a": Run.from_lists({"q1": ["d2", "d1"]}),
        "b": Run.from_lists({"q1": ["d2", "d3"]}),
    }
    queue = queue_holes(judgments, runs, Precision(2), baseline="a")
    assert pairs(queue) == [("q1", "d3"), ("q1", "d2")]
    assert [hole.effect for hole in queue.holes] == [0.5, 0.0]


@pytest.mark.parametrize("baseline", [None, "a"])
def test_every_hole_is_found_and_the_head_has_its_exact_effect(world, baseline):
    """The same holes and effects as the exact way, of judged queries."""
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


def test_effects_of_a_part_are_those_of_the_whole(world):
    """The head is scored alone, and its effects still are on the mean of all queries."""
    judgments, runs = world
    whole = queue_holes(judgments, runs, NDCG(10), head=10_000)
    part = queue_holes(judgments, runs, NDCG(10), head=5)
    effects = {(hole.query_id, hole.doc_id): hole.effect for hole in whole.holes}
    for hole in part.holes[:5]:
        if hole.effect is not None:
            assert hole.effect == pytest.approx(effects[hole.query_id, hole.doc_id], abs=1e-12)
    assert all(hole.effect is None for hole in part.holes[5:])


def test_queries_without_any_judgment_are_asked_for(world):
    """Somebody has to begin: their holes have no effect yet."""
    judgments, runs = world
    queue = queue_holes(judgments, runs, NDCG(10), head=10_000)
    new = [hole for hole in queue.holes if hole.query_id in ("q12", "q13")]
    assert new
    assert all(hole.effect is None for hole in new)
    assert queue_holes(Judgments.from_dict({}), runs, NDCG(10)).n_holes > 0


def test_only_the_heaviest_are_kept(world):
    """And it is told how many there are."""
    judgments, runs = world
    whole = queue_holes(judgments, runs, NDCG(10), head=0)
    few = queue_holes(judgments, runs, NDCG(10), most=7, head=0)
    assert [hole.weight for hole in few.holes] == [hole.weight for hole in whole.holes[:7]]
    assert few.n_holes == whole.n_holes == len(whole.holes)


def test_a_document_that_was_in_the_pool_and_not_judged_is_a_hole():
    """Grades below 0 are none."""
    judgments = Judgments.from_dict({"q1": {"d1": -1, "d2": 0}})
    runs = {"a": Run.from_lists({"q1": ["d1", "d2"]})}
    assert pairs(queue_holes(judgments, runs, NDCG(10))) == [("q1", "d1")]


def test_a_geometric_mean_has_no_effects(world):
    """The order is by weight alone."""
    judgments, runs = world
    queue = queue_holes(judgments, runs, GeometricAveragePrecision())
    assert all(hole.effect is None for hole in queue.holes)
