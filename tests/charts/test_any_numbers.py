"""Every chart is well-formed and within its view box for any numbers and names."""

from dataclasses import replace
from datetime import datetime, timedelta, timezone

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from berryeval.charts.cutoffs import cutoff_lines
from berryeval.charts.distribution import distribution
from berryeval.charts.forest import ForestRow, forest
from berryeval.charts.marks import (
    GuardFigures,
    axis,
    change_mark,
    guard_mark,
    outcomes,
    scale_of,
    widest_of,
)
from berryeval.charts.power import Margin, PowerCurve, power_curves
from berryeval.charts.queries import sorted_changes
from berryeval.charts.scatter import scatter
from berryeval.charts.slices import SliceRow, slice_bars
from berryeval.charts.trend import Reference, TrendLine, TrendPoint, trend_chart
from berryeval.evaluation.findings import outcome_of
from berryeval.measures import parse_measure
from berryeval.stats import Interval
from charts.drawings import marks_outside
from depth import examples
from example_results import a_comparison

START = datetime(2026, 1, 5, tzinfo=timezone.utc)
UNBOUNDED = parse_measure("DCG@10")
HOSTILE = "<script>\"'&\x00\ud800</svg>]]>"

numbers = st.floats(-1e300, 1e300)
names = st.text(max_size=60)
columns = st.lists(numbers, min_size=1, max_size=12)
widths = st.sampled_from([320, 760])


def each(values, name):
    """Return every chart for some numbers, in both page widths."""
    findings = ("better", "worse", "unclear", "untested")
    rows = [
        ForestRow(name, one, None if i % 4 == 3 else Interval(min(one, 0), max(one, 0), 0.95, "t"),
                  findings[i % 4], None if i % 2 else -one, "/x" if i % 3 else None)
        for i, one in enumerate(values)
    ]  # fmt: skip
    points = [
        TrendPoint(START + timedelta(hours=i), name, None if i % 5 == 4 else one, one, one,
                   "/x" if i % 2 else None, name if i % 3 else None, starts_anew=i % 7 == 3,
                   alert="step" if i % 6 == 1 else None)
        for i, one in enumerate(values)
    ]  # fmt: skip
    curve = [(i + 2, abs(one)) for i, one in enumerate(values)]
    counts = [int(min(abs(one), 1e6)) + 1 for one in values]
    for width in (320, 760):
        yield forest(rows, name, 0.95, width=width)
        yield distribution(UNBOUNDED, values, values[0], values[::-1], names=(name, name),
                           width=width)  # fmt: skip
        yield sorted_changes([(one, outcome_of(one)) for one in sorted(values)], name, name,
                             width=width)  # fmt: skip
        yield cutoff_lines({name: [(i + 1, one) for i, one in enumerate(values)], "b": [(1, 0.5)]},
                           name, baseline="b", width=width)  # fmt: skip
        yield slice_bars([SliceRow(name, n, 0, n // 3) for n in counts], name, width=width)
        yield power_curves([PowerCurve(name, tuple(curve), curve[0][1])], 2, name,
                           Margin(abs(values[0]), 3), width=width)  # fmt: skip
        for by_time in (False, True):
            yield trend_chart([TrendLine(points, name), TrendLine(points[:1])], name,
                              Reference(name, values[0]), by_time=by_time, width=width)  # fmt: skip
    column = np.array(values)
    yield scatter(column, column[::-1].copy(), column, names=(name, name), measure=UNBOUNDED,
                  link_of=lambda _: ("/x", name))  # fmt: skip


def each_mark(values):
    """Return every drawing used in tables."""
    figures = [GuardFigures(one, (0.0, one), -one, one, "pass") for one in values]
    scale = scale_of(figures, zero=True)
    yield axis(scale, signed=True)
    yield from (guard_mark(one, scale, zero=True) for one in figures)
    found = a_comparison(5, measures=["RR"], slices=()).differences[0]
    changes = [replace(found, values=np.full(5, one)) for one in values]
    yield from (change_mark(one, widest_of(changes)) for one in changes)
    yield outcomes(*(len(values) * i for i in range(3)))


@examples(40)
@given(columns, names)
@example([0.0], "")
@example([0.5, 0.5], "equal")
@example([1e300, -1e300], "huge")
@example([5e-324, 0.0], "tiny")
@example([1.0, 1.0 + 2e-16], "next to each other")
@example([0.1, 0.2], HOSTILE)
def test_charts_of_any_numbers_stay_in_their_view_box(values, name):
    """Numbers may be equal, huge, tiny or single, and names may be anything."""
    for chart in each(values, name):
        assert marks_outside(chart.to_svg()) == [], chart.title


@examples(40)
@given(columns)
@example([1e300, -1e300])
@example([5e-324])
def test_marks_of_any_numbers_stay_in_their_view_box(values):
    """These are the drawings in rows of tables."""
    for mark in each_mark(values):
        assert marks_outside(mark) == []


def test_a_thousand_rows_are_drawn():
    """Every row is shown."""
    values = [i / 1000 for i in range(1000)]
    for chart in each(values, "name"):
        assert marks_outside(chart.to_svg()) == [], chart.title


@pytest.mark.parametrize("theme", ["auto", "page"])
def test_malicious_names_stay_text(theme):
    """This covers names, legends, titles, links and attributes."""
    for chart in each([0.2, 0.4, 0.1], HOSTILE):
        svg = chart.to_svg(theme)
        assert "<script" not in svg
        assert svg.count("</svg>") == 1
        assert "\x00" not in svg
        assert "&lt;script&gt;" in svg
