"""The forest plot: mean differences with their intervals, and the margins they have to keep."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from berryeval.evaluation.figures import interval_text, percent, signed
from berryeval.evaluation.findings import WORDS, Finding
from berryeval.reports.charts.theme import LIGHT, Spec, chart

if TYPE_CHECKING:
    from berryeval.evaluation.comparison import Comparison, Difference

__all__ = ["forest_plot"]

_ROW = 34
_NARROW = 480

_MARGIN = "margin"

_ROLES: dict[Finding, str] = {
    "better": "better",
    "worse": "worse",
    "unclear": "rule",
    "untested": "muted",
}


def forest_plot(
    comparison: Comparison, margins: Mapping[str, float] | None = None, *, width: int = 640
) -> Spec:
    """Draw each difference over all queries as a point on its interval.

    Parameters
    ----------
    comparison : Comparison
    margins : mapping of str to float, optional
        By the name of a measure, the largest drop that is accepted (a rise where lower is
        better): a mark on its row.
    width : int
        Of the part with the marks. A narrow chart has no figures at its right.
    """
    level = comparison.statistics.level
    several = len(comparison.candidates) > 1
    rows = []
    for d in comparison.differences:
        low, high = (d.interval.low, d.interval.high) if d.interval else (d.mean, d.mean)
        shown = f"{signed(d.mean)}  {interval_text(d.interval) if d.interval else ''}".rstrip()
        name = str(d.measure)
        rows.append({
            "row": f"{d.system} · {name}" if several else name,
            "mean": d.mean,
            "low": low,
            "high": high,
            "finding": WORDS[d.finding],
            "text": shown.replace("-", "\u2212"),
            "margin": _limit(d, margins or {}),
        })  # fmt: skip
    y = {
        "field": "row",
        "type": "ordinal",
        "sort": [row["row"] for row in rows],
        "title": None,
        "axis": {"labelColor": LIGHT["ink"], "labelFontSize": 13, "labelPadding": 12},
    }
    has_margins = any(row["margin"] is not None for row in rows)
    is_tested = all(d.interval is not None for d in comparison.differences)
    colours = {
        WORDS[finding]: LIGHT[role]
        for finding, role in _ROLES.items()
        if finding != "untested" or not is_tested
    }
    if has_margins:
        colours[_MARGIN] = LIGHT["margin"]
    colour = {
        "field": "finding",
        "type": "nominal",
        "scale": {"domain": [*colours], "range": [*colours.values()]},
        "legend": {
            "symbolType": "circle",
            "columns": len(colours) if width >= _NARROW else 2,
            "columnPadding": 24,  # fonts of readers may be wider than the one measured here
        },
    }
    title = f"difference from {comparison.baseline}, {percent(level)} interval"
    x = {"field": "low", "type": "quantitative", "title": title, "axis": {"tickCount": 6}}
    layers: list[Spec] = [
        {
            "mark": {"type": "rule", "color": LIGHT["rule"], "strokeWidth": 1.5},
            "encoding": {"x": {"datum": 0}},
        },
        {
            "mark": {"type": "rule", "strokeWidth": 3, "strokeCap": "round"},
            "encoding": {"x": x, "x2": {"field": "high"}, "y": y, "color": colour},
        },
        {
            "mark": {"type": "point", "filled": True, "size": 110, "opacity": 1},
            "encoding": {
                "x": {"field": "mean", "type": "quantitative"},
                "y": y,
                "color": colour,
            },
        },
    ]
    if has_margins:
        layers.insert(1, {
            "transform": [{"filter": "datum.margin !== null"}],
            "mark": {"type": "tick", "thickness": 2.5, "size": 24, "opacity": 1},
            "encoding": {
                "x": {"field": "margin", "type": "quantitative"},
                "y": y,
                "color": {"datum": _MARGIN},
            },
        })  # fmt: skip
    if width >= _NARROW:
        layers.append({
            "mark": {"type": "text", "align": "left", "fontSize": 12, "color": LIGHT["ink"]},
            "encoding": {
                "x": {"value": width + 18},
                "y": y,
                "text": {"field": "text", "type": "nominal"},
            },
        })  # fmt: skip
    return chart(
        f"Differences from {comparison.baseline} with their intervals, by measure.",
        width=width,
        height={"step": _ROW},
        data={"values": rows},
        layer=layers,
    )


def _limit(difference: Difference, margins: Mapping[str, float]) -> float | None:
    """Return the difference that a margin allows; None without a margin."""
    margin = margins.get(str(difference.measure))
    if margin is None:
        return None
    return -margin if difference.measure.higher_is_better else margin
