"""The calibration plot: the grades of a judge against those of people."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from berryeval.charts.axes import Key, header, x_axis, y_axis, y_label_room
from berryeval.charts.chart import Chart, summary
from berryeval.charts.svg import Scale, Svg, el, joined, number, shortened
from berryeval.evaluation.figures import percent, score

if TYPE_CHECKING:
    from berryeval.stats.calibration import CalibrationPoint
    from berryeval.stats.confusion import ConfusionCell

__all__ = ["calibration"]

_RIGHT, _BOTTOM = 16, 46
_TITLE = 10
"""Room for the title of the vertical axis, next to its values."""
_MARGIN = 0.5
"""Margin around the scale in grades, so that circles at its ends are not cut off."""
_MAX_VALUES = 11
_LARGEST = 0.42
"""Radius of the circle of all pairs of a row, in grades."""


def calibration(
    points: Sequence[CalibrationPoint],
    cells: Sequence[ConfusionCell],
    highest: float,
    level: float,
    *,
    width: int = 420,
) -> Chart:
    """Draw the judge's mean for each grade of people, and the distribution of its grades.

    Parameters
    ----------
    points : sequence of CalibrationPoint
        Points, each drawn as a dot on its interval. On the diagonal, judge and people agree on
        average.
    cells : sequence of ConfusionCell
        Cells, each drawn as a circle; its area is the share of the judge's grade among these pairs.
    highest : float
        The highest grade of the scale.
    level : float
        Confidence level of the intervals.
    width : int
        Width in pixels.
    """
    step = max(1, math.ceil((highest + 1) / _MAX_VALUES))
    values = [float(value) for value in range(0, int(highest) + 1, step)]
    keys = [Key("mean of the judge", "s-candidate"), Key("share of its grades", "s-baseline")]
    legend, top = header(keys, "", width)
    left = _TITLE + y_label_room(values, _text)
    size = width - left - _RIGHT
    low, high = -_MARGIN, highest + _MARGIN
    x = Scale(low, high, left, left + size)
    y = Scale(low, high, top + size, top)
    radius = _LARGEST * size / (high - low)
    spread = [
        el("circle", el("title", _cell_words(cell)), cx=x.at(cell.people), cy=y.at(cell.judge),
           r=round(radius * math.sqrt(cell.share), 2), class_="band s-baseline")
        for cell in cells
        if cell.judge is not None and cell.share > 0
    ]  # fmt: skip
    marks = [_point(point, x, y) for point in points]
    return Chart(
        f"The judge's grades by people's grades, with {percent(level)} intervals",
        summary([_words(point) for point in points]),
        width,
        top + size + _BOTTOM,
        joined(
            [
                *legend,
                *y_axis(y, x.start, x.end, values, _text),
                *x_axis(x, y.end, y.start, values, width, _text),
                *_titles(x, y),
                *spread,
                *marks,
            ]
        ),
        "calibration",
    )


def _text(grade: float) -> str:
    return f"{grade:g}"


def _words(point: CalibrationPoint) -> str:
    ends = point.interval
    interval = "" if ends is None else f" [{score(ends.low, 2)}, {score(ends.high, 2)}]"
    given = f"people {point.people:g}: the judge gives {score(point.mean, 2)}{interval}"
    return f"{given}, {point.n_pairs:,} pairs"


def _cell_words(cell: ConfusionCell) -> str:
    return f"people {cell.people:g}, judge {cell.judge:g}: {cell.share:.0%}, {cell.n_pairs:,} pairs"


def _point(point: CalibrationPoint, x: Scale, y: Scale) -> Svg:
    place, middle = x.at(point.people), y.at(point.mean)
    parts = [el("title", _words(point))]
    if point.interval is not None:
        ends = (min(max(end, y.low), y.high) for end in (point.interval.low, point.interval.high))
        low, high = (y.at(end) for end in ends)
        parts.append(el("line", x1=place, x2=place, y1=low, y2=high, class_="stroke thick whisker"))
    parts.append(el("circle", cx=place, cy=middle, r=5, class_="dot"))
    return el("g", *parts, class_="s-candidate")


def _titles(x: Scale, y: Scale) -> tuple[Svg, ...]:
    """Draw the diagonal, where judge and people agree, and name both axes."""
    across, along = (x.start + x.end) / 2, (y.start + y.end) / 2
    room = x.end - x.start
    diagonal = f"M{number(x.start)} {number(y.start)}L{number(x.end)} {number(y.end)}"
    return (
        el("path", d=diagonal, class_="rule"),
        el("text", shortened("grade of people →", room), x=across, y=y.start + 38,
           text_anchor="middle"),
        el("text", shortened("grade of the judge →", room), x=-along, y=12, text_anchor="middle",
           transform="rotate(-90)"),
    )  # fmt: skip
