"""Losses, ties and wins, over all queries and by slice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from berryeval.charts.axes import Key, header, x_axis
from berryeval.charts.chart import Chart, summary
from berryeval.charts.svg import Scale, Svg, el, joined, shortened, text_width
from berryeval.evaluation.findings import Outcome
from berryeval.measures import Measure

if TYPE_CHECKING:
    from berryeval.evaluation.comparison import Comparison

__all__ = ["SliceRow", "slice_bars", "wins_by_slice"]

_ORDER: tuple[Outcome, ...] = ("worse", "equal", "better")
_BAR = 22
_GAP = 18
_WIDEST_NAME = 260
_NARROWEST = 260
"""Minimum room for bars; with less, names are above them."""


@dataclass(frozen=True)
class SliceRow:
    """Some queries, and how many of them are worse, equal and better."""

    name: str
    losses: int
    ties: int
    wins: int

    @property
    def n_queries(self) -> int:
        """The number of all queries."""
        return self.losses + self.ties + self.wins

    @property
    def label(self) -> str:
        """The name with the number of queries."""
        return f"{self.name} ({self.n_queries:,})"

    @property
    def words(self) -> str:
        """The content of the row, in words."""
        return f"{self.label}: {self.losses:,} worse, {self.ties:,} equal, {self.wins:,} better"


def wins_by_slice(
    comparison: Comparison, system: str, measure: Measure | str, *, width: int = 760
) -> Chart:
    """Draw the shares that are worse, equal and better, for all queries and each slice."""
    whole = comparison.difference(system, measure)
    parts = [
        part for part in comparison.sliced if (part.system, part.measure) == (system, whole.measure)
    ]
    rows = [
        SliceRow("all queries" if d.slice is None else str(d.slice), d.losses, d.ties, d.wins)
        for d in (whole, *parts)
    ]
    return slice_bars(rows, f"{whole.measure} of {system}, by slice", width=width)


def slice_bars(rows: Sequence[SliceRow], title: str, *, width: int = 760) -> Chart:
    """Draw one bar per row, from the queries that are worse to those that are better."""
    heading, top = header([Key(one, f"s-{one}", "square") for one in _ORDER], "", width)
    names = max((text_width(row.label) for row in rows), default=0.0)
    left = min(names, _WIDEST_NAME) + _GAP
    is_beside = width - left >= _NARROWEST
    if not is_beside:
        left = 0
    step = 34 if is_beside else 52
    x = Scale(0, 1, left, width)
    bottom = top + step * len(rows)
    parts = [
        *heading,
        *x_axis(
            x, top, bottom, [0.0, 0.2, 0.4, 0.6, 0.8, 1.0], width, lambda share: f"{share:.0%}"
        ),
        el("text", "share of queries", x=(left + width) / 2, y=bottom + 38, text_anchor="middle"),
    ]
    for i, row in enumerate(rows):
        y = top + i * step + (step - _BAR) / 2
        place = {"x": 0, "y": y + 15}
        if not is_beside:
            place, y = {"x": 0, "y": top + i * step + 15}, top + i * step + 22
        name = el("text", shortened(row.label, left - _GAP if is_beside else width), **place,
                  class_="halo ink")  # fmt: skip
        parts.append(el("g", el("title", row.words), name, *_bar(row, x, y)))
    description = summary([row.words for row in rows])
    return Chart(title, description, width, bottom + 44, joined(parts), "slices-chart")


def _bar(row: SliceRow, x: Scale, y: float) -> Iterator[Svg]:
    done = 0
    for outcome, count in zip(_ORDER, (row.losses, row.ties, row.wins), strict=True):
        if not count:
            continue
        start, end = (x.at(n / row.n_queries) for n in (done, done + count))
        done += count
        yield el("rect", x=start, y=y, width=end - start, height=_BAR, class_=f"area s-{outcome}")
        if text_width(f"{count:,}") + 6 <= end - start:
            kind = "ink strong" if outcome == "equal" else "on-mark"
            yield el("text", f"{count:,}", x=(start + end) / 2, y=y + 15.5, text_anchor="middle",
                     class_=kind)  # fmt: skip
