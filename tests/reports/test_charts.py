"""Charts: specifications, and pictures of them."""

import json
import sys
import xml.etree.ElementTree as ET

import pytest

from berryeval import MissingExtraError
from berryeval.measures import parse_measure, parse_measures
from berryeval.reports.charts import (
    cutoff_families,
    forest_plot,
    measure_by_k,
    per_query_chart,
    score_distribution,
    to_png,
    to_svg,
    wins_by_slice,
)
from berryeval.reports.charts.theme import DARK, LIGHT
from example_results import a_comparison, compare_these

COMPARISON = a_comparison(40)
CHARTS = {
    "forest": forest_plot(COMPARISON, {"nDCG@10": 0.05}),
    "queries": per_query_chart(COMPARISON, "hybrid", "nDCG@10"),
    "distribution": score_distribution(COMPARISON, "hybrid", "nDCG@10"),
    "cutoffs": measure_by_k(COMPARISON, cutoff_families(COMPARISON.measures)[0]),
    "slices": wins_by_slice(COMPARISON, "hybrid", "nDCG@10"),
}


@pytest.mark.parametrize("spec", CHARTS.values(), ids=CHARTS)
def test_a_chart_is_a_specification_with_its_data(spec):
    """Vega-Lite 5, plain JSON, nothing to fetch."""
    text = json.dumps(spec, allow_nan=False)
    assert spec["$schema"].endswith("/vega-lite/v5.json")
    assert '"url"' not in text
    assert spec["description"]


@pytest.mark.parametrize("spec", CHARTS.values(), ids=CHARTS)
@pytest.mark.parametrize("theme", ["light", "dark", "page"])
def test_a_chart_is_drawn_and_described(spec, theme):
    """An image with a title, in the colours of the theme."""
    svg = to_svg(spec, theme)
    root = ET.fromstring(svg)  # noqa: S314 - our own
    assert root.get("role") == "img"
    assert root.get("aria-label") == root[0].text == spec["description"]
    assert root.get("viewBox")
    colours = {"light": LIGHT["muted"], "dark": DARK["muted"], "page": "var(--chart-muted)"}
    for name, colour in colours.items():
        assert (colour in svg) == (name == theme)


def test_a_picture_is_a_png():
    """As many pixels as the scale asks for."""
    small, large = (to_png(CHARTS["queries"], scale) for scale in (1.0, 2.0))
    assert small.startswith(b"\x89PNG")
    width = [int.from_bytes(picture[16:20], "big") for picture in (small, large)]
    assert width[1] == pytest.approx(2 * width[0], abs=2)


def test_every_role_has_a_colour_of_its_own():
    """Else a drawing could not change its theme."""
    assert len(set(LIGHT.values())) == len(LIGHT)
    assert LIGHT.keys() == DARK.keys()


def test_the_forest_plot_has_a_row_for_each_difference_and_its_margin():
    """In the order of the measures."""
    rows = CHARTS["forest"]["data"]["values"]
    assert [row["row"] for row in rows] == [str(measure) for measure in COMPARISON.measures]
    assert [row["margin"] for row in rows] == [-0.05, None, None, None, None]
    for row in rows:
        assert row["low"] <= row["mean"] <= row["high"]


def test_the_forest_plot_names_several_systems():
    """And an interval that is not defined is a point."""
    systems = {"base": 0.5, "one": 0.6, "two": 0.7}
    rows = forest_plot(a_comparison(1, systems, slices=()))["data"]["values"]
    assert rows[0]["row"] == "one · nDCG@10"
    assert rows[0]["low"] == rows[0]["high"] == rows[0]["mean"]
    assert "[" not in rows[0]["text"], "an interval of one point would exclude 0"


def test_each_word_of_the_forest_plot_keeps_its_colour():
    """A margin looks like no finding; what was not tested is in the legend only if it is shown."""
    few = forest_plot(a_comparison(5, slices=()), {"nDCG@10": 0.05})
    scales = [spec["layer"][-2]["encoding"]["color"]["scale"] for spec in (CHARTS["forest"], few)]
    tested, untested = (dict(zip(s["domain"], s["range"], strict=True)) for s in scales)
    assert [*tested] == ["better", "worse", "not clearly different", "margin"]
    assert untested == {**tested, "too few changes to decide": LIGHT["muted"]}
    assert untested["margin"] == LIGHT["margin"]


def test_queries_are_sorted_from_loss_to_gain():
    """A bar for each that changed."""
    bars = CHARTS["queries"]["data"]["values"]
    values = [bar["value"] for bar in bars]
    assert values == sorted(values)
    assert len(values) == 40 - COMPARISON.difference("hybrid", "nDCG@10").ties
    assert {bar["is"] for bar in bars if bar["value"] < 0} == {"worse"}


def test_where_lower_is_better_a_rise_is_a_loss():
    """The greatest rise comes first, and is worse."""
    judged = {q: {"d": 1, "e": 0} for q in ("q1", "q2", "q3")}
    old = {"q1": ["d", "x"], "q2": ["x", "y"], "q3": ["d", "e"]}
    new = {"q1": ["x", "y"], "q2": ["d", "x"], "q3": ["d", "e"]}
    name = next(str(m) for m in parse_measures("Unjudged@2") if not m.higher_is_better)
    comparison = compare_these(judged, {"old": old, "new": new}, measures=[name])
    bars = per_query_chart(comparison, "new", name)["data"]["values"]
    assert [(bar["value"] > 0, bar["is"]) for bar in bars] == [(True, "worse"), (False, "better")]


def test_many_queries_are_sampled_evenly():
    """Both ends stay."""
    comparison = a_comparison(700, measures=["nDCG@10"], slices=())
    values = comparison.difference("hybrid", "nDCG@10").values
    bars = per_query_chart(comparison, "hybrid", "nDCG@10")["data"]["values"]
    assert len(bars) <= 320
    assert (bars[0]["value"], bars[-1]["value"]) == (values.min(), values.max())


def test_the_distribution_counts_every_query_once():
    """For both systems."""
    values = CHARTS["distribution"]["data"]["values"]
    for system in ("bm25", "hybrid"):
        assert sum(v["queries"] for v in values if v["system"] == system) == 40


def test_scores_beyond_1_have_a_range_of_their_own():
    """DCG, and counts that are all alike."""
    comparison = a_comparison(20, measures=["DCG@10", "num_q"], slices=())
    domain = score_distribution(comparison, "hybrid", "DCG@10")["encoding"]["x"]["scale"]["domain"]
    assert domain[1] > 1
    assert to_svg(score_distribution(comparison, "hybrid", comparison.measures[1]))


def test_measures_that_differ_in_k_alone_are_a_family():
    """By rising k; a measure with one k, another parameter or none at all is left out."""
    names = "nDCG@10 nDCG@5 P@5 AP nDCG(gain=exp2)@3 RR@10 RR@1"
    families = cutoff_families([parse_measure(name) for name in names.split()])
    assert [[str(m) for m in family] for family in families] == [
        ["nDCG@5", "nDCG@10"],
        ["RR@1", "RR@10"],
    ]


def test_slices_show_shares_of_their_queries():
    """All queries first; each row adds up to the whole."""
    values = CHARTS["slices"]["data"]["values"]
    assert values[0]["slice"] == "all queries (40)"
    assert {v["to"] for v in values[2::3]} == {1.0}


def test_text_in_a_chart_is_text():
    """A system's name is neither markup nor a number to round."""
    name = "<script>0.12345</script>"
    runs = {"base": {"q": ["d"]}, name: {"q": ["x", "d"]}}
    comparison = compare_these({"q": {"d": 1}}, runs, measures=["nDCG@10", "RBP(p=0.955)"])
    for spec in (forest_plot(comparison), score_distribution(comparison, name, "nDCG@10")):
        svg = to_svg(spec, "page")
        assert "<script" not in svg
        ET.fromstring(svg)  # noqa: S314
    assert "0.12345" in svg
    assert "RBP(p=0.955)" in to_svg(forest_plot(comparison), "page")


def test_without_the_library_the_extra_is_named(monkeypatch):
    """A chart is still a specification."""
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'berryeval\[charts\]'"):
        to_svg(CHARTS["forest"])
