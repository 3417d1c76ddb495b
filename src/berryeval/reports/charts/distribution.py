"""How the scores of queries are spread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from berryeval.measures import Measure
from berryeval.reports.charts.theme import LIGHT, Spec, chart

if TYPE_CHECKING:
    from berryeval.evaluation.comparison import Comparison

__all__ = ["score_distribution"]

_N_BINS = 10


def score_distribution(
    comparison: Comparison, system: str, measure: Measure | str, *, width: int = 640
) -> Spec:
    """Count the queries of the baseline and of a candidate in ten ranges of their scores."""
    name = str(comparison.difference(system, measure).measure)
    columns = {}
    for run in (comparison.baseline, system):
        scores = comparison.evaluations[run][name].by_query
        columns[run] = [scores[query_id] for query_id in comparison.query_ids]
    low, high = _range([value for column in columns.values() for value in column])
    size = (high - low) / _N_BINS
    values = []
    for position, (run, column) in enumerate(columns.items()):
        counts = [0] * _N_BINS
        for value in column:
            counts[min(int((value - low) / size), _N_BINS - 1)] += 1
        values += [
            {
                "from": low + (i + 0.08 + 0.42 * position) * size,
                "to": low + (i + 0.5 + 0.42 * position) * size,
                "system": run,
                "queries": n,
            }
            for i, n in enumerate(counts)
        ]
    return chart(
        f"How many queries have which {name}, {comparison.baseline} beside {system}.",
        width=width,
        height=180,
        data={"values": values},
        mark={"type": "rect", "cornerRadius": 1},
        encoding={
            "x": {
                "field": "from",
                "type": "quantitative",
                "scale": {"domain": [low, high], "nice": False},
                "title": name,
                "axis": {"grid": False, "tickCount": 5},
            },
            "x2": {"field": "to"},
            "y": {
                "field": "queries",
                "type": "quantitative",
                "title": "queries",
                "axis": {"tickCount": 4, "format": ",d"},
            },
            "y2": {"datum": 0},
            "color": {
                "field": "system",
                "type": "nominal",
                "scale": {
                    "domain": list(columns),
                    "range": [LIGHT["baseline"], LIGHT["candidate"]],
                },
            },
        },
    )


def _range(values: list[float]) -> tuple[float, float]:
    """Return 0 and 1 where all scores lie between; else the lowest and the highest."""
    low, high = min(values), max(values)
    if low >= 0 and high <= 1:
        return 0.0, 1.0
    return (low, high) if high > low else (low, low + 1)
