"""The surroundings of a chart's marks: grid lines with their values, and the legend."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from berryeval.charts.svg import FONT_SIZE, Scale, Svg, el, figure_text, shortened, text_width

__all__ = ["Key", "header", "labels_along", "padded_range", "x_axis", "y_axis", "y_label_room"]

_LINE = 22
"""Height of a line of the legend."""
_GAP = 8
_BETWEEN = 20


class Key(NamedTuple):
    """An entry of a legend."""

    name: str
    kind: str
    """The class that determines its colour."""
    shape: Literal["dot", "square", "line", "tick"] = "dot"


def header(keys: Sequence[Key], title: str, width: float) -> tuple[list[Svg], float]:
    """Return the legend with the title of the vertical axis below it, and where the plot begins."""
    parts: list[Svg] = []
    x, top = 0.0, 0.0
    for key in keys:
        name = shortened(key.name, width - _BETWEEN)
        needed = 2 * _GAP + text_width(name)
        if x and x + needed > width:
            x, top = 0.0, top + _LINE
        parts += [_symbol(key, x, top), el("text", name, x=x + 16, y=top + 13, class_="ink")]
        x += needed + _BETWEEN
    if keys:
        top += _LINE + _GAP
    if title:
        parts.append(el("text", shortened(title, width), x=0, y=top + FONT_SIZE))
        top += _LINE
    return parts, top + _GAP


def _symbol(key: Key, x: float, top: float) -> Svg:
    y = top + 9
    if key.shape == "square":
        return el("rect", x=x, y=y - 5, width=10, height=10, rx=2, class_=f"area {key.kind}")
    if key.shape == "line":
        return el("line", x1=x, x2=x + 11, y1=y, y2=y, class_=f"line {key.kind}")
    if key.shape == "tick":
        return el("line", x1=x + 5, x2=x + 5, y1=y - 7, y2=y + 7, class_=f"line {key.kind}")
    return el("circle", cx=x + 5, cy=y, r=5, class_=f"dot {key.kind}")


def y_label_room(values: Iterable[float], text: Callable[[float], str] = figure_text) -> float:
    """Return the room that the values of a vertical axis take."""
    return max((text_width(text(value)) for value in values), default=0.0) + 2 * _GAP


def y_axis(
    y: Scale,
    left: float,
    right: float,
    values: Iterable[float],
    text: Callable[[float], str] = figure_text,
) -> Iterator[Svg]:
    """Draw a line across the plot for each value, with the value at its left."""
    for value in values:
        place = y.at(value)
        yield el("line", x1=left, x2=right, y1=place, y2=place, class_="grid")
        yield el("text", text(value), x=left - _GAP, y=place + 4, text_anchor="end")


def labels_along(
    places: Iterable[tuple[float, str]], y: float, width: float, kind: str | None = None
) -> Iterator[Svg]:
    """Write texts along an axis, each centred at its place; skip those without room."""
    end = float("-inf")
    for place, text in places:
        half = text_width(text) / 2
        x = max(half, min(place, width - half))
        if x - half >= end:
            yield el("text", text, x=x, y=y, text_anchor="middle", class_=kind)
            end = x + half + _GAP


def x_axis(
    x: Scale,
    top: float,
    bottom: float,
    values: Sequence[float],
    width: float,
    text: Callable[[float], str] = figure_text,
) -> Iterator[Svg]:
    """Draw a line up the plot for each value, with the value below."""
    for value in values:
        place = x.at(value)
        yield el("line", x1=place, x2=place, y1=top, y2=bottom, class_="grid")
    yield from labels_along(((x.at(value), text(value)) for value in values), bottom + 18, width)


def padded_range(values: Iterable[float], least: float = 0.0) -> tuple[float, float]:
    """Return the ends of an axis with some room around the values, at least `least` apart.

    Examples
    --------
    >>> padded_range([0.0, 1.0]), padded_range([0.5, 0.5], least=0.02)
    ((-0.06, 1.06), (0.4888, 0.5112))
    """
    found = list(values) or [0.0, 1.0]
    low, high = min(found), max(found)
    half = high / 2 - low / 2
    # Huge, similar values may differ by no more than the precision of a float.
    missing = max(0.0, least / 2 - half, 1e-9 * abs(high) - half)
    room = 0.06 * 2 * (half + missing) + missing
    return low - room, high + room
