"""What became of each query, from the greatest loss to the greatest gain."""

from __future__ import annotations

from typing import TYPE_CHECKING

from berryeval.measures import Measure
from berryeval.reports.charts.theme import LIGHT, Spec, chart
from berryeval.reports.wording import count

if TYPE_CHECKING:
    from berryeval.evaluation.comparison import Comparison

__all__ = ["per_query_chart"]

_MOST_BARS = 320
_SIGNED = "datum.value === 0 ? '0' : format(datum.value, '+.3~f')"


def per_query_chart(
    comparison: Comparison, system: str, measure: Measure | str, *, width: int = 640
) -> Spec:
    """Draw the difference of each query, sorted: a bar each, or of many queries a sample.

    Of more than 320 queries, 320 are drawn at equal distances in their order, the first and the
    last among them.
    """
    difference = comparison.difference(system, measure)
    changes = comparison.changes(system, measure)
    n = len(changes)
    n_bars = min(n, _MOST_BARS, width)
    places = [round(i * (n - 1) / max(n_bars - 1, 1)) for i in range(n_bars)]
    share = n / n_bars
    bars = [
        {
            "from": i * share,
            "to": (i + 0.82 if n_bars < width / 4 else i + 1) * share,
            "value": changes[place].difference,
            "is": changes[place].outcome,
        }
        for i, place in enumerate(places)
        if changes[place].outcome != "equal"
    ]
    return chart(
        f"{difference.measure} of {system} minus {comparison.baseline} for "
        f"{count(n, 'query', 'queries')}, from the greatest loss to the greatest gain.",
        width=width,
        height=200,
        data={"values": bars},
        layer=[
            {
                "mark": {"type": "rect"},
                "encoding": {
                    "x": {
                        "field": "from",
                        "type": "quantitative",
                        "scale": {"domain": [0, n], "nice": False},
                        "title": f"{count(n, 'query', 'queries')}, sorted",
                        "axis": {"grid": False, "labels": False},
                    },
                    "x2": {"field": "to"},
                    "y": {
                        "field": "value",
                        "type": "quantitative",
                        "title": f"difference in {difference.measure}",
                        "axis": {"tickCount": 5, "labelExpr": _SIGNED},
                    },
                    "y2": {"datum": 0},
                    "color": {
                        "field": "is",
                        "type": "nominal",
                        "scale": {
                            "domain": ["better", "worse"],
                            "range": [LIGHT["better"], LIGHT["worse"]],
                        },
                    },
                },
            },
            {
                "mark": {"type": "rule", "color": LIGHT["rule"], "strokeWidth": 1.5},
                "encoding": {"y": {"datum": 0}},
            },
        ],
    )
