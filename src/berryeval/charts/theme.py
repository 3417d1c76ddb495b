"""The colours of all charts, by role; in pages, they are the variables ``--chart-ROLE``."""

from __future__ import annotations

__all__ = ["DARK", "LIGHT", "SERIES"]

LIGHT = {
    "paper": "#ffffff",
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

DARK = {
    "paper": "#181b20",
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
"""The roles of several lines, in turn."""
