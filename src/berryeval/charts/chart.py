"""A chart: marks with a size, a title and a description, as markup for a page or as a file."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Literal, TypeAlias

from berryeval.charts.svg import Svg, el, number
from berryeval.charts.theme import DARK, LIGHT
from berryeval.errors import BerryEvalError, MissingExtraError

__all__ = ["Chart", "Theme", "file_style", "page_style", "summary"]

Theme: TypeAlias = Literal["auto", "light", "dark", "page"]

_PADDING = 16
_MAX_ROWS = 12
_NAMESPACE = "http://www.w3.org/2000/svg"
_FILE_RULES = (
    ".chart{max-width:100%;height:auto}"
    ".chart text{font-family:-apple-system,'Segoe UI',Roboto,'Liberation Sans',Arial,'Noto Sans',"
    "'DejaVu Sans',sans-serif}"
)
"""Fonts are named, since on Linux the library that draws PNG has no default for sans-serif."""


@dataclass(frozen=True)
class Chart:
    """A drawing. Notebooks show it, and templates insert it."""

    title: str
    description: str
    """The content of the chart, in words for a screen reader."""
    width: float
    height: float
    """Height in pixels, like the width, unless a page scales it."""
    marks: Svg
    """The drawing, between 0 and `width`, and 0 and `height`."""
    kind: str = ""
    """A class by which styles and scripts of a page find it."""
    data: Mapping[str, object] = field(default_factory=dict)
    """Attributes for scripts of a page."""

    def to_svg(self, theme: Theme = "auto") -> str:
        """Return the chart as SVG.

        Parameters
        ----------
        theme : {"auto", "light", "dark", "page"}
            ``"auto"`` is a file that follows the reader's setting, and is light if that is unknown.
            ``"page"`` leaves colours and fonts to the page that contains it: its style
            sheet has to include `page_style`, and to define ``--chart-ink`` and so on.
        """
        if theme == "page":
            return self._drawn("chart", 0)
        background = el("rect", x=-_PADDING, y=-_PADDING, width=self.width + 2 * _PADDING,
                        height=self.height + 2 * _PADDING, rx=8, class_="paper")  # fmt: skip
        # No part of the style sheet comes from data.
        style = Svg(f"<style>{file_style(theme)}</style>")
        return self._drawn(f"berryeval-{theme}", _PADDING, style, background)

    def to_png(self, scale: float = 2.0, theme: Literal["light", "dark"] = "light") -> bytes:
        """Return the chart as PNG, with `scale` pixels for each pixel of `width`.

        Raises
        ------
        MissingExtraError
            If the drawing library is not installed.
        BerryEvalError
            If no font is installed.
        """
        try:
            import resvg_py
        except ImportError:
            raise MissingExtraError("Drawing PNG", "charts") from None
        if not _has_fonts():
            raise BerryEvalError(
                "no font is installed to write the text of a PNG: install one, such as the "
                "package fonts-dejavu-core, or write SVG instead"
            )
        picture: bytes = resvg_py.svg_to_bytes(svg_string=self.to_svg(theme), zoom=scale)
        return picture

    def __html__(self) -> str:
        """Return the markup that templates insert."""
        return self.to_svg("page")

    def _repr_html_(self) -> str:
        return self.to_svg()

    def _drawn(self, name: str, padding: int, *before: Svg) -> str:
        width, height = self.width + 2 * padding, self.height + 2 * padding
        return el(
            "svg",
            el("title", self.title),
            el("desc", self.description),
            *before,
            self.marks,
            xmlns=_NAMESPACE if padding else None,
            viewBox=f"{-padding} {-padding} {number(width)} {number(height)}",
            width=width,
            height=height,
            class_=f"{name} {self.kind}".rstrip(),
            # Links in it could not be reached: a screen reader treats a picture as a whole.
            role="group" if "<a " in self.marks else "img",
            aria_label=f"{self.title}. {self.description}",
            **self.data,
        )


def summary(rows: Sequence[str]) -> str:
    """Return the first rows of a chart as one description; pages with many have a table, too."""
    shown = [
        *rows[:_MAX_ROWS],
        *([f"{len(rows) - _MAX_ROWS:,} more"] if rows[_MAX_ROWS:] else []),
    ]
    return f"{'; '.join(shown)}."


@cache
def page_style() -> str:
    """Return the style sheet of charts for a page that defines the colours as variables."""
    path = resources.files(__package__) / "chart.css"
    text = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    return re.sub(r"\s*([{};:,])\s*|\s+", lambda found: found[1] or " ", text).replace(";}", "}")


@cache
def file_style(theme: Theme) -> str:
    """Return the style sheet of a file, with colours in place of variables.

    A notebook shows several files on one page, so rules name the theme that they apply to.
    """
    style = re.sub(r"\.chart\b", f".berryeval-{theme}", page_style() + _FILE_RULES)
    if theme != "auto":
        return _coloured(style, DARK if theme == "dark" else LIGHT)
    rules = re.findall(r"([^{}]+)\{([^}]*)\}", style)
    dark = "".join(
        f"{selector}{{{';'.join(found)}}}"
        for selector, declarations in rules
        if (found := [one for one in declarations.split(";") if "var(" in one])
    )
    light = _coloured(style, LIGHT)
    return f"{light}@media (prefers-color-scheme:dark){{{_coloured(dark, DARK)}}}"


def _coloured(style: str, colours: Mapping[str, str]) -> str:
    return re.sub(r"var\(--chart-([a-z0-9-]+)\)", lambda found: colours[found[1]], style)


@cache
def _has_fonts() -> bool:
    """Whether text is visible in a picture; without a font it is silently left out."""
    import resvg_py

    text, nothing = (
        Chart("", "", 9, 9, el("text", letter, y=9)).to_svg("light") for letter in ("m", " ")
    )
    return resvg_py.svg_to_bytes(svg_string=text) != resvg_py.svg_to_bytes(svg_string=nothing)
