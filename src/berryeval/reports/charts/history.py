"""A measure over time, a line for each run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from berryeval.reports.charts.theme import LIGHT, SERIES, Spec, chart
from berryeval.reports.history import look_sentence

if TYPE_CHECKING:
    from datetime import datetime, timedelta

    from berryeval.suite.history import History
    from berryeval.suite.trends import Trend

__all__ = ["history_chart", "trends_chart"]

_ENOUGH_DAYS = 8
"""From here on no two ticks fall on one day."""


def history_chart(history: History, measure: str | None = None, *, width: int = 640) -> Spec:
    """Draw a measure over time, and where it declined.

    Parameters
    ----------
    history : History
        What `berryeval.suite.history.read` returned.
    measure : str, optional
        As in `History.trends`.
    width : int
        In pixels.
    """
    return trends_chart(history.trends(measure), width=width)


def trends_chart(trends: Sequence[Trend], *, width: int = 640) -> Spec:
    """Draw series over time; lines break where judgments or queries changed."""
    measure = trends[0].measure
    values = [row for trend in trends for row in _rows(trend)]
    start, length = _span_of(trends)
    for row in values:
        row["is_late"] = row["time"] > _iso(start + length / 2)
    names = list(dict.fromkeys(row["series"] for row in values))
    colours = [LIGHT[SERIES[i % len(SERIES)]] for i in range(len(names))]
    x = {
        "field": "time",
        "type": "temporal",
        "title": None,
        "scale": {"type": "utc", "padding": 12},
        "axis": {
            "grid": False,
            "tickCount": 6,
            "format": "%Y-%m-%d" if length.days >= _ENOUGH_DAYS else "%m-%d %H:%M",
        },
    }
    y = {
        "field": "mean",
        "type": "quantitative",
        "title": f"mean {measure}",
        "scale": {"zero": False, "nice": True, **_room_around([row["mean"] for row in values])},
        "axis": {"tickCount": 5},
    }
    color = {
        "field": "series",
        "type": "nominal",
        "scale": {"domain": names, "range": colours},
        "legend": None if trends[0].run is None else {"symbolType": "circle"},
    }
    layers = [
        {
            "mark": {"type": "line", "strokeWidth": 2.5},
            "encoding": {"x": x, "y": y, "color": color, "detail": {"field": "stretch"}},
        },
        {
            "mark": {"type": "point", "size": 60, "filled": True, "opacity": 1},
            "encoding": {"x": x, "y": y, "color": color},
        },
        *_starts(values, x),
        *_declines(values, x, y),
    ]
    return chart(
        _description(measure, trends),
        width=width,
        height=220,
        data={"values": values},
        layer=layers,
    )


def _rows(trend: Trend) -> list[dict[str, Any]]:
    stretch = 0
    rows = []
    for point in trend.points:
        stretch += point.starts_anew
        rows.append(
            {
                "time": _iso(point.entry.time),
                "series": trend.run or "all runs",
                "stretch": stretch,
                "mean": point.mean,
                "note": point.entry.note or "",
                "starts_anew": point.starts_anew,
                "mark": "alarm" if point.is_alarm else point.decline,
            }
        )
    return rows


def _span_of(trends: Sequence[Trend]) -> tuple[datetime, timedelta]:
    """Return when the series begin, and how long they last."""
    times = [point.entry.time for trend in trends for point in trend.points]
    return min(times), max(times) - min(times)


def _room_around(means: Sequence[float]) -> Spec:
    """Return a domain for means that are all alike, which span none of their own."""
    low, high = min(means), max(means)
    return {"domain": [low - 0.05, high + 0.05]} if low == high else {}


def _iso(time: datetime) -> str:
    return time.isoformat(timespec="seconds").replace("+00:00", "Z")


def _starts(values: Sequence[dict[str, Any]], x: Spec) -> list[Spec]:
    """Draw a dashed line where judgments or queries changed."""
    if not any(row["starts_anew"] for row in values):
        return []
    rule = {"type": "rule", "strokeDash": [4, 4], "color": LIGHT["rule"]}
    label = {
        "type": "text",
        "text": "judgments or queries changed",
        "color": LIGHT["muted"],
        "y": 0,
        "baseline": "top",
        "align": {"expr": "datum.is_late ? 'right' : 'left'"},
        "dx": {"expr": "datum.is_late ? -5 : 5"},
    }
    only_starts = [{"filter": "datum.starts_anew"}]
    return [
        {"transform": only_starts, "mark": mark, "encoding": {"x": x}} for mark in (rule, label)
    ]


def _declines(values: Sequence[dict[str, Any]], x: Spec, y: Spec) -> list[Spec]:
    """Draw a ring and a label at each decline and each alarm."""
    if not any(row["mark"] for row in values):
        return []
    ring = {"type": "point", "size": 260, "strokeWidth": 2.5, "opacity": 1,
            "color": LIGHT["worse"]}  # fmt: skip
    # A line that declines leaves room above it to the right, and below it to the left.
    label = {
        "type": "text",
        "text": {"expr": "datum.mark"},
        "color": LIGHT["worse"],
        "fontWeight": "bold",
        "align": {"expr": "datum.is_late ? 'right' : 'left'"},
        "dx": {"expr": "datum.is_late ? -14 : 12"},
        "dy": {"expr": "datum.is_late ? 4 : -12"},
    }
    only_declines = [{"filter": "datum.mark != null"}]
    places = {"x": x, "y": y}
    return [
        {"transform": only_declines, "mark": mark, "encoding": places} for mark in (ring, label)
    ]


def _description(measure: str, trends: Sequence[Trend]) -> str:
    sentences = [f"Mean {measure} over time."]
    sentences += [
        f"{look.entries[-1].run}: {look_sentence(look)}"
        for trend in trends
        for look in trend.declines
    ]
    return " ".join(sentences)
