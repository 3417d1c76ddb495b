"""The colours and the manner of all charts.

A specification holds the colours of light pages. Each colour has one role, so that a drawing can
take the colours of dark pages, or the CSS variables of a page that is either.
"""

from __future__ import annotations

from typing import Any

from berryeval.core.printable import printable

__all__ = ["DARK", "LIGHT", "SERIES", "Spec", "chart"]

Spec = dict[str, Any]

LIGHT = {
    "ink": "#1f2328",
    "muted": "#5b6270",
    "grid": "#e4e6eb",
    "rule": "#8a919f",
    "baseline": "#8590a3",
    "candidate": "#93295e",
    "better": "#14776c",
    "worse": "#c14e0d",
    "equal": "#b4bac6",
    "margin": "#6a4fa3",
    "on-mark": "#fefefe",
    "series-2": "#2563a9",
    "series-3": "#9a6a05",
    "series-4": "#3f7a2e",
    "series-5": "#5a5fc4",
}
"""What each role looks like on a light page; no two are alike."""

DARK = {
    "ink": "#eceef2",
    "muted": "#a7adba",
    "grid": "#2c3038",
    "rule": "#737b8a",
    "baseline": "#8c96a8",
    "candidate": "#e887b6",
    "better": "#46c2ae",
    "worse": "#f6995a",
    "equal": "#4d5462",
    "margin": "#b7a0ec",
    "on-mark": "#15171c",
    "series-2": "#7ab2f0",
    "series-3": "#e0b34f",
    "series-4": "#8fcc7a",
    "series-5": "#a8abf7",
}

SERIES = ("candidate", "series-2", "series-3", "series-4", "series-5")
"""The roles of several candidates, in turn."""

_FONT = "-apple-system, 'Segoe UI', Roboto, 'Liberation Sans', Arial, sans-serif"


def chart(description: str, **parts: Any) -> Spec:  # noqa: ANN401 - as Vega-Lite has them
    """Return a Vega-Lite specification in the manner of all charts."""
    spec: Spec = {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "description": description,
        "background": None,
        "padding": 4,
        "autosize": {"type": "pad", "contains": "padding"},
        **parts,
        "config": {
            "aria": False,
            "font": _FONT,
            "view": {"stroke": None},
            "axis": {
                "labelColor": LIGHT["muted"],
                "titleColor": LIGHT["muted"],
                "labelFontSize": 12,
                "titleFontSize": 12,
                "titleFontWeight": "normal",
                "titlePadding": 10,
                "labelPadding": 6,
                "gridColor": LIGHT["grid"],
                "domain": False,
                "ticks": False,
            },
            "axisY": {"labelLimit": 220},
            "legend": {
                "labelColor": LIGHT["ink"],
                "labelFontSize": 12,
                "title": None,
                "orient": "top",
                "symbolType": "square",
                "symbolSize": 90,
                "offset": 12,
            },
            "text": {"color": LIGHT["ink"], "fontSize": 12},
        },
    }
    return {name: _printable(part) for name, part in spec.items()}


def _printable(part: Any) -> Any:  # noqa: ANN401 - any part of a specification
    if isinstance(part, str):
        return printable(part)
    if isinstance(part, list):
        return [_printable(item) for item in part]
    if isinstance(part, dict):
        return {name: _printable(item) for name, item in part.items()}
    return part
