"""The calibration plot, from its points."""

import pytest

from berryeval.charts.calibration import calibration
from berryeval.stats import Interval
from berryeval.stats.calibration import CalibrationPoint
from berryeval.stats.confusion import ConfusionCell
from charts.drawings import drawn, texts


def interval(low, high):
    """Return an interval."""
    return Interval(low, high, 0.95, "t")


POINTS = [
    CalibrationPoint(0, 30, 0.2, interval(0.1, 0.3)),
    CalibrationPoint(2, 1, 2.0, None),
    CalibrationPoint(3, 20, 2.9, interval(2.6, 4.2)),
]
CELLS = [
    ConfusionCell(0, 0, 24, 0.8, interval(0.6, 0.9)),
    ConfusionCell(0, 1, 6, 0.2, interval(0.1, 0.4)),
    ConfusionCell(0, 3, 0, 0.0, interval(0, 0.1)),
    ConfusionCell(0, None, 2, 0.1, interval(0, 0.3)),
]


@pytest.mark.parametrize("width", [320, 420])
def test_a_generous_judge_is_above_the_diagonal(width):
    """Each grade of people has a dot on its interval, and the description says the same."""
    chart = drawn(calibration(POINTS, CELLS, 3, 0.95, width=width))
    first, second, third = chart.find_all("g", class_="s-candidate")
    dot, line = first.find("circle"), first.find("line")
    assert float(line["y2"]) < float(dot["cy"]) < float(line["y1"])
    zero = float(chart.find_all("circle", class_="band")[0]["cy"])
    assert float(dot["cy"]) < zero, "above 0, which people gave"
    assert not second.find_all("line"), "a single pair has no interval"
    assert float(third.find("line")["y2"]) >= 0, "what lies beyond the scale is cut"
    assert "people 0: the judge gives 0.20 [0.10, 0.30], 30 pairs" in chart["aria-label"]


def test_circles_are_shares_of_what_the_judge_gave():
    """Their areas are proportional to them; grades that it never gave have no circle."""
    circles = drawn(calibration(POINTS, CELLS, 3, 0.95)).find_all("circle", class_="band")
    assert len(circles) == 2
    large, small = (float(circle["r"]) ** 2 for circle in circles)
    assert large / small == pytest.approx(4, rel=0.01)


def test_a_long_scale_has_few_values():
    """A hundred grades do not fit along an axis."""
    shown = [one for one in texts(drawn(calibration([], [], 100, 0.95))) if one.isdigit()]
    assert len(shown) <= 2 * 11
