"""Charts of a comparison."""

import math
import re

import pytest

from berryeval.charts import (
    cutoff_families,
    forest_plot,
    measure_by_k,
    per_query_chart,
    score_distribution,
    wins_by_slice,
)
from berryeval.charts.distribution import distribution
from berryeval.measures import parse_measure, parse_measures
from charts.drawings import drawn, texts
from example_results import a_comparison, compare_these

COMPARISON = a_comparison(40)


def steps(path):
    """Return the heights of bars drawn as one path."""
    return [float(bar.split("V")[1].split("H")[0]) for bar in path["d"].split("M")[1:]]


def test_the_forest_plot_has_one_row_per_difference():
    """Rows are in the order of the measures, with margins and a description."""
    chart = forest_plot(COMPARISON, {"nDCG@10": 0.05})
    rows = drawn(chart).find_all("g", class_="row")
    assert [row.find("text", class_="name").text for row in rows] == [
        str(measure) for measure in COMPARISON.measures
    ]
    assert [len(row.find_all("line", class_="limit")) for row in rows] == [1, 0, 0, 0, 0]
    first = rows[0].find("title").text
    assert first.endswith("; margin 0.05")
    assert chart.description.startswith(first)


def test_the_forest_plot_names_several_systems():
    """An undefined interval is drawn as a point."""
    systems = {"base": 0.5, "one": 0.6, "two": 0.7}
    row = drawn(forest_plot(a_comparison(1, systems, slices=()))).find("g", class_="row")
    assert row.find("text", class_="name").text == "one · nDCG@10"
    assert row.find_all("line", class_="whisker") == []
    assert "[" not in row.text, "an interval of one point would exclude 0"


def test_a_margin_is_drawn_on_the_side_of_a_drop():
    """It is left of zero if higher is better, and right if lower is."""
    comparison = a_comparison(40, measures=["nDCG@10", "Unjudged@10"], slices=())
    names = [str(measure) for measure in comparison.measures]
    chart = drawn(forest_plot(comparison, dict.fromkeys(names, 0.05)))
    zero = float(chart.find("line", class_="rule")["x1"])
    limits = [float(line["x1"]) for line in chart.find_all("line", class_="limit")]
    assert [limit < zero for limit in limits] == [m.higher_is_better for m in comparison.measures]


def test_the_legend_of_the_forest_plot_matches_its_marks():
    """It mentions untested differences and margins only if there are any."""
    tested = texts(drawn(forest_plot(COMPARISON, {"nDCG@10": 0.05})))
    untested = texts(drawn(forest_plot(a_comparison(5, slices=()))))
    assert tested[:4] == ["better", "worse", "not clearly different", "margin"]
    assert untested[:4] == ["better", "worse", "not clearly different", "too few changes to decide"]
    assert "margin" not in untested


def test_queries_are_sorted_from_loss_to_gain():
    """Every changed query has a bar."""
    chart = drawn(per_query_chart(COMPARISON, "hybrid", "nDCG@10"))
    worse, better = (steps(chart.find("path", class_=f"s-{one}")) for one in ("worse", "better"))
    bars = worse + better
    assert bars == sorted(bars, reverse=True), "higher is further up, at smaller numbers"
    assert len(bars) == 40 - COMPARISON.difference("hybrid", "nDCG@10").ties


def test_differences_of_queries_are_described_as_in_tables():
    """They have four decimals and a real minus sign."""
    chart = per_query_chart(COMPARISON, "hybrid", "nDCG@10")
    assert re.search(r"differences go from (\u2212|\+)0\.\d{4} to \+0\.\d{4}\.$", chart.description)


def test_if_lower_is_better_a_rise_is_a_loss():
    """The greatest rise comes first, and counts as worse."""
    judged = {q: {"d": 1, "e": 0} for q in ("q1", "q2", "q3")}
    old = {"q1": ["d", "x"], "q2": ["x", "y"], "q3": ["d", "e"]}
    new = {"q1": ["x", "y"], "q2": ["d", "x"], "q3": ["d", "e"]}
    name = next(str(m) for m in parse_measures("Unjudged@2") if not m.higher_is_better)
    comparison = compare_these(judged, {"old": old, "new": new}, measures=[name])
    chart = drawn(per_query_chart(comparison, "new", name))
    worse, better = (steps(chart.find("path", class_=f"s-{one}")) for one in ("worse", "better"))
    zero = float(chart.find("line", class_="rule")["y1"])
    assert worse[0] < zero < better[0]


def test_many_queries_are_sampled_evenly():
    """Both ends are kept."""
    comparison = a_comparison(700, measures=["nDCG@10"], slices=())
    chart = per_query_chart(comparison, "hybrid", "nDCG@10")
    values = comparison.difference("hybrid", "nDCG@10").values
    paths = drawn(chart).find_all("path", class_="area")
    bars = [height for path in paths for height in steps(path)]
    assert len(bars) <= 320
    zero = float(drawn(chart).find("line", class_="rule")["y1"])
    lowest, highest = max(bars) - zero, zero - min(bars)
    assert highest / lowest == pytest.approx(values.max() / -values.min(), rel=0.01)


def test_the_distribution_shows_both_systems():
    """Bars with counts for the candidate, an outline for the baseline, and a legend are drawn."""
    chart = drawn(score_distribution(COMPARISON, "hybrid", "nDCG@10"))
    counts = [bar.find("title").text.split(": ")[1] for bar in chart.find_all("rect", class_="area")
              if bar.find_all("title")]  # fmt: skip
    assert sum(int(count.split()[0]) for count in counts) == 40
    assert len(chart.find_all("path", class_="s-baseline")) == 1
    assert texts(chart)[:2] == ["hybrid", "bm25"]


def test_a_distribution_counts_queries_by_their_scores():
    """A bar states its range and its count, and the mean is marked."""
    measure = parse_measure("RR")
    chart = distribution(measure, [0.0, 0.0, 0.02, 1.0], 0.255, [0.5], names=("a", "b"))
    drawing = drawn(chart)
    words = [one.text for one in drawing.find_all("title")][1:]
    assert words == ["0 to 0.05: 3 queries", "0.95 to 1: 1 query"]
    assert "mean 0.255" in texts(drawing)
    assert "half at most 0.010" in drawing["aria-label"]
    alone = drawn(distribution(measure, [0.5], 0.5, names=("a", "")))
    assert alone.find_all("path", class_="s-baseline") == []
    assert "a" not in texts(alone), "one run needs no legend"


def test_measures_without_bounds_use_the_range_of_their_values():
    """This includes DCG, equal counts, and no queries."""
    measure = parse_measure("DCG@10")
    assert measure.bounds[1] == math.inf
    assert "10" in texts(drawn(distribution(measure, [0.0, 10.0], 5.0, [3.0], names=("a", "b"))))
    assert "3" in texts(drawn(distribution(measure, [3.0, 3.0], 3.0, names=("a", "b"))))
    assert "No query" in drawn(distribution(measure, [], 0.0, names=("a", "")))["aria-label"]


def test_measures_that_differ_only_in_k_form_a_family():
    """They are sorted by k; other measures are left out."""
    names = "nDCG@10 nDCG@5 P@5 AP nDCG(gain=exp2)@3 RR@10 RR@1"
    families = cutoff_families([parse_measure(name) for name in names.split()])
    assert [[str(m) for m in family] for family in families] == [
        ["nDCG@5", "nDCG@10"],
        ["RR@1", "RR@10"],
    ]


def test_a_measure_by_k_has_one_line_per_system():
    """The baseline is grey, and each cutoff has a point with its mean."""
    [family] = cutoff_families(COMPARISON.measures)
    chart = drawn(measure_by_k(COMPARISON, family))
    lines = chart.find_all("g")
    assert [line["class"] for line in lines] == ["s-baseline", "s-candidate"]
    mean = COMPARISON.evaluations["hybrid"]["nDCG@1"].mean
    assert lines[1].find("title").text == f"hybrid, k = 1: {mean:.4f}"
    assert [len(line.find_all("circle")) for line in lines] == [3, 3]


def test_slices_show_shares_of_their_queries():
    """All queries come first, and each row adds up to the whole."""
    chart = drawn(wins_by_slice(COMPARISON, "hybrid", "nDCG@10"))
    rows = chart.find_all("g")
    assert rows[0].find("title").text.startswith("all queries (40): ")
    widths = [sum(float(bar["width"]) for bar in row.find_all("rect")) for row in rows]
    whole = float(chart["width"]) - float(rows[0].find("rect")["x"])
    assert widths == pytest.approx([whole] * len(rows), abs=0.05)


@pytest.mark.parametrize("width", [320, 960])
def test_charts_have_the_requested_width(width):
    """A page can have a narrow one for phones."""
    charts = [
        forest_plot(COMPARISON, width=width),
        per_query_chart(COMPARISON, "hybrid", "RR@10", width=width),
        score_distribution(COMPARISON, "hybrid", "RR@10", width=width),
        measure_by_k(COMPARISON, cutoff_families(COMPARISON.measures)[0], width=width),
        wins_by_slice(COMPARISON, "hybrid", "RR@10", width=width),
    ]
    assert [chart.width for chart in charts] == [width] * 5


def test_a_name_is_never_treated_as_markup_or_a_number():
    """It is drawn literally, and shortened if necessary."""
    name = "<b>0.12345</b>"
    runs = {"base": {"q": ["d"]}, name: {"q": ["x", "d"]}}
    comparison = compare_these({"q": {"d": 1}}, runs, measures=["nDCG@10", "RBP(p=0.955)"])
    assert "RBP(p=0.955)" in texts(drawn(forest_plot(comparison)))
    assert name in texts(drawn(score_distribution(comparison, name, "nDCG@10")))
