"""The scatter plot: each query by its score in two runs."""

import numpy as np
import pytest

from berryeval.charts.scatter import N_CELLS, cell_numbers, points_of, scatter
from berryeval.measures import parse_measure
from charts.drawings import drawn

UNIT = (0.0, 1.0)
NDCG = parse_measure("nDCG@10")


def test_equal_points_are_one_circle():
    """Two queries at one point and one at another are two circles, the larger first."""
    before, after = np.array([0.5, 0.5, 1.0]), np.array([0.7, 0.7, 0.0])
    points = points_of(before, after, after - before, UNIT)
    assert [(one.count, one.first) for one in points] == [(2, 0), (1, 2)]
    assert (points[0].before, points[0].after) == pytest.approx((0.5, 0.7))
    assert points[1].cell == (N_CELLS - 1, 0), "1 is in the last cell"


def test_measures_without_a_maximum_use_the_range_of_scores():
    """The grid ends at the highest score."""
    x, y = cell_numbers(np.array([0.0, 40.0]), np.array([20.0, 10.0]), (0.0, np.inf))
    assert x.tolist() == [0, N_CELLS - 1]
    assert y.tolist() == [N_CELLS // 2, N_CELLS // 4]
    x, _ = cell_numbers(np.zeros(2), np.zeros(2), (-np.inf, np.inf))
    assert x.tolist() == [0, 0]


def test_seven_thousand_queries_fit_a_page():
    """The size is far below a megabyte, with few links."""
    chance = np.random.default_rng(1)
    before, after = chance.random(7_000), chance.random(7_000)
    chart = scatter(before, after, after - before, names=("a", "b"), measure=NDCG, link_of=None)
    assert len(chart.marks) < 300_000
    assert "<a " not in chart.marks
    assert sum(int(one["data-n"]) for one in drawn(chart).find_all("circle")) == 7_000


def test_colours_show_what_is_better():
    """If lower is better, falling is better, and the sides of the diagonal swap."""
    before, after = np.array([0.2, 0.8]), np.array([0.9, 0.1])
    sides = {}
    for name in ("nDCG@10", "NumRel"):
        measure = parse_measure(name)
        gains = (after - before) * (1 if measure.higher_is_better else -1)
        chart = drawn(
            scatter(before, after, gains, names=("a", "b"), measure=measure,
                    link_of=lambda point: (f"/q{point.first}", "words"))
        )  # fmt: skip
        sides[name] = [one["class"] for one in chart.find_all("path", class_="side")]
        group = chart.find("g", class_="s-better" if measure.higher_is_better else "s-worse")
        assert group.find("a")["href"] == "/q0"
    assert sides["nDCG@10"] == ["side s-better", "side s-worse"]
