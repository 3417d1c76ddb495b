"""The change of each query, from the largest loss to the largest gain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from berryeval.charts.axes import Key, header, y_axis, y_label_room
from berryeval.charts.chart import Chart
from berryeval.charts.svg import Scale, Svg, el, figure_text, joined, number, ticks
from berryeval.evaluation.figures import signed
from berryeval.evaluation.findings import Outcome, outcome_of
from berryeval.evaluation.notes import count_queries
from berryeval.measures import Measure

if TYPE_CHECKING:
    from berryeval.evaluation.comparison import Comparison

__all__ = ["per_query_chart", "sorted_changes"]

_MAX_BARS = 320
_HEIGHT, _BOTTOM = 260, 26
_ROOM_FOR_GAPS = 4
"""Width per bar in pixels from which there are gaps between bars."""


def per_query_chart(
    comparison: Comparison, system: str, measure: Measure | str, *, width: int = 640
) -> Chart:
    """Draw the difference of each query as a bar, sorted; if there are many, of a sample.

    If there are more than 320 queries, 320 of them are drawn, evenly spaced in their order and
    including the first and the last.
    """
    name = comparison.difference(system, measure).measure
    better = name.higher_is_better
    moved = sorted(comparison.moved(system, measure).tolist(), reverse=not better)
    title = f"{name} of {system} minus {comparison.baseline}, by query"
    return sorted_changes(
        [(one, outcome_of(one, higher_is_better=better)) for one in moved],
        title,
        f"difference in {name}",
        width=width,
    )


def sorted_changes(
    changes: Sequence[tuple[float, Outcome]], title: str, axis: str, *, width: int = 640
) -> Chart:
    """Draw differences with their outcomes as bars from 0, in the given order."""
    keys = [Key("better", "s-better", "square"), Key("worse", "s-worse", "square")]
    heading, top = header(keys, axis, width)
    values = [0.0, *(value for value, _ in changes)]
    low, high = min(values), max(values)
    if low == high:
        low, high = -1.0, 1.0
    levels = ticks(low, high, 6)
    left = y_label_room(levels, _signed)
    y = Scale(low, high, _HEIGHT - _BOTTOM, top)
    zero = y.at(0.0)
    queries = count_queries(len(changes))
    parts = [
        *heading,
        *y_axis(y, left, width, levels, _signed),
        *_bars(changes, y, left, width),
        el("line", x1=left, x2=width, y1=zero, y2=zero, class_="rule"),
        el("text", f"{queries}, sorted", x=(left + width) / 2, y=_HEIGHT - 6,
           text_anchor="middle"),
    ]  # fmt: skip
    counts = [sum(found == one for _, found in changes) for one in ("worse", "equal", "better")]
    description = (
        "Of {}, {} are worse, {} equal and {} better; ".format(queries, *counts)
        + f"differences go from {_difference(min(values))} to {_difference(max(values))}."
    )
    return Chart(title, description, width, _HEIGHT, joined(parts), "queries-chart")


def _difference(value: float) -> str:
    """Write a difference as tables do, with a real minus sign."""
    return signed(value).replace("-", "\N{MINUS SIGN}")


def _signed(value: float) -> str:
    return figure_text(value, signed=True)


def _bars(
    changes: Sequence[tuple[float, Outcome]], y: Scale, left: float, right: float
) -> list[Svg]:
    """Draw the bars of each outcome as one path; hundreds of elements would make a large file."""
    n_bars = min(len(changes), _MAX_BARS, int(right - left))
    if not n_bars:
        return []
    step = (right - left) / n_bars
    drawn = 0.82 * step if step > _ROOM_FOR_GAPS else step
    zero = number(y.at(0.0))
    paths: dict[Outcome, str] = {"better": "", "worse": "", "equal": ""}
    for i in range(n_bars):
        value, outcome = changes[round(i * (len(changes) - 1) / max(n_bars - 1, 1))]
        x = left + i * step
        paths[outcome] += f"M{number(x)} {zero}V{number(y.at(value))}H{number(x + drawn)}V{zero}z"
    return [
        el("path", d=path, class_=f"area s-{outcome}")
        for outcome, path in paths.items()
        if path and outcome != "equal"
    ]
