"""Wins, ties and losses as one bar."""

from __future__ import annotations

from markupsafe import Markup

from berryeval.service.workbench.charts.svg import el

__all__ = ["outcomes"]

_WIDTH = 1000


def outcomes(wins: int, ties: int, losses: int) -> Markup:
    """Draw how many queries got better, stayed equal, and got worse, as wide as there is room.

    The numbers stand beside it, so that it says nothing to those who do not see it.
    """
    total = max(1, wins + ties + losses)
    bars = []
    start = 0.0
    for count, outcome in ((wins, "better"), (ties, "equal"), (losses, "worse")):
        width = _WIDTH * count / total
        if count:
            bars.append(
                el("rect", x=round(start, 1), width=round(width, 1), y=0, height=10,
                   class_=f"s-{outcome}")
            )  # fmt: skip
        start += width
    return el(
        "svg",
        *bars,
        viewBox=f"0 0 {_WIDTH} 10",
        preserveAspectRatio="none",
        class_="outcomes",
        aria_hidden="true",
    )
