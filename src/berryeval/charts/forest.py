"""The forest plot: mean differences with their intervals, and the margins that limit them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from berryeval.charts.axes import Key, header, labels_along, padded_range, x_axis
from berryeval.charts.chart import Chart, summary
from berryeval.charts.svg import Scale, Svg, el, figure_text, joined, shortened, text_width, ticks
from berryeval.core.text import distinct_parts
from berryeval.evaluation.figures import interval_text, percent, signed
from berryeval.evaluation.findings import WORDS, Finding
from berryeval.evaluation.leaderboard import by_effect

if TYPE_CHECKING:
    from berryeval.evaluation.comparison import Comparison, Difference
    from berryeval.measures import Measure
    from berryeval.stats import Interval

__all__ = ["ForestRow", "forest", "forest_plot", "forest_row"]

_WIDEST_NAME = 220
_NAME_SIZE = 13
_GAP = 18
_NARROWEST = 160
"""Minimum room for marks; with less, names and figures are above them."""
_ROW, _LINE, _AXIS = 34, 20, 44
_HUGE = 100_000
"""Values from here on are shown without decimals, which mean nothing and take too much room."""


@dataclass(frozen=True)
class ForestRow:
    """One difference to draw."""

    name: str
    mean: float
    interval: Interval | None
    finding: Finding
    limit: float | None = None
    """The difference that a margin allows."""
    address: str | None = None
    """The address that the row links to."""
    is_chosen: bool = False
    digits: int = 4
    """Number of decimals in the figures."""

    @property
    def ends(self) -> tuple[float, float]:
        """The values between which it is drawn; both are the mean if there is no interval."""
        if self.interval is None:
            return self.mean, self.mean
        return self.interval.low, self.interval.high

    @property
    def figures(self) -> str:
        """The mean and the interval, if there is one."""
        if max(map(abs, self.ends)) >= _HUGE:
            mean, *ends = (figure_text(value, signed=True) for value in (self.mean, *self.ends))
            return mean if self.interval is None else f"{mean} [{', '.join(ends)}]"
        text = signed(self.mean, self.digits)
        if self.interval is not None:
            text += f" {interval_text(self.interval, self.digits)}"
        return text.replace("-", "\N{MINUS SIGN}")

    def described(self, words: Mapping[Finding, str] = WORDS) -> str:
        """Return what the row shows, in words."""
        limit = "" if self.limit is None else f"; margin {abs(self.limit):g}"
        return f"{self.name} {self.figures}: {words[self.finding]}{limit}"


@dataclass(frozen=True)
class _Layout:
    width: float
    left: float
    right: float
    """The end of the area for marks, which starts at `left`."""
    row: int
    n_lines: int
    """Number of lines of text above the marks: 0 if names and figures are next to them."""


def forest_plot(
    comparison: Comparison,
    margins: Mapping[str, float] | None = None,
    *,
    measure: Measure | None = None,
    width: int = 760,
) -> Chart:
    """Draw each difference over all queries as a point on its interval.

    Parameters
    ----------
    comparison : Comparison
    margins : mapping of str to float, optional
        By the name of a measure, the largest drop that is accepted (a rise where lower is
        better): a mark on its row.
    measure : Measure, optional
        The only measure to draw, with the largest gain at the top. Names omit what all systems
        have in common.
    width : int
        Width in pixels. In a narrow chart, names and figures are above their marks.
    """
    differences: Sequence[Difference] = comparison.differences
    if measure is not None:
        differences = by_effect(comparison, measure)
        names = distinct_parts([d.system for d in differences])
    elif len(comparison.candidates) > 1:
        parts = dict(zip(comparison.candidates, distinct_parts(comparison.candidates), strict=True))
        names = [f"{parts[d.system]} · {d.measure}" for d in differences]
    else:
        names = [str(d.measure) for d in differences]
    rows = [
        forest_row(d, name, (margins or {}).get(str(d.measure)))
        for d, name in zip(differences, names, strict=True)
    ]
    return forest(rows, comparison.baseline, comparison.statistics.level, width=width)


def forest_row(
    difference: Difference,
    name: str,
    margin: float | None = None,
    address: str | None = None,
    *,
    is_chosen: bool = False,
) -> ForestRow:
    """Return the row of a difference."""
    limit = margin
    if margin is not None and difference.measure.higher_is_better:
        limit = -margin
    return ForestRow(
        name, difference.mean, difference.interval, difference.finding, limit, address, is_chosen
    )


def forest(
    rows: Sequence[ForestRow],
    baseline: str,
    level: float,
    *,
    width: int = 760,
    words: Mapping[Finding, str] = WORDS,
) -> Chart:
    """Draw rows as points on their intervals, around a line that marks no change.

    `baseline` is the name of what they are compared with, `level` the confidence level of the
    intervals, and `words` are the meanings of the findings.
    """
    layout = _layout(rows, width)
    values = [value for row in rows for value in row.ends]
    low, high = padded_range([0.0, *values, *(row.limit for row in rows if row.limit is not None)])
    x = Scale(low, high, layout.left, layout.right)
    legend, top = header(_keys(rows, words), "", width)
    bottom = top + layout.row * len(rows)
    title = f"difference from {baseline}, {percent(level)} interval"
    parts = [
        *legend,
        *x_axis(x, top, bottom, ticks(low, high, 4 if layout.n_lines else 6), width),
        el("line", x1=x.at(0.0), x2=x.at(0.0), y1=top, y2=bottom, class_="rule"),
        *labels_along([((x.start + x.end) / 2, shortened(title, width))], bottom + 38, width),
        *(_row(row, top + i * layout.row, x, layout, words) for i, row in enumerate(rows)),
    ]
    return Chart(
        f"Differences from {baseline}, with {percent(level)} intervals",
        summary([row.described(words) for row in rows]),
        width,
        bottom + _AXIS,
        joined(parts),
        "forest",
    )


def _layout(rows: Sequence[ForestRow], width: int) -> _Layout:
    names = max((text_width(row.name, _NAME_SIZE) for row in rows), default=0.0)
    left = min(names, _WIDEST_NAME) + _GAP
    figures = max((text_width(row.figures) for row in rows), default=0.0)
    right = width - figures - _GAP
    if right - left >= _NARROWEST:
        return _Layout(width, left, right, _ROW, n_lines=0)
    n_lines = 1 if names + _GAP + figures <= width else 2
    return _Layout(width, 10, width - 10, _ROW + _LINE * n_lines, n_lines)


def _keys(rows: Sequence[ForestRow], words: Mapping[Finding, str]) -> list[Key]:
    """Return the legend of the colours; untested rows are only in it if there are any."""
    found = {row.finding for row in rows}
    keys = [
        Key(text, f"s-{finding}")
        for finding, text in words.items()
        if finding != "untested" or finding in found
    ]
    if any(row.limit is not None for row in rows):
        keys.append(Key("margin", "s-margin", "tick"))
    return keys


def _row(
    row: ForestRow, top: float, x: Scale, layout: _Layout, words: Mapping[Finding, str]
) -> Svg:
    y = top + layout.row - _ROW / 2
    low, high = (x.at(end) for end in row.ends)
    marks = [
        el("title", row.described(words)),
        el("rect", x=0, y=top, width=layout.width, height=layout.row, rx=8, class_="back"),
        *_texts(row, top, y, layout),
    ]
    if row.limit is not None:
        place = x.at(row.limit)
        marks.append(
            el("line", x1=place, x2=place, y1=y - 12, y2=y + 12, class_="line s-margin limit")
        )
    if row.interval is not None:
        marks.append(el("line", x1=low, x2=high, y1=y, y2=y, class_="stroke thick whisker"))
    marks.append(el("circle", cx=x.at(row.mean), cy=y, r=6, class_="dot"))
    kind = f"row s-{row.finding}{' is-chosen' if row.is_chosen else ''}"
    if row.address is None:
        return el("g", *marks, class_=kind)
    return el(
        "a",
        *marks,
        href=row.address,
        class_=kind,
        aria_label=row.described(words),
        aria_current="true" if row.is_chosen else None,
    )


def _texts(row: ForestRow, top: float, y: float, layout: _Layout) -> tuple[Svg, Svg]:
    """Write the name and the figures: next to the marks, or above them on one line or two."""
    room, first = (layout.width, top + 18) if layout.n_lines else (layout.left - _GAP, y + 4)
    kind = "halo ink" if layout.n_lines else "ink"
    is_below = layout.n_lines > 1
    return (
        el("text", shortened(row.name, room, _NAME_SIZE), x=0, y=first, class_=f"name {kind}"),
        el(
            "text",
            row.figures,
            x=0 if is_below else layout.width,
            y=first + _LINE * is_below,
            text_anchor=None if is_below else "end",
            class_=kind,
        ),
    )
