"""The colours and the manner of all charts."""

from __future__ import annotations

from typing import Any

__all__ = ["LIGHT", "SERIES", "Spec", "chart"]

Spec = dict[str, Any]

LIGHT = {
    "ink": "#1f2328",
    "muted": "#5b6270",
    "grid": "#e4e6eb",
    "rule": "#8a919f",
    "candidate": "#93295e",
    "worse": "#c14e0d",
    "series-2": "#2563a9",
    "series-3": "#9a6a05",
    "series-4": "#3f7a2e",
    "series-5": "#5a5fc4",
}
"""What each role looks like on a light page; no two are alike."""

SERIES = ("candidate", "series-2", "series-3", "series-4", "series-5")
"""The roles of several lines, in turn."""


def chart(description: str, **parts: Any) -> Spec:  # noqa: ANN401 - as Vega-Lite has them
    """Return a Vega-Lite specification in the manner of all charts."""
    axis = {"labelColor": LIGHT["muted"], "titleColor": LIGHT["muted"], "gridColor": LIGHT["grid"]}
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "description": description,
        "background": None,
        **parts,
        "config": {
            "view": {"stroke": None},
            "axis": {
                **axis,
                "titleFontWeight": "normal",
                "domain": False,
                "ticks": False,
                "labelPadding": 6,
            },
            "legend": {"labelColor": LIGHT["ink"], "title": None, "orient": "top"},
        },
    }
