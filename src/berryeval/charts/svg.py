"""The building blocks of charts: elements, text that fits, scales and round values.

Only this module writes markup: `el` escapes everything that is not markup already.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache
from html import escape
from typing import NamedTuple
from unicodedata import east_asian_width

from berryeval.core.text import printable

__all__ = [
    "FONT_SIZE",
    "Scale",
    "Svg",
    "el",
    "figure_text",
    "fixed",
    "joined",
    "number",
    "shortened",
    "text_width",
    "ticks",
]

FONT_SIZE = 12

_NARROW = frozenset("fijlrtI.,:;'|!()[] \u00b7")
_WIDE = frozenset("mwMW@%+\N{MINUS SIGN}\N{RIGHTWARDS ARROW}\u2026")
_MILLION = 1_000_000
_SMALLEST_SPAN = 1e-300
_MIN_SHARE = 1e-12
"""If a span is a smaller share of its ends, floats cannot distinguish round values in it."""


class Svg(str):
    """Markup, as opposed to text. Templates insert it as it is."""

    __slots__ = ()

    def __html__(self) -> str:
        """Return itself, which is how templates recognise markup."""
        return self


def el(name: str, *inside: object, **attributes: object) -> Svg:
    """Return an element. Text in it and its attributes are escaped.

    A trailing underscore in the name of an attribute is dropped, others become dashes, and an
    attribute that is None is left out.

    Examples
    --------
    >>> el("line", x1=0, y2=1.5, class_="grid")
    '<line x1="0" y2="1.5" class="grid"/>'
    >>> el("text", "a < b", text_anchor="end")
    '<text text-anchor="end">a &lt; b</text>'
    """
    written = "".join(
        f' {_attribute(key)}="{_escaped(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Svg(f"<{name}{written}>{joined(inside)}</{name}>" if inside else f"<{name}{written}/>")


@cache  # the names are those of our code
def _attribute(name: str) -> str:
    return name.rstrip("_").replace("_", "-")


def joined(parts: Iterable[object]) -> Svg:
    """Return parts one after another, with text escaped."""
    return Svg("".join(part if isinstance(part, Svg) else _escaped(part) for part in parts))


def _escaped(value: object) -> str:
    return number(value) if isinstance(value, float) else escape(printable(value))


def number(value: float) -> str:
    """Return a coordinate in as few characters as it needs.

    Examples
    --------
    >>> number(12.0), number(0.333333), number(-0.001)
    ('12', '0.33', '0')
    """
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def figure_text(value: float, *, signed: bool = False) -> str:
    """Return the label of an axis value, with a real minus sign.

    Examples
    --------
    >>> figure_text(0.25), figure_text(0.5, signed=True), figure_text(20_000.0)
    ('0.25', '+0.5', '20,000')
    """
    text = f"{value:{'+' if signed and value else ''},.6g}"
    return text.replace("-", "\N{MINUS SIGN}")


def fixed(value: float, digits: int) -> str:
    """Return a value with a fixed number of decimals, or none if it is a million or more.

    Examples
    --------
    >>> fixed(0.25, 3), fixed(1234567.0, 3)
    ('0.250', '1.23457e+06')
    """
    if abs(value) >= _MILLION:
        return figure_text(value)
    return f"{value:.{digits}f}".replace("-", "\N{MINUS SIGN}")


def text_width(text: str, size: float = FONT_SIZE) -> float:
    """Return the approximate width of a text in DejaVu Sans, which is wider than most fonts."""
    return size * sum(map(_letter_width, text))


def _letter_width(letter: str) -> float:
    """Return the width of a letter, relative to the height of its font."""
    if letter in _NARROW:
        return 0.36
    if letter in _WIDE or east_asian_width(letter) in "WF":
        return 1.0
    return 0.74 if letter.isupper() else 0.63


def shortened(text: str, width: float, size: float = FONT_SIZE) -> str:
    """Return a text that fits, without its middle if necessary, since both ends distinguish names.

    Examples
    --------
    >>> shortened("hybrid-with-reranking · nDCG@10", 120)
    'hybrid-…nDCG@10'
    """
    if text_width(text, size) <= width:
        return text
    kept = len(text) - 1
    while kept > 0:
        short = f"{text[: kept - kept // 2]}…{text[len(text) - kept // 2 :]}"
        if text_width(short, size) <= width:
            return short
        kept -= 1
    return "…"


class Scale(NamedTuple):
    """A linear map from values to coordinates.

    Examples
    --------
    >>> Scale(0, 1, 0, 200).at(0.25)
    50.0
    """

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """Return the coordinate of a value, within the scale; the middle of an empty scale."""
        # Halves, because the difference of two huge values may be infinite.
        span = self.high / 2 - self.low / 2
        if not span > 0:
            return (self.start + self.end) / 2
        share = min(1.0, max(0.0, (value / 2 - self.low / 2) / span))
        return self.start + share * (self.end - self.start)


def ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Return round values between two numbers, about as many as requested.

    Examples
    --------
    >>> ticks(0, 1), ticks(0.12, 0.31, 4)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [0.15, 0.2, 0.25, 0.3])
    """
    rough = (high / 2 - low / 2) / max(about, 1) * 2
    if not rough > max(_SMALLEST_SPAN, _MIN_SHARE * max(abs(low), abs(high))):
        return [low]
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    digits = 1 - math.floor(math.log10(step))
    return [round(index * step, digits) + 0.0 for index in range(first, last + 1)] or [low]
