"""The forest plot, from its rows."""

import pytest

from berryeval.charts.forest import ForestRow, forest, forest_plot
from berryeval.stats import Interval
from charts.drawings import drawn, texts
from example_results import a_comparison


def rows(**changes):
    """Return one row of a forest plot."""
    row = {"name": "RR", "mean": 0.0, "interval": None, "finding": "untested",
           "address": "/compare?measure=RR"}  # fmt: skip
    return [ForestRow(**{**row, **changes})]


@pytest.mark.parametrize("width", [320, 760])
def test_a_difference_is_a_point_on_its_interval(width):
    """A drop is left of zero, and the description says the same."""
    chart = drawn(
        forest(
            rows(mean=-0.1, interval=Interval(-0.2, -0.05, 0.95, "t"), finding="worse"),
            "bm25",
            0.95,
            width=width,
        )
    )
    zero = float(chart.find("line", class_="rule")["x1"])
    line = chart.find("line", class_="whisker")
    assert (
        float(line["x1"]) < float(chart.find("a").find("circle")["cx"]) < float(line["x2"]) < zero
    )
    label = chart.find("a")["aria-label"]
    assert label == "RR \u22120.1000 [\u22120.2000, \u22120.0500]: worse"


def test_a_difference_without_an_interval_has_no_whiskers():
    """Whiskers at the mean would look like an interval that excludes 0."""
    chart = drawn(forest(rows(mean=0.5), "bm25", 0.95))
    assert chart.find("a")["aria-label"] == "RR +0.5000: too few changes to decide"


def test_no_difference_at_all_still_has_an_axis():
    """The scale does not divide by zero."""
    chart = drawn(forest(rows(), "bm25", 0.95))
    assert "nan" not in forest(rows(), "bm25", 0.95).marks
    assert chart.find("line", class_="rule")["x1"] == chart.find("a").find("circle")["cx"]


def test_a_selected_row_is_marked():
    """It has a background, and an attribute for screen readers."""
    row = drawn(forest(rows(is_chosen=True), "bm25", 0.95)).find("a")
    assert "is-chosen" in row["class"]
    assert row["aria-current"] == "true"


def test_huge_differences_have_no_decimals():
    """They would take too much space."""
    interval = Interval(-1e12, 3e12, 0.95, "t")
    chart = drawn(forest(rows(mean=1e12, interval=interval), "bm25", 0.95))
    assert "+1e+12 [\u22121e+12, +3e+12]" in texts(chart)


def test_a_long_name_on_a_phone_has_its_own_line():
    """Otherwise its middle would be lost."""
    interval = Interval(-0.2, -0.05, 0.95, "t")
    name = "hybrid-with-reranking · nDCG@10"
    narrow = drawn(forest(rows(name=name, interval=interval), "bm25", 0.95, width=320))
    shown, figures = narrow.find("a").find_all("text")
    assert shown.text == name
    assert float(figures["y"]) > float(shown["y"])


def test_many_rows_are_described_by_the_first():
    """Listing a thousand rows would be useless."""
    assert forest(rows() * 1000, "bm25", 0.95).description.endswith("; 988 more.")


def test_rows_of_several_systems_leave_out_what_their_names_share():
    """Otherwise the middle of every name, where they differ, would be cut off."""
    systems = {"base": 0.1, "trec8/input.bm25-tuned.gz": 0.5, "trec8/input.dense-tuned.gz": 0.9}
    named = [
        row.text for row in drawn(forest_plot(a_comparison(20, systems))).find_all(class_="name")
    ]
    assert named[:2] == ["bm25 · nDCG@10", "dense · nDCG@10"]
