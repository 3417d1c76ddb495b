"""The chart of settings of a hybrid search."""

from berryeval.charts import SettingsPoint, settings_chart
from berryeval.measures import parse_measure

MEASURE = parse_measure("nDCG@10")
TRIED = [
    SettingsPoint("current search", 0.66, 0.47, has_feedback=True, is_current=True),
    SettingsPoint("search by words", 1.0, 0.43, has_feedback=False),
    SettingsPoint("weights=<1,1>", 0.5, 0.45, has_feedback=False),
]
FOLDS = [SettingsPoint("fold 1, current search", 0.66, 0.41, has_feedback=True)]


def test_settings_are_dots_by_share_and_mean():
    """Three series with a legend, a ring around the current settings, and a line for words."""
    chart = settings_chart(MEASURE, TRIED, FOLDS, 0.43)
    drawn = chart.to_svg()
    assert (chart.title, chart.kind) == ("nDCG@10 by the share of words", "settings")
    assert drawn.count("<title>current search: 0.4700</title>") == 1
    assert "weights=&lt;1,1&gt;: 0.4500" in drawn
    assert drawn.count('class="ring s-candidate"') == 1
    assert "words alone: 0.430" in drawn
    for name in ("with feedback", "without feedback", "chosen by a fold, held out"):
        assert drawn.count(f">{name}<") == 1
    assert "without feedback: highest mean 0.450 at share 0.50" in chart.description


def test_a_series_without_settings_is_left_out():
    """Nothing is tried with feedback if it is turned off."""
    drawn = settings_chart(MEASURE, TRIED[1:], [], 0.43).to_svg()
    assert "with feedback" not in drawn.replace("without feedback", "")
    assert "chosen by a fold" not in drawn
