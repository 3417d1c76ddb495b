"""The forest plot: mean differences with their intervals, one row a measure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from berryeval.evaluation.comparison import Difference
from berryeval.evaluation.figures import interval_text, signed
from berryeval.evaluation.findings import WORDS, Finding
from berryeval.service.workbench.charts.svg import el, ticks
from berryeval.stats import Interval

__all__ = ["ForestRow", "forest", "forest_rows"]

_MINUS = "\u2212"


@dataclass(frozen=True)
class ForestRow:
    """One difference as it is drawn."""

    name: str
    mean: float
    interval: Interval | None
    finding: Finding
    is_chosen: bool
    address: str

    @property
    def ends(self) -> tuple[float, float]:
        """Between which values it is drawn."""
        if self.interval is None:
            return self.mean, self.mean
        return self.interval.low, self.interval.high


@dataclass(frozen=True)
class _Layout:
    width: int
    left: int
    right: int
    row: int
    is_beside: bool
    """Whether names and figures stand beside their marks, or above them."""


_WIDE = _Layout(width=600, left=84, right=196, row=36, is_beside=True)
_NARROW = _Layout(width=340, left=10, right=10, row=56, is_beside=False)
_AXIS = 44


def forest_rows(
    differences: Sequence[Difference], chosen: str, addresses: Sequence[str]
) -> list[ForestRow]:
    """Return what is drawn of differences: a point alone where there is no interval."""
    return [
        ForestRow(
            str(d.measure),
            d.mean,
            d.interval,
            d.finding,
            str(d.measure) == chosen,
            address,
        )
        for d, address in zip(differences, addresses, strict=True)
    ]


def forest(rows: Sequence[ForestRow], title: str, *, is_narrow: bool = False) -> Markup:
    """Draw differences as points on their intervals, about a line where nothing changed.

    Parameters
    ----------
    rows : sequence of ForestRow
    title : str
        What the axis shows.
    is_narrow : bool
        For a phone: names and figures stand above their marks.
    """
    layout = _NARROW if is_narrow else _WIDE
    low = min(0.0, *(row.ends[0] for row in rows))
    high = max(0.0, *(row.ends[1] for row in rows))
    room = (high - low) * 0.06 or 0.01
    low, high = low - room, high + room
    inner = layout.width - layout.left - layout.right
    bottom = layout.row * len(rows) + 6

    def x(value: float) -> float:
        return round(layout.left + inner * (value - low) / (high - low), 1)

    marks = []
    for tick in ticks(low, high, 4 if is_narrow else 6):
        at = x(tick)
        is_zero = abs(tick) < (high - low) * 1e-9
        marks += [
            el("line", x1=at, x2=at, y1=0, y2=bottom, class_="rule" if is_zero else "grid"),
            el("text", _figure(tick), x=at, y=bottom + 16, text_anchor="middle", class_="tick"),
        ]
    marks.append(
        el("text", title, x=layout.left + inner / 2, y=bottom + 36, text_anchor="middle",
           class_="axis")
    )  # fmt: skip
    marks += [_row(row, number, x, layout) for number, row in enumerate(rows)]
    return el(
        "svg",
        el("title", title),
        *marks,
        viewBox=f"0 0 {layout.width} {bottom + _AXIS}",
        class_=f"chart forest {'narrow' if is_narrow else 'wide'}",
        role="group",
        aria_label=f"{title}, by measure",
    )


def _row(row: ForestRow, number: int, x: object, layout: _Layout) -> Markup:
    assert callable(x)
    top = number * layout.row
    y = top + (layout.row / 2 if layout.is_beside else layout.row - 16) + 3
    figures = signed(row.mean)
    if row.interval is not None:
        figures += f"  {interval_text(row.interval)}"
    figures = figures.replace("-", _MINUS)
    name = {"x": 0, "y": y + 4} if layout.is_beside else {"x": layout.left, "y": top + 18}
    told = (
        {"x": layout.width - layout.right + 18, "y": y + 4}
        if layout.is_beside
        else {"x": layout.width - layout.right, "y": top + 18, "text_anchor": "end"}
    )
    words = f"{row.name} {figures}: {WORDS[row.finding]}"
    back = el("rect", x=0, y=top + 3, width=layout.width, height=layout.row, rx=8, class_="back")
    return el(
        "a",
        back,
        el("text", row.name, **name, class_="name"),
        el("line", x1=x(row.ends[0]), x2=x(row.ends[1]), y1=y, y2=y, class_="interval"),
        el("circle", cx=x(row.mean), cy=y, r=5, class_="dot"),
        el("text", figures, **told, class_="figures"),
        href=row.address,
        class_=f"row s-{row.finding}{' is-chosen' if row.is_chosen else ''}",
        aria_label=words,
        aria_current="true" if row.is_chosen else None,
    )


def _figure(value: float) -> str:
    return f"{value:g}".replace("-", _MINUS)
