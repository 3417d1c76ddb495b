"""Charts of two runs: forest, scatter, outcomes, lines between rankings."""

import numpy as np
import pytest

from berryeval.measures import parse_measure
from berryeval.service.workbench.charts.forest import ForestRow, forest
from berryeval.service.workbench.charts.links import ROW, Link, links
from berryeval.service.workbench.charts.outcomes import outcomes
from berryeval.service.workbench.charts.scatter import N_CELLS, cell_numbers, points_of, scatter
from berryeval.stats import Interval
from service.workbench.html import parse

UNIT = (0.0, 1.0)
NDCG = parse_measure("nDCG@10")


def drawn(markup):
    """Return a chart as a tree."""
    return parse(str(markup))


def test_equal_points_are_one_circle():
    """Two queries at one place, one at another: two circles, the fuller first."""
    before, after = np.array([0.5, 0.5, 1.0]), np.array([0.7, 0.7, 0.0])
    points = points_of(before, after, after - before, UNIT)
    assert [(one.count, one.first) for one in points] == [(2, 0), (1, 2)]
    assert (points[0].before, points[0].after) == pytest.approx((0.5, 0.7))
    assert points[1].cell == (N_CELLS - 1, 0), "1 is in the last cell"


def test_cells_hold_scores_beyond_any_bounds():
    """A measure without a highest value goes as far as its scores."""
    x, y = cell_numbers(np.array([0.0, 40.0]), np.array([20.0, 10.0]), (0.0, np.inf))
    assert x.tolist() == [0, N_CELLS - 1]
    assert y.tolist() == [N_CELLS // 2, N_CELLS // 4]
    x, _ = cell_numbers(np.zeros(2), np.zeros(2), (-np.inf, np.inf))
    assert x.tolist() == [0, 0]


def test_seven_thousand_queries_fit_a_page():
    """Far less than a megabyte, without links of which nobody could choose."""
    chance = np.random.default_rng(1)
    before, after = chance.random(7_000), chance.random(7_000)
    chart = scatter(before, after, after - before, names=("a", "b"), measure=NDCG, link_of=None)
    assert len(chart) < 300_000
    assert "<a " not in chart
    assert sum(int(one["data-n"]) for one in drawn(chart).find_all("circle")) == 7_000


def test_colours_follow_what_is_better():
    """Where lower is better, what falls is better; and the sides of the diagonal change."""
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


def rows(**changes):
    """One row of a forest plot."""
    row = {"name": "RR", "mean": 0.0, "interval": None, "finding": "untested",
           "is_chosen": False, "address": "/compare?measure=RR"}  # fmt: skip
    return [ForestRow(**{**row, **changes})]


@pytest.mark.parametrize("is_narrow", [False, True])
def test_a_difference_is_a_point_on_its_interval(is_narrow):
    """Left of zero where it fell; words say the same."""
    chart = drawn(
        forest(
            rows(mean=-0.1, interval=Interval(-0.2, -0.05, 0.95, "t"), finding="worse"),
            "title",
            is_narrow=is_narrow,
        )
    )
    zero = float(chart.find("line", class_="rule")["x1"])
    line = chart.find("line", class_="interval")
    assert float(line["x1"]) < float(chart.find("circle")["cx"]) < float(line["x2"]) < zero
    label = chart.find("a")["aria-label"]
    assert label == "RR \u22120.1000  [\u22120.2000, \u22120.0500]: worse"


def test_a_difference_without_an_interval_shows_none():
    """Two ends at the mean would be an interval that excludes 0."""
    chart = drawn(forest(rows(mean=0.5), "title"))
    assert chart.find("a")["aria-label"] == "RR +0.5000: too few changes to decide"


def test_no_difference_at_all_still_has_an_axis():
    """Nothing is divided by nothing."""
    chart = drawn(forest(rows(), "title"))
    assert "nan" not in str(forest(rows(), "title"))
    assert chart.find("line", class_="rule")["x1"] == chart.find("circle")["cx"]


def test_outcomes_share_the_bar():
    """By their counts; what nobody had takes no room."""
    bars = drawn(outcomes(1, 0, 3)).find_all("rect")
    assert [(one["class"], one["width"]) for one in bars] == [
        ("s-better", "250"),
        ("s-worse", "750"),
    ]
    assert drawn(outcomes(0, 0, 0)).find_all("rect") == []


def test_lines_lead_from_row_to_row():
    """From the middle of the old row to that of the new one; the heaviest lies above."""
    chart = drawn(
        links(
            [
                Link(1, 0, 2, "worse", 1.0),
                Link(2, 1, 1, "equal"),
                Link(3, None, 0, "better", 0.5),
                Link(4, 2, None, "equal"),
            ],
            n_rows=3,
        )
    )
    assert chart.find("svg")["height"] == str(3 * ROW)
    by_number = {one["data-n"]: one for one in chart.find_all("path")}
    assert list(by_number) == ["2", "4", "3", "1"]
    half = ROW // 2
    assert by_number["1"]["d"] == f"M0 {half}C50 {half} 50 {2 * ROW + half} 100 {2 * ROW + half}"
    assert by_number["3"]["class"] == "link s-better is-stub"
    assert by_number["3"]["d"].startswith(f"M100 {half}h-")
    assert by_number["4"]["d"].startswith(f"M0 {2 * ROW + half}h")
    assert float(by_number["1"]["stroke-width"]) > float(by_number["2"]["stroke-width"])
