"""The matrix of all pairs: how far the system of each row is ahead of that of each column."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from berryeval.charts.axes import Key, header, labels_along
from berryeval.charts.chart import Chart, summary
from berryeval.charts.svg import Svg, el, joined, shortened, text_width
from berryeval.core.text import distinct_parts
from berryeval.evaluation.figures import interval_text, p_text, signed
from berryeval.evaluation.findings import WORDS, Finding

if TYPE_CHECKING:
    from berryeval.evaluation.all_pairs import SystemPair
    from berryeval.evaluation.comparison import Difference

__all__ = ["pair_matrix"]

_CELL = 30
_GAP = 12
_WIDEST_NAME = 220
_WIDEST_CELL = 72
_OPPOSITE: Mapping[Finding, Finding] = {"better": "worse", "worse": "better"}


def pair_matrix(pairs: Sequence[SystemPair], systems: Sequence[str], *, width: int = 760) -> Chart:
    """Draw the difference of every pair of systems in one measure.

    Parameters
    ----------
    pairs : sequence of SystemPair
        All pairs of the systems in one measure, as `all_pairs` returns them.
    systems : sequence of str
        The rows and columns in their order, the best system first.
    width : int
        Width in pixels. Cells without room for a figure only show their colour.
    """
    found = {(pair.first, pair.second): pair.difference for pair in pairs}
    names = distinct_parts(systems)
    labels = [f"{i}  {name}" for i, name in enumerate(names, start=1)]
    left = min(max(map(text_width, labels), default=0.0), _WIDEST_NAME, width / 3) + _GAP
    cell = min(_WIDEST_CELL, (width - left) / max(1, len(systems)))
    keys = [
        Key(f"row {WORDS[one]}", f"s-{one}", "square") for one in ("better", "worse", "unclear")
    ]
    legend, top = header(keys, "", width)
    top += _GAP
    numbers = ((left + (i + 0.5) * cell, str(i + 1)) for i in range(len(systems)))
    parts = [*legend, *labels_along(numbers, top - 6, width)]
    for i, label in enumerate(labels):
        y = top + i * _CELL
        parts.append(el("text", shortened(label, left - _GAP), x=0, y=y + 19, class_="ink"))
        parts += _row(i, systems, found, left, y, cell)
    words = [
        f"{pair.second} {signed(pair.difference.mean)} from {pair.first}: "
        f"{WORDS[pair.difference.finding]}"
        for pair in pairs
    ]
    measure = pairs[0].difference.measure if pairs else ""
    title = f"{measure} of each system minus that of each other".lstrip()
    height = top + _CELL * len(systems) + 4
    return Chart(title, summary(words), width, height, joined(parts), "pair-matrix")


def _row(
    row: int,
    systems: Sequence[str],
    found: Mapping[tuple[str, str], Difference],
    left: float,
    y: float,
    cell: float,
) -> Iterator[Svg]:
    for column, other in enumerate(systems):
        if row == column:
            continue
        name = systems[row]
        finding, text, words = _figures(name, other, found)
        x = left + column * cell
        inside = [
            el("title", words),
            el("rect", x=x + 1, y=y + 1, width=cell - 2, height=_CELL - 2, rx=4,
               class_="area" if finding in ("better", "worse") else "band"),
        ]  # fmt: skip
        if text_width(text) + 4 <= cell:
            kind = "on-mark" if finding in ("better", "worse") else "ink"
            inside.append(
                el("text", text, x=x + cell / 2, y=y + 19, text_anchor="middle", class_=kind)
            )
        yield el("g", *inside, class_=f"s-{finding}")


def _figures(
    name: str, other: str, found: Mapping[tuple[str, str], Difference]
) -> tuple[Finding, str, str]:
    """Return the finding, the difference and the words for a row and a column."""
    if (other, name) in found:
        difference, sign, finding = found[other, name], 1, found[other, name].finding
    else:
        difference, sign = found[name, other], -1
        finding = _OPPOSITE.get(difference.finding, difference.finding)
    interval = difference.interval
    if interval is not None and sign < 0:
        interval = replace(interval, low=0.0 - interval.high, high=0.0 - interval.low)
    text = f"{sign * difference.mean:+.3f}".replace("-", "\N{MINUS SIGN}")
    words = f"{name} compared with {other}: {signed(sign * difference.mean)}"
    if interval is not None:
        words += f" {interval_text(interval)}, p {p_text(difference.p_value)}"
    return finding, text, f"{words}, {WORDS[finding]}"
