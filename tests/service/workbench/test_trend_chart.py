"""The drawings of runs: trend, distribution, differences."""

from datetime import datetime, timedelta, timezone

import pytest

from berryeval import compare, evaluate
from berryeval.service.workbench.charts.change import change_mark, widest_of
from berryeval.service.workbench.charts.distribution import distribution_chart
from berryeval.service.workbench.charts.trend import Reference, TrendDot, trend_chart
from service.workbench.html import parse

START = datetime(2026, 10, 15, tzinfo=timezone.utc)


def dots(means, days=1.0):
    return [
        TrendDot(
            f"/runs/{place}",
            f"run {place}",
            START + timedelta(days=days * place),
            f"{place:07}x",
            mean,
            None if mean is None else mean - 0.05,
            None if mean is None else mean + 0.05,
        )
        for place, mean in enumerate(means)
    ]


def drawn(means, reference=None, **options):
    return parse(trend_chart(dots(means), "nDCG@10", reference, **options)).find("svg")


def texts(drawing):
    return [text.text for text in drawing.find_all("text")]


def test_each_run_is_a_link_with_its_figures():
    """A reader hears which run it is, and what it scores."""
    drawing = drawn([0.5, 0.6])
    links = drawing.find_all("a")
    assert [link["href"] for link in links] == ["/runs/0", "/runs/1"]
    assert links[1]["aria-label"] == "run 1: 0.6000"
    assert links[1]["data-interval"] == "0.550 – 0.650"  # noqa: RUF001 - as people write it
    assert [link.attributes.get("data-change") for link in links] == [None, "+0.1000"]
    assert drawing["aria-label"] == (
        "nDCG@10 over 2 runs, from 0.500 to 0.600; lowest 0.500, highest 0.600."
    )


def test_higher_means_are_drawn_higher_and_later_runs_further_right():
    """Whatever the width."""
    for width in (340, 1080):
        places = list(drawn([0.5, 0.6, 0.4], width=width).find_all("circle"))
        heights = [float(place["cy"]) for place in places]
        assert heights[1] < heights[0] < heights[2]
        across = [float(place["cx"]) for place in places]
        assert across == sorted(across)
        assert across[-1] < width


def test_a_run_without_a_mean_leaves_a_gap():
    """The line breaks; the run is there, and says that it is not scored."""
    drawing = drawn([0.5, 0.6, None, 0.7, 0.7])
    assert len([path for path in drawing.find_all("path") if "line" in path["class"]]) == 2
    assert len([path for path in drawing.find_all("path") if "band" in path["class"]]) == 2
    assert drawing.find_all("a")[2]["aria-label"] == "run 2: not scored"


def test_a_single_run_has_a_whisker_and_no_scored_run_is_no_error():
    """A series begins with one run."""
    assert drawn([0.5]).find_all("line", class_="whisker")
    assert "none of which is scored" in drawn([None, None])["aria-label"]
    assert "over 0 runs" in drawn([])["aria-label"]


def test_the_baseline_is_a_dashed_line_with_its_name():
    """Within the picture, even where no run is near it."""
    drawing = drawn([0.5, 0.52], Reference("main 0.900", 0.9))
    line = drawing.find("line", class_="s-baseline")
    assert 0 < float(line["y1"]) < 100
    assert "main 0.900" in texts(drawing)


def test_commits_that_moved_the_mean_most_are_named_and_the_newest():
    """Where there is room for their names."""
    means = [0.5] * 10 + [0.7] * 10 + [0.701] * 10
    named = [text.text for text in drawn(means).find_all("text", class_="commit")]
    assert named == ["0000010x", "0000029x"]
    crowded = [0.5 + 0.2 * (place % 2) for place in range(100)]
    assert 1 <= len(drawn(crowded, width=340).find_all("text", class_="commit")) <= 5


def test_days_are_named_and_hours_where_it_was_one_day():
    """The first and the last always."""
    named = texts(drawn([0.5] * 30))
    assert {"Oct 15", "Nov 13"} <= set(named)
    hours = parse(trend_chart(dots([0.5] * 4, days=0.1), "RR"))
    assert {"00:00", "07:12"} <= {text.text for text in hours.find_all("text")}


def test_names_are_escaped():
    """A commit is any text."""
    dot = TrendDot("/runs/1", "<b>", START, "<script>", 0.5)
    assert "<script" not in trend_chart([dot], "<i>")
    assert "<b>" not in trend_chart([dot], "<i>")


def test_a_distribution_counts_queries_by_their_scores():
    """A bar says from where to where, and how many; the other run is an outline."""
    judgments = {f"q{i}": {"a": 1} for i in range(4)}
    run = {"q0": ["x"], "q1": [], "q2": [f"x{i}" for i in range(49)] + ["a"], "q3": ["a"]}
    result = evaluate(judgments, run, "RR")["RR"]
    drawing = parse(distribution_chart(result, [0.5])).find("svg")
    told = [bar.find("title").text for bar in drawing.find_all("g")]
    assert told == ["0.00 to 0.05: 3 queries", "0.95 to 1.00: 1 query"]
    assert len(drawing.find_all("path", class_="s-baseline")) == 1
    assert "mean 0.255" in texts(drawing)
    assert "half at most 0.010" in drawing["aria-label"]
    assert distribution_chart(result).count("s-baseline") == 0


def test_measures_without_bounds_are_drawn_as_far_as_they_go():
    """And no query at all is no error."""
    judgments = {"q0": {"a": 1}, "q1": {"a": 1}}
    run = {"q0": ["a"], "q1": [f"x{i}" for i in range(10)]}
    drawing = parse(distribution_chart(evaluate(judgments, run, "Holes@10")["Holes@10"], [3.0]))
    assert "10" in texts(drawing.find("svg"))
    nothing = evaluate(judgments, {"q0": []}, "RR", no_relevant="skip", missing="skip")["RR"]
    assert "of 1 queries" in distribution_chart(nothing)


def changed(gains):
    """Compare runs of which the candidate gains or loses half a rank for each of these queries."""
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
        ([1, -1] * 6, "s-baseline"),
    ],
)
def test_a_difference_is_drawn_around_zero(gains, kind):
    """In the colour of what it says, to the scale of its table."""
    change = changed(gains)
    value, interval = change.mean, change.interval
    widest = widest_of([change, None])
    assert widest == pytest.approx(max(abs(interval.low), abs(interval.high)))
    drawing = parse(change_mark(change, widest)).find("svg")
    zero = float(drawing.find("line", class_="rule")["x1"])
    place = float(drawing.find("circle", class_=kind)["cx"])
    assert (place > zero) == (value > 0)
    assert widest_of([]) == 1.0


def test_a_difference_without_an_interval_is_a_dot_to_its_own_scale():
    """Where nothing else is wide, it does not sink to the middle."""
    few = changed([1] * 5 + [0] * 15)
    assert few.finding == "untested"
    assert widest_of([few]) == few.mean
    drawing = parse(change_mark(few, widest_of([few]))).find("svg")
    assert drawing.find_all("line", class_="thick") == []
    zero = float(drawing.find("line", class_="rule")["x1"])
    assert float(drawing.find("circle", class_="s-baseline")["cx"]) > 1.5 * zero
