"""The colours of pages, each a CSS variable that follows the theme."""

from __future__ import annotations

from berryeval.charts.theme import DARK, LIGHT

__all__ = ["colour_rules"]

_COLOURS = {
    "page": ("#fbfbfc", "#101216"),
    "surface": ("#ffffff", "#181b20"),
    "line": ("#e4e6eb", "#2c3038"),
    "ink": ("#1f2328", "#eceef2"),
    "muted": ("#5b6270", "#a7adba"),
    "accent": ("#93295e", "#e887b6"),
    "pass": ("#0f6b5f", "#58d1bc"),
    "pass-soft": ("#e2f4f0", "#12302c"),
    "fail": ("#a8281c", "#ff9a8f"),
    "fail-soft": ("#fcebe9", "#3a1a18"),
    "unsure": ("#7a5200", "#ecc15f"),
    "unsure-soft": ("#fbf1da", "#332813"),
}
"""Of the page: for light and for dark."""


def colour_rules() -> str:
    """Return the CSS that gives every colour its name, those of charts as ``--chart-…``."""
    pairs = {**_COLOURS, **{f"chart-{role}": (LIGHT[role], DARK[role]) for role in LIGHT}}
    plain = "".join(f"--{name}:{light};" for name, (light, _) in pairs.items())
    both = "".join(f"--{name}:light-dark({a},{b});" for name, (a, b) in pairs.items())
    return f":root{{{plain}}}@supports (color:light-dark(#000,#fff)){{:root{{{both}}}}}\n"
