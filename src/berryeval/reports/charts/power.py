"""The power curve: the smallest drop that can be ruled out, by the number of queries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from berryeval.reports.charts.theme import LIGHT, SERIES, Spec, chart

if TYPE_CHECKING:
    from berryeval.evaluation.power import Sensitivity

__all__ = ["power_chart"]


def power_chart(found: Sensitivity, *, width: int = 560, height: int = 320) -> Spec:
    """Draw a line for each spread of differences, and where the set stands now."""
    names = [
        "measured" if spread.correlation is None else f"correlation {spread.correlation:g}, assumed"
        for spread in found.spreads
    ]
    rows = [
        {"spread": name, "queries": n, "drop": drop}
        for name, spread in zip(names, found.spreads, strict=True)
        for n, drop in spread.curve
    ]
    colour = {
        "field": "spread",
        "type": "nominal",
        "scale": {"domain": names, "range": [LIGHT[role] for role in SERIES[: len(names)]]},
    }
    x = {
        "field": "queries",
        "type": "quantitative",
        "scale": {"type": "log"},
        "title": "queries",
        "axis": {"values": [10, 20, 50, 100, 200, 500, 1000]},
    }
    y = {"field": "drop", "type": "quantitative", "title": f"smallest drop of {found.measure}"}
    layers: list[Spec] = [
        {
            "mark": {"type": "line", "strokeWidth": 2.5},
            "encoding": {"x": x, "y": y, "color": colour},
        },
        {
            "transform": [{"filter": f"datum.queries == {found.n_queries}"}],
            "mark": {"type": "point", "filled": True, "size": 110, "opacity": 1},
            "encoding": {"x": x, "y": y, "color": colour},
        },
    ]
    description = (
        f"The smallest drop of {found.measure} that can be ruled out, by the number of queries; "
        f"points mark the {found.n_queries} queries there are."
    )
    return chart(description, width=width, height=height, data={"values": rows}, layer=layers)
