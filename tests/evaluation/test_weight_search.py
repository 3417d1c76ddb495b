"""Weights found by exact line search are optimal."""

import random
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import berryeval as be
from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.engine import score
from berryeval.evaluation.weight_search import Steps, WeightSearch, best_share, proportions
from berryeval.measures import parse_measure
from depth import examples


def parts_of(runs, method="wsum"):
    n = len(runs)
    return [be.fuse(runs, method, weights=[float(i == j) for i in range(n)]) for j in range(n)]


def scores(runs, judgments, measure, weights, method="wsum"):
    fused = be.fuse(runs, method, weights=weights)
    return score(judgments, fused, [measure]).values[str(measure)]


@st.composite
def cases(draw, n_runs=2):
    """Draw runs of one query with few distinct scores, hence many ties, and judgments."""
    ids = [f"d{number}" for number in range(8)]
    runs = [
        Run.from_dict(
            {"q": {d: draw(st.integers(0, 6)) / 2 for d in ids if draw(st.booleans())} | {"z": 0.5}}
        )
        for _ in range(n_runs)
    ]
    grades = {d: draw(st.sampled_from([0, 1, 2, -1])) for d in ids if draw(st.booleans())}
    return runs, Judgments.from_dict({"q": grades | {"z": 1}})


@examples(1000)
@given(case=cases(), share=st.floats(0.001, 0.999), name=st.sampled_from(["nDCG@3", "AP@5",
       "R@4", "P@1", "ERR@9", "Judged@2"]))  # fmt: skip
def test_steps_equal_the_scores_of_fused_runs(case, share, name):
    """This holds for any measure with a cutoff, at any share within a step."""
    runs, judgments = case
    measure = parse_measure(name)
    steps = WeightSearch(parts_of(runs), judgments, measure).steps(b"q", 1, (1.0, 0.0))
    if np.abs(steps.ends - share).min(initial=1.0) > 1e-6:
        # What is exactly equal on paper may differ by rounding, and then the order too.
        fused = be.fuse(runs, "wsum", weights=[1 - share, share])
        values = sorted(fused.values)
        if all(after - before > 1e-9 for before, after in pairwise(values)):
            assert scores(runs, judgments, measure, [1 - share, share])[0] == steps.at(share)


@examples(200)
@given(case=cases())
def test_no_share_of_a_grid_is_better(case):
    """The exact maximum is at least that of a hundred trials."""
    runs, judgments = case
    measure = parse_measure("nDCG@5")
    search = WeightSearch(parts_of(runs), judgments, measure)
    weights, best = search.search([b"q"], [(0.5, 0.5)])
    assert sum(weights) == pytest.approx(1)
    steps = search.steps(b"q", 1, (1.0, 0.0))
    assert best >= max(steps.at(place / 100) for place in range(101)) - 1e-9
    assert best == pytest.approx(steps.values.max())


def test_the_middle_of_the_widest_best_step_is_chosen():
    """Both steps of height 1 are best, and the second is wider."""
    steps = Steps(np.array([0.1, 0.2, 0.5]), np.array([1.0, 0.0, 0.0, 1.0]))
    assert best_share([steps]) == (0.75, 1.0)


def test_steps_of_several_queries_add_up():
    """The first query is best below 0.4, the second above 0.3."""
    one = Steps(np.array([0.4]), np.array([1.0, 0.0]))
    other = Steps(np.array([0.3]), np.array([0.0, 1.0]))
    share, total = best_share([one, other])
    assert (share, total) == (pytest.approx(0.35), 2.0)


def three_runs():
    """Three runs: two that are good for different queries, and a bad one."""
    draw = random.Random(5)  # noqa: S311 - a test set
    ids = [f"d{number}" for number in range(20)]
    judgments = {f"q{n}": {draw.choice(ids): 1, draw.choice(ids): 2} for n in range(12)}
    runs = []
    for strength in (2.0, 1.5, 0.0):
        run = {
            query: {d: draw.random() + strength * draw.random() * grades.get(d, 0) for d in ids}
            for query, grades in judgments.items()
        }
        runs.append(Run.from_dict(run))
    return runs, Judgments.from_dict(judgments)


@pytest.mark.parametrize("method", ["wsum", "rrf", "rbc", "mixed", "wmnz", "w_bordafuse"])
def test_three_weights_beat_a_grid(method):
    """Coordinate ascent is at least as good as 66 combinations, for every method with weights."""
    runs, judgments = three_runs()
    measure = parse_measure("nDCG@5")
    query_ids = [*judgments.query_ids.iter_bytes()]
    search = WeightSearch(parts_of(runs, method), judgments, measure)
    starts = [(1 / 3, 1 / 3, 1 / 3), (0.6, 0.3, 0.1), (0.1, 0.8, 0.1)]
    weights, best = search.search(query_ids, starts)
    found = scores(runs, judgments, measure, weights, method)
    assert np.asarray(found).mean() == pytest.approx(best)
    grid = [(a / 10, b / 10, (10 - a - b) / 10) for a in range(11) for b in range(11 - a)]
    tried = max(np.asarray(scores(runs, judgments, measure, w, method)).mean() for w in grid)
    assert best >= tried - 0.01


def test_a_measure_of_which_less_is_better_is_minimised():
    """Holes are fewest where the judged document is first."""
    runs = [Run.from_dict({"q": {"a": 2.0, "b": 1.0}}), Run.from_dict({"q": {"b": 2.0, "a": 1.0}})]
    judgments = Judgments.from_dict({"q": {"b": 1}})
    measure = parse_measure("Holes@1")
    assert not measure.higher_is_better
    weights, best = WeightSearch(parts_of(runs), judgments, measure).search([b"q"], [(0.5, 0.5)])
    assert (weights, best) == ((0.25, 0.75), 0.0)


def test_other_weights_keep_their_proportions():
    """If all others are 0, they become equal."""
    assert proportions((0.5, 0.3, 0.2), 0) == (0.0, 0.6, 0.4)
    assert proportions((1.0, 0.0, 0.0), 0) == (0.0, 0.5, 0.5)


def test_a_query_that_counts_more_decides():
    """The queries disagree, and the one with the larger weight determines the result."""
    one = Steps(np.array([0.4]), np.array([1.0, 0.0]))
    other = Steps(np.array([0.4]), np.array([0.0, 1.0]))
    assert best_share([one, other], [3.0, 1.0]) == (pytest.approx(0.2), 3.0)
    assert best_share([one, other], [1.0, 3.0]) == (pytest.approx(0.7), 3.0)
