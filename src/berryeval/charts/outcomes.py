"""Wins, ties and losses as one bar, as wide as there is room."""

from __future__ import annotations

from berryeval.charts.svg import Svg, el

__all__ = ["outcomes"]

_WIDTH = 1000


def outcomes(wins: int, ties: int, losses: int) -> Svg:
    """Draw how many queries got better, stayed equal, and got worse.

    The numbers stand beside it, so screen readers skip it.
    """
    total = max(1, wins + ties + losses)
    bars = []
    start = 0.0
    for count, outcome in ((wins, "better"), (ties, "equal"), (losses, "worse")):
        width = _WIDTH * count / total
        if count:
            bars.append(
                el("rect", x=start, width=width, y=0, height=10, class_=f"area s-{outcome}")
            )
        start += width
    return el(
        "svg",
        *bars,
        viewBox=f"0 0 {_WIDTH} 10",
        preserveAspectRatio="none",
        class_="chart outcomes",
        aria_hidden="true",
    )
