"""Lines between two rankings: each document from its old rank to its new one.

The lines fill the gap between two lists whose rows have one height, whatever the gap's width.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from berryeval.charts.svg import Svg, el
from berryeval.evaluation.findings import Outcome

__all__ = ["ROW", "Link", "links"]

ROW = 68
"""Pixels of a row; `query.css` has the same."""

_WIDTH = 100
_STUB = 18


@dataclass(frozen=True)
class Link:
    """A document in two lists."""

    number: int
    """By which a script finds both rows."""
    before: int | None
    """Its row on the left, from 0; None if it is not among them."""
    after: int | None
    effect: Outcome
    """What its move did to the score."""
    weight: float = 0.0
    """Its part of the whole change, from 0 to 1."""


def links(drawn: Sequence[Link], n_rows: int) -> Svg:
    """Draw the lines; what stands in one list only has a stub."""
    ordered = sorted(drawn, key=lambda link: (link.effect != "equal", link.weight))
    return el(
        "svg",
        *(_line(link) for link in ordered),
        viewBox=f"0 0 {_WIDTH} {n_rows * ROW}",
        height=n_rows * ROW,
        preserveAspectRatio="none",
        class_="links",
        aria_hidden="true",
    )


def _line(link: Link) -> Svg:
    kind = f"link s-{link.effect}"
    if link.after is None:
        kind += " is-stub"
        path = f"M0 {_middle(link.before or 0)}h{_STUB}"
    elif link.before is None:
        kind += " is-stub"
        path = f"M{_WIDTH} {_middle(link.after)}h-{_STUB}"
    else:
        y, end = _middle(link.before), _middle(link.after)
        path = f"M0 {y}C{_WIDTH / 2:g} {y} {_WIDTH / 2:g} {end} {_WIDTH} {end}"
    width = round(1.5 + 3.5 * link.weight, 1)
    return el("path", d=path, class_=kind, stroke_width=width, data_n=link.number)


def _middle(row: int) -> int:
    return row * ROW + ROW // 2
