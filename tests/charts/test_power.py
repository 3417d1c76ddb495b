"""The power curve."""

from dataclasses import replace

from berryeval.charts import power_chart
from berryeval.charts.power import PowerCurve, detection_chart, power_curves
from berryeval.evaluation import sensitivity
from berryeval.evaluation.detection import Detection
from charts.drawings import drawn, texts

JUDGMENTS = {f"q{i}": {"d": 1} for i in range(30)}
RUN = {f"q{i}": [*"xy"[: i % 3], "d"] for i in range(30)}


def test_the_chart_marks_the_current_number_of_queries():
    """The description says the same."""
    found = Detection(50, 0.1, margin=0.03)
    chart = detection_chart(found, width=720, height=320)
    assert chart.description == (
        f"50 queries can rule out a drop of 0.038; a margin of 0.03 needs {found.needed}."
    )
    drawing = drawn(chart)
    assert {"50 queries: 0.038", f"margin 0.03: {found.needed} needed"} <= set(texts(drawing))
    assert len(drawing.find_all("path", class_="band")) == 1


def test_queries_beyond_the_curve_are_not_marked():
    """A mark at the end would be misplaced."""
    curve = PowerCurve("", ((10, 0.5), (100, 0.1)), 0.9)
    for n_queries, n_marks in ((10, 1), (9, 0), (101, 0)):
        drawing = drawn(power_curves([curve], n_queries, "title"))
        assert len(drawing.find_all("circle")) == n_marks


def test_each_assumed_correlation_has_a_line():
    """There is a legend, and the drop that these queries can rule out."""
    [found] = sensitivity(JUDGMENTS, RUN, "RR")
    drawing = drawn(power_chart(found))
    assert len(drawing.find_all("path", class_="line")) == 3
    assert "correlation 0.7, assumed" in texts(drawing)
    for spread in found.spreads:
        assert f"{spread.smallest_drop:.3f}" in texts(drawing)
    assert drawing.find_all("path", class_="band") == []


def test_groups_replace_queries_on_the_axis():
    """If queries come in groups, the axis counts groups."""
    [found] = sensitivity(JUDGMENTS, RUN, "RR")
    drawing = drawn(power_chart(replace(found, n_groups=12)))
    assert "groups of queries" in texts(drawing)
    assert "12 groups of queries" in drawing["aria-label"]


def test_scores_without_spread_are_not_an_error():
    """Scores that never differ have no curve."""
    [found] = sensitivity({"q": {"d": 1}}, {"q": ["d"]}, "RR")
    assert "can rule out no drop" in power_chart(found).description
