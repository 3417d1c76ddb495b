"""Wins, ties and losses, over all queries and by slice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from berryeval.measures import Measure
from berryeval.reports.charts.theme import LIGHT, Spec, chart

if TYPE_CHECKING:
    from berryeval.evaluation.comparison import Comparison

__all__ = ["wins_by_slice"]

_LEAST_SHARE = 0.07
"""Of a bar that has room for its number."""


def wins_by_slice(
    comparison: Comparison, system: str, measure: Measure | str, *, width: int = 640
) -> Spec:
    """Draw for all queries and each slice which share is worse, equal and better."""
    all_queries = comparison.difference(system, measure)
    found = [all_queries] + [
        part
        for part in comparison.sliced
        if (part.system, part.measure) == (system, all_queries.measure)
    ]
    outcomes = ("worse", "equal", "better")
    values = []
    for part in found:
        name = "all queries" if part.slice is None else str(part.slice)
        start = 0.0
        for outcome, n in zip(outcomes, (part.losses, part.ties, part.wins), strict=True):
            share = n / part.n_queries
            values.append({
                "slice": f"{name} ({part.n_queries:,})",
                "outcome": outcome,
                "from": start,
                "to": start + share,
                "middle": start + share / 2,
                "label": f"{n:,}" if share >= _LEAST_SHARE else "",
            })  # fmt: skip
            start += share
    y = {
        "field": "slice",
        "type": "ordinal",
        "sort": None,
        "title": None,
        "axis": {"labelColor": LIGHT["ink"], "labelPadding": 12},
        "scale": {"paddingInner": 0.36, "paddingOuter": 0.1},
    }
    return chart(
        f"Queries for which {system} is worse, equal and better in {all_queries.measure}, "
        "by slice.",
        width=width,
        height={"step": 34},
        data={"values": values},
        layer=[
            {
                "mark": {"type": "bar"},
                "encoding": {
                    "x": {
                        "field": "from",
                        "type": "quantitative",
                        "title": "share of queries",
                        "scale": {"domain": [0, 1]},
                        "axis": {"format": "%", "tickCount": 5},
                    },
                    "x2": {"field": "to"},
                    "y": y,
                    "color": {
                        "field": "outcome",
                        "type": "nominal",
                        "scale": {
                            "domain": list(outcomes),
                            "range": [LIGHT[outcome] for outcome in outcomes],
                        },
                    },
                },
            },
            {
                "transform": [{"filter": "datum.outcome !== 'equal'"}],
                "mark": {"type": "text", "color": LIGHT["on-mark"], "fontWeight": 600},
                "encoding": {
                    "x": {"field": "middle", "type": "quantitative"},
                    "y": y,
                    "text": {"field": "label", "type": "nominal"},
                },
            },
            {
                "transform": [{"filter": "datum.outcome === 'equal'"}],
                "mark": {"type": "text", "color": LIGHT["ink"], "fontWeight": 600},
                "encoding": {
                    "x": {"field": "middle", "type": "quantitative"},
                    "y": y,
                    "text": {"field": "label", "type": "nominal"},
                },
            },
        ],
    )
