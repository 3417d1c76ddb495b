"""A measure over time."""

from datetime import datetime, timedelta, timezone

from berryeval.charts.trend import Reference, TrendLine, TrendPoint, trend_chart
from charts.drawings import drawn as as_tree
from charts.drawings import texts

START = datetime(2026, 10, 15, tzinfo=timezone.utc)


def points(means, days=1.0):
    return [
        TrendPoint(
            START + timedelta(days=days * place),
            f"run {place}",
            mean,
            None if mean is None else mean - 0.05,
            None if mean is None else mean + 0.05,
            f"/runs/{place}",
            f"{place:07}x",
        )
        for place, mean in enumerate(means)
    ]


def drawn(means, reference=None, **options):
    return as_tree(trend_chart([TrendLine(points(means))], "nDCG@10", reference, **options))


def evaluated(means, days=1.0, name="", **changes):
    """Return a line of a history, without intervals and links, with changes by position."""
    found = [
        TrendPoint(START + timedelta(days=days * place), f"run {place}", mean,
                   **{key: value for key, (at, value) in changes.items() if at == place})
        for place, mean in enumerate(means)
    ]  # fmt: skip
    return TrendLine(found, name)


def test_each_run_is_a_link_with_its_figures():
    """A screen reader hears the run and its score."""
    drawing = drawn([0.5, 0.6])
    links = drawing.find_all("a")
    assert [link["href"] for link in links] == ["/runs/0", "/runs/1"]
    assert links[1]["aria-label"] == "run 1: 0.6000"
    assert links[1]["data-interval"] == "0.550 – 0.650"  # noqa: RUF001 - as people write it
    assert [link.attributes.get("data-change") for link in links] == [None, "+0.1000"]
    assert drawing["aria-label"] == (
        "nDCG@10 by run. 2 runs, from 0.500 to 0.600; lowest 0.500, highest 0.600."
    )


def test_higher_means_are_drawn_higher_and_later_runs_further_right():
    """This holds for any width."""
    for width in (340, 1080):
        places = list(drawn([0.5, 0.6, 0.4], width=width).find_all("circle"))
        heights = [float(place["cy"]) for place in places]
        assert heights[1] < heights[0] < heights[2]
        across = [float(place["cx"]) for place in places]
        assert across == sorted(across)
        assert across[-1] < width


def test_a_run_without_a_mean_leaves_a_gap():
    """The line breaks, and the run is shown as not scored."""
    drawing = drawn([0.5, 0.6, None, 0.7, 0.7])
    assert len([path for path in drawing.find_all("path") if "line" in path["class"]]) == 2
    assert len([path for path in drawing.find_all("path") if "band" in path["class"]]) == 2
    assert drawing.find_all("a")[2]["aria-label"] == "run 2: not scored"


def test_a_series_may_have_one_run_or_no_scored_run():
    """A single run has a whisker."""
    assert drawn([0.5]).find_all("line", class_="faint")
    assert "none of which is scored" in drawn([None, None])["aria-label"]
    assert "0 runs" in drawn([])["aria-label"]


def test_the_baseline_is_a_dashed_line_with_its_name():
    """It is within the image, even if no run is close."""
    drawing = drawn([0.5, 0.52], Reference("main 0.900", 0.9))
    line = drawing.find("line", class_="s-baseline")
    assert 0 < float(line["y1"]) < 100
    assert "main 0.900" in texts(drawing)


def test_important_commits_are_named():
    """The newest, and those that changed the mean most, are named if there is room."""
    means = [0.5] * 10 + [0.7] * 10 + [0.701] * 10
    named = [text.text for text in drawn(means).find_all("text", class_="code")]
    assert named == ["0000010x", "0000029x"]
    crowded = [0.5 + 0.2 * (place % 2) for place in range(100)]
    assert 1 <= len(drawn(crowded, width=340).find_all("text", class_="code")) <= 5


def test_dates_are_named_or_hours_within_one_day():
    """The first and the last are always named."""
    named = texts(drawn([0.5] * 30))
    assert {"Oct 15", "Nov 13"} <= set(named)
    hours = as_tree(trend_chart([TrendLine(points([0.5] * 4, days=0.1))], "RR"))
    assert {"00:00", "07:12"} <= set(texts(hours))


def test_distances_can_show_time():
    """A month is wider than a day, and the axis is labelled."""
    line = TrendLine([TrendPoint(START + timedelta(days=day), "run", 0.5) for day in (0, 1, 31)])
    drawing = as_tree(trend_chart([line], "RR", by_time=True))
    first, second, third = (float(dot["cx"]) for dot in drawing.find_all("circle"))
    assert third - second > 20 * (second - first)
    assert {"mean RR", "Oct 15", "Nov 15"} <= set(texts(drawing))


def test_hours_are_named_if_there_are_few_days():
    """Otherwise two dates would be the same."""
    drawing = as_tree(trend_chart([evaluated([0.5, 0.6])], "RR", by_time=True, width=760))
    assert {"Oct 15 00:00", "Oct 16 00:00"} <= set(texts(drawing))


def test_dates_of_several_years_name_the_year():
    """Within one year they look as on every other chart."""
    line = TrendLine([TrendPoint(START + timedelta(days=day), "run", 0.5) for day in (0, 400)])
    named = texts(as_tree(trend_chart([line], "RR", by_time=True)))
    assert {"2026-10-15", "2027-11-19"} <= set(named)


def test_a_line_breaks_if_judgments_changed():
    """A dashed line marks it, once for all runs."""
    lines = [
        evaluated([0.5, 0.6, 0.7], name=name, starts_anew=(1, True)) for name in ("bm25", "hybrid")
    ]
    drawing = as_tree(trend_chart(lines, "RR", by_time=True))
    assert texts(drawing).count("judgments or queries changed") == 1
    assert len(drawing.find_all("line", class_="dashed")) == 1
    assert len(drawing.find_all("path", class_="line")) == 4
    assert texts(drawing)[:2] == ["bm25", "hybrid"]


def test_a_decline_has_a_ring_and_a_word():
    """It is not shown by colour alone."""
    drawing = as_tree(trend_chart([evaluated([0.5, 0.3], alert=(1, "step"))], "RR", by_time=True))
    ring, dot = drawing.find("circle", class_="ring"), drawing.find_all("circle", class_="dot")[1]
    assert (ring["cx"], ring["cy"]) == (dot["cx"], dot["cy"])
    assert "step" in texts(drawing)
