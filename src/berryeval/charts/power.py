"""The power curve: the smallest drop that can be ruled out, by the number of queries."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from berryeval.charts.axes import Key, header, labels_along, y_axis, y_label_room
from berryeval.charts.chart import Chart
from berryeval.charts.svg import Scale, Svg, el, fixed, joined, number, text_width, ticks
from berryeval.charts.theme import SERIES

if TYPE_CHECKING:
    from berryeval.evaluation.detection import Detection
    from berryeval.evaluation.power import Sensitivity

__all__ = ["Margin", "PowerCurve", "detection_chart", "power_chart", "power_curves"]

_BOTTOM, _RIGHT, _ABOVE = 42, 18, 14
_ROUND = (1, 2, 5)


@dataclass(frozen=True)
class PowerCurve:
    """The smallest drops for one spread of differences."""

    name: str
    points: tuple[tuple[int, float], ...]
    """Numbers of queries, rising, each with the smallest drop they can rule out."""
    drop: float | None
    """The smallest drop that the available queries can rule out."""


@dataclass(frozen=True)
class Margin:
    """A drop to rule out, and the queries it needs."""

    drop: float
    needed: int | None


def power_chart(found: Sensitivity, *, width: int = 640, height: int = 340) -> Chart:
    """Draw one line per spread of differences, and mark the current number of queries."""
    curves = [
        PowerCurve(
            "measured"
            if spread.correlation is None
            else f"correlation {spread.correlation:g}, assumed",
            spread.curve,
            spread.smallest_drop,
        )
        for spread in found.spreads
    ]
    n_units = found.n_queries if found.n_groups is None else found.n_groups
    return power_curves(
        curves,
        n_units,
        f"Smallest drop of {found.measure} that can be ruled out",
        unit="queries" if found.n_groups is None else "groups of queries",
        width=width,
        height=height,
    )


def detection_chart(found: Detection, *, width: int, height: int) -> Chart:
    """Draw one curve, the place of these queries on it, and the queries that the margin needs.

    The steep part of the curve is left out where it is far above everything else.
    """
    most = 3 * max(found.margin, found.smallest_drop or 0.0)
    points = tuple((n, drop) for n, drop in found.curve if drop <= most)
    return power_curves(
        [PowerCurve("", points or found.curve, found.smallest_drop)],
        found.n_queries,
        "Smallest drop that can be ruled out",
        Margin(found.margin, found.needed) if found.margin else None,
        width=width,
        height=height,
    )


def power_curves(
    curves: Sequence[PowerCurve],
    n_queries: int,
    title: str,
    margin: Margin | None = None,
    *,
    unit: str = "queries",
    width: int = 640,
    height: int = 340,
) -> Chart:
    """Draw curves, the point of the available queries on each, and a margin.

    Numbers of queries are on a logarithmic scale.
    """
    drawn = [curve for curve in curves if curve.points]
    kinds = [f"s-{SERIES[i % len(SERIES)]}" for i in range(len(curves))]
    keys = [Key(curve.name, kind, "line") for curve, kind in zip(curves, kinds, strict=True)]
    heading, top = header(keys if any(curve.name for curve in curves) else (), title, width)
    points = [point for curve in drawn for point in curve.points]
    numbers = [n for n, _ in points] or [1, 1000]
    drops = [drop for _, drop in points] or [1.0]
    most = max(drops) if margin is None else max(*drops, margin.drop)
    levels = ticks(0.0, most)
    x = Scale(math.log(min(numbers)), math.log(max(numbers)), y_label_room(levels), width - _RIGHT)
    y = Scale(0.0, most, height - _BOTTOM, top + _ABOVE)
    rounds = _round_numbers(min(numbers), max(numbers))
    parts = [
        *heading,
        *y_axis(y, x.start, x.end, levels),
        *labels_along(((x.at(math.log(n)), f"{n:,}") for n in rounds), y.start + 18, width),
        el("text", unit, x=(x.start + x.end) / 2, y=y.start + 36, text_anchor="middle"),
    ]
    for curve, kind in zip(curves, kinds, strict=True):
        if curve.points:
            parts.append(_curve(curve, kind, x, y, is_alone=len(curves) == 1))
    parts += _margin(margin, x, y) if margin is not None else ()
    if x.low <= math.log(max(n_queries, 1)) <= x.high:
        place = x.at(math.log(max(n_queries, 1)))
        for curve, kind in zip(curves, kinds, strict=True):
            if curve.drop is not None and curve.points:
                parts += _now(curve, f"{n_queries:,} {unit}", kind, place, x, y)
    description = _description(curves, n_queries, unit, margin)
    return Chart(title, description, width, height, joined(parts), "power")


def _round_numbers(first: int, last: int) -> list[int]:
    """Return 10, 20, 50, 100 and so on; only powers of ten if there would be too many."""
    found = [
        step * 10**power
        for power in range(len(str(last)))
        for step in _ROUND
        if first <= step * 10**power <= last
    ]
    most = 3 * len(_ROUND)
    return found if len(found) <= most else [n for n in found if str(n)[0] == "1"]


def _curve(curve: PowerCurve, kind: str, x: Scale, y: Scale, *, is_alone: bool) -> Svg:
    places = [f"{number(x.at(math.log(n)))} {number(y.at(drop))}" for n, drop in curve.points]
    path = "M" + "L".join(places)
    parts = [el("path", d=path, class_="line")]
    if is_alone:  # drops below stay undetected; several areas would hide each other
        foot = number(y.start)
        first, last = (place.split()[0] for place in (places[0], places[-1]))
        parts.insert(0, el("path", d=f"{path}L{last} {foot}L{first} {foot}z", class_="band"))
    return el("g", *parts, class_=kind)


def _margin(margin: Margin, x: Scale, y: Scale) -> Iterator[Svg]:
    place = y.at(margin.drop)
    label = f"margin {margin.drop:g}"
    needed = None
    if margin.needed is not None and x.low <= math.log(margin.needed) <= x.high:
        needed = x.at(math.log(margin.needed))
        label += f": {margin.needed:,} needed"
    yield el("line", x1=x.start, x2=x.end, y1=place, y2=place, class_="stroke dashed s-margin")
    yield el("text", label, x=x.start + 6, y=place - 6, class_="halo ink")
    if needed is not None:
        yield el("line", x1=needed, x2=needed, y1=place, y2=y.start,
                 class_="stroke dashed s-margin")  # fmt: skip
        yield el("circle", cx=needed, cy=place, r=4.5, class_="dot s-margin")


def _now(
    curve: PowerCurve, queries: str, kind: str, place: float, x: Scale, y: Scale
) -> Iterator[Svg]:
    """Mark the place of the available queries on a curve."""
    drop = curve.drop or 0.0
    words = fixed(drop, 3) if curve.name else f"{queries}: {fixed(drop, 3)}"
    title = ", ".join(filter(None, (queries, curve.name)))
    y_now = y.at(drop)
    yield el("line", x1=place, x2=place, y1=y_now, y2=y.start, class_="rule")
    yield el("circle", el("title", f"{title}: {fixed(drop, 4)}"), cx=place, cy=y_now, r=6,
             class_=f"dot {kind}")  # fmt: skip
    # Above the curve there is room to the right, unless the chart ends there.
    left = min(place + 9, x.end - text_width(words))
    yield el("text", words, x=left, y=y_now - 9, class_="halo ink strong")


def _description(
    curves: Sequence[PowerCurve], n_queries: int, unit: str, margin: Margin | None
) -> str:
    """Return what the available queries can rule out, and what the margin requires."""
    known = [
        fixed(curve.drop, 3) + (f" ({curve.name})" if curve.name else "")
        for curve in curves
        if curve.drop is not None
    ]
    drops = f"a drop of {', '.join(known)}" if known else "no drop"
    text = f"{n_queries:,} {unit} can rule out {drops}"
    if margin is not None and margin.needed is not None:
        text += f"; a margin of {margin.drop:g} needs {margin.needed:,}"
    return f"{text}."
