"""Specifications as pictures, drawn without a browser and without a network."""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from berryeval.errors import MissingExtraError
from berryeval.reports.charts.theme import DARK, LIGHT, Spec

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["Theme", "can_draw", "to_png", "to_svg"]

Theme: TypeAlias = Literal["light", "dark", "page"]

_VERSION = "5.20"
_NOWHERE: list[str] = ["https://berryeval.invalid/"]
"""Where data may be fetched from: no such host."""


def to_svg(spec: Spec, theme: Theme = "light") -> str:
    """Draw a chart as SVG, described by a title for those who do not see it.

    Parameters
    ----------
    spec : dict
        What a function of `berryeval.reports.charts` returns.
    theme : {"light", "dark", "page"}
        ``"page"`` leaves the colours to the CSS variables ``--chart-ink``, ``--chart-better`` …
        and the font to the page.

    Raises
    ------
    MissingExtraError
        If the library that draws is not installed.
    """
    svg: str = _library().vegalite_to_svg(spec, **_options())
    svg = re.sub(r"<[^>]*>", lambda tag: _restyled(tag[0], theme), svg)
    return _described(svg, spec["description"])


def to_png(spec: Spec, scale: float = 2.0) -> bytes:
    """Draw a chart as PNG, dark on white.

    Raises
    ------
    MissingExtraError
        If the library that draws is not installed.
    """
    picture: bytes = _library().vegalite_to_png(
        {**spec, "background": "white"}, scale=scale, **_options()
    )
    return picture


def can_draw() -> bool:
    """Whether the library that draws is installed."""
    from importlib.util import find_spec

    return find_spec("vl_convert") is not None


def _options() -> dict[str, Any]:
    return {"vl_version": _VERSION, "allowed_base_urls": _NOWHERE}


def _library() -> ModuleType:
    try:
        import vl_convert
    except ImportError:
        raise MissingExtraError("Drawing charts", "charts") from None
    module: ModuleType = vl_convert
    return module


def _restyled(tag: str, theme: Theme) -> str:
    """Give one tag the colours of a theme. Text between tags is left alone: it is data."""
    tag = re.sub(r' (?:role="graphics-|aria-roledescription=")[^"]*"', "", tag)
    if theme == "light":
        return tag
    if theme == "dark":
        return _COLOUR.sub(lambda found: _DARK_OF[found[0]], tag)
    tag = _COLOUR.sub(lambda found: _VARIABLE_OF[found[0]], tag)
    if _EMPTY.fullmatch(tag):
        return ""
    return _LONG_NUMBER.sub(lambda found: f"{float(found[0]):.2f}", _USELESS.sub("", tag))


_COLOUR = re.compile("|".join(LIGHT.values()))
_DARK_OF = {colour: DARK[role] for role, colour in LIGHT.items()}
_VARIABLE_OF = {colour: f"var(--chart-{role})" for role, colour in LIGHT.items()}
_EMPTY = re.compile(r'<path [^>]*class="(?:background|foreground)"[^>]*/>')
_LONG_NUMBER = re.compile(r"\d+\.\d{3,}")
_USELESS = re.compile(
    r' (?:font-family|class|pointer-events|aria-hidden|xmlns:xlink|version)="[^"]*"| opacity="1"'
)


def _described(svg: str, description: str) -> str:
    """Make a picture of the drawing, with a title."""
    label = escape(description)
    svg = svg.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1)
    opening = svg.index(">", svg.index('viewBox="')) + 1
    return f"{svg[:opening]}<title>{label}</title>{svg[opening:]}"
