"""Drawings in the rows of tables, and between two lists."""

import pytest

from berryeval import compare
from berryeval.charts.marks import (
    ROW,
    GuardFigures,
    Link,
    axis,
    change_mark,
    guard_mark,
    links,
    outcomes,
    scale_of,
    widest_of,
)
from charts.drawings import drawn, texts


def test_outcomes_share_the_bar():
    """Shares follow the counts, and an outcome without queries has no width."""
    bars = drawn(outcomes(1, 0, 3)).find_all("rect")
    assert [(one["class"], one["width"]) for one in bars] == [
        ("area s-better", "250"),
        ("area s-worse", "750"),
    ]
    assert drawn(outcomes(0, 0, 0)).find_all("rect") == []


def test_lines_lead_from_row_to_row():
    """They connect the middles of the rows, and the thickest is on top."""
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
    assert chart["height"] == str(3 * ROW)
    by_number = {one["data-n"]: one for one in chart.find_all("path")}
    assert list(by_number) == ["2", "4", "3", "1"]
    half = ROW // 2
    assert by_number["1"]["d"] == f"M0 {half}C50 {half} 50 {2 * ROW + half} 100 {2 * ROW + half}"
    assert by_number["3"]["class"] == "link s-better is-stub"
    assert by_number["3"]["d"].startswith(f"M100 {half}h-")
    assert by_number["4"]["d"].startswith(f"M0 {2 * ROW + half}h")
    assert float(by_number["1"]["stroke-width"]) > float(by_number["2"]["stroke-width"])


def test_a_guard_is_drawn_with_its_limit():
    """It uses the scale of its column, whose header has the values."""
    figures = GuardFigures(0.02, (-0.05,), -0.01, 0.04, "pass")
    scale = scale_of([figures], zero=True)
    drawing = drawn(guard_mark(figures, scale, zero=True))
    limit = float(drawing.find("line", class_="limit")["x1"])
    interval, value = drawing.find("line", class_="whisker"), drawing.find("circle")
    assert limit < float(interval["x1"]) < float(value["cx"]) < float(interval["x2"])
    assert {"\u22120.05", "0"} <= set(texts(drawn(axis(scale, signed=True))))


def changed(gains):
    """Compare runs in which these queries gain or lose half a rank."""
    judgments = {f"q{i}": {"d": 1} for i in range(len(gains))}
    places = {1: (["x", "d"], ["d"]), 0: (["d"], ["d"]), -1: (["d"], ["x", "d"])}
    before, after = (
        {f"q{i}": places[gain][side] for i, gain in enumerate(gains)} for side in (0, 1)
    )
    return compare(judgments, {"before": before, "after": after}, "RR").differences[0]


@pytest.mark.parametrize(
    ("gains", "kind"),
    [
        ([1] * 15 + [0] * 5, "s-better"),
        ([-1] * 15 + [0] * 5, "s-worse"),
        ([1, -1] * 6, "s-unclear"),
    ],
)
def test_a_difference_is_drawn_around_zero(gains, kind):
    """It has the colour of its result, at the scale of its table."""
    change = changed(gains)
    value, interval = change.mean, change.interval
    widest = widest_of([change, None])
    assert widest == pytest.approx(max(abs(interval.low), abs(interval.high)))
    drawing = drawn(change_mark(change, widest))
    zero = float(drawing.find("line", class_="rule")["x1"])
    place = float(drawing.find("g", class_=kind).find("circle")["cx"])
    assert (place > zero) == (value > 0)
    assert widest_of([]) == 1.0


def test_a_difference_without_an_interval_has_its_own_scale():
    """It does not shrink to the middle if nothing else is wide."""
    few = changed([1] * 5 + [0] * 15)
    assert few.finding == "untested"
    assert widest_of([few]) == few.mean
    drawing = drawn(change_mark(few, widest_of([few])))
    assert drawing.find_all("line", class_="thick") == []
    zero = float(drawing.find("line", class_="rule")["x1"])
    assert float(drawing.find("g", class_="s-untested").find("circle")["cx"]) > 1.5 * zero
