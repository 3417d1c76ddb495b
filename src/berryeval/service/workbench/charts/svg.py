"""What charts are made of: elements, scales and the marks of an axis."""

from __future__ import annotations

import math
from typing import NamedTuple

from markupsafe import Markup, escape

__all__ = ["Scale", "el", "joined", "number", "picture", "ticks"]


def number(value: float) -> str:
    """Return a coordinate in as few characters as it needs.

    Examples
    --------
    >>> number(12.0), number(0.333333)
    ('12', '0.33')
    """
    return f"{value:.2f}".rstrip("0").rstrip(".")


def el(name: str, *inside: Markup | str, **attributes: object) -> Markup:
    """Return an element, with everything in it escaped.

    A trailing underscore of an attribute is dropped, and others become dashes; one that is None
    is left out.

    Examples
    --------
    >>> el("line", x1=0, y2=1.5, class_="grid")
    Markup('<line x1="0" y2="1.5" class="grid"/>')
    >>> el("text", "a < b", text_anchor="end")
    Markup('<text text-anchor="end">a &lt; b</text>')
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_value(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    if not inside:
        return Markup(f"<{name}{written}/>")  # noqa: S704 - its parts are escaped
    return Markup(f"<{name}{written}>{joined(inside)}</{name}>")  # noqa: S704


def joined(parts: object) -> Markup:
    """Return parts one after another, escaping those that are plain text."""
    return Markup("").join(parts)  # type: ignore[arg-type]


def picture(
    width: float, height: float, label: str, *inside: Markup, class_: str = "chart"
) -> Markup:
    """Return a chart that scales with its page, and is described for those who do not see it.

    Charts with links in them are no pictures to a screen reader: it reads the links.
    """
    has_links = any("<a " in part for part in inside)
    return el(
        "svg",
        el("title", label),
        *inside,
        viewBox=f"0 0 {number(width)} {number(height)}",
        width=width,
        height=height,
        class_=class_,
        role="group" if has_links else "img",
        aria_label=label,
    )


class Scale(NamedTuple):
    """A straight way from values to coordinates.

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
        """Return where a value is drawn; the middle if the scale has no width."""
        if self.high == self.low:
            return (self.start + self.end) / 2
        share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)


def ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Return round values between two, about as many as wanted.

    Examples
    --------
    >>> ticks(0, 1), ticks(0.12, 0.31, 4)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [0.15, 0.2, 0.25, 0.3])
    """
    if not high > low:
        return [low]
    rough = (high - low) / max(about, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    digits = max(0, 1 - math.floor(math.log10(step)))
    return [round(index * step, digits) for index in range(first, last + 1)]


def _value(value: object) -> Markup:
    return escape(number(value) if isinstance(value, float) else value)
