"""One measure at several cutoffs: how it grows with k."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from typing import TYPE_CHECKING

from berryeval.measures import Measure
from berryeval.reports.charts.theme import LIGHT, SERIES, Spec, chart

if TYPE_CHECKING:
    from berryeval.evaluation.comparison import Comparison

__all__ = ["cutoff_families", "measure_by_k"]


def cutoff_families(measures: Iterable[Measure]) -> list[tuple[Measure, ...]]:
    """Return the measures that differ in k only, by rising k; those with one k are left out."""
    families: dict[tuple[object, ...], list[Measure]] = {}
    for measure in measures:
        if measure.k is not None:
            others = (getattr(measure, field.name) for field in fields(measure)
                      if field.name != "k")  # fmt: skip
            families.setdefault((type(measure), *others), []).append(measure)
    return [
        tuple(sorted(family, key=lambda measure: measure.k or 0))
        for family in families.values()
        if len(family) > 1
    ]


def measure_by_k(comparison: Comparison, family: tuple[Measure, ...], *, width: int = 640) -> Spec:
    """Draw the means of one measure against its cutoff, a line for each system.

    Parameters
    ----------
    comparison : Comparison
    family : tuple of Measure
        One of `cutoff_families`.
    width : int
    """
    name = str(family[0]).rpartition("@")[0]
    systems = list(comparison.evaluations)
    roles = {comparison.baseline: "baseline"}
    for i, system in enumerate(comparison.candidates):
        roles[system] = SERIES[i % len(SERIES)]
    values = [
        {"k": measure.k, "system": system, "mean": run[str(measure)].mean}
        for system, run in comparison.evaluations.items()
        for measure in family
    ]
    means = [
        run[str(measure)].mean for run in comparison.evaluations.values() for measure in family
    ]
    return chart(
        f"Mean {name}@k against k, by system.",
        width=width,
        height=180,
        data={"values": values},
        mark={"type": "line", "strokeWidth": 2.5, "point": {"size": 60, "filled": True}},
        encoding={
            "x": {
                "field": "k",
                "type": "quantitative",
                "title": "k",
                "scale": {"nice": False, "zero": False, "padding": 16},
                "axis": {"values": [measure.k for measure in family], "grid": False,
                         "format": "d"},
            },
            "y": {
                "field": "mean",
                "type": "quantitative",
                "title": f"mean {name}@k",
                "scale": {"domain": [min(0.0, *means), max(means)], "nice": True},
                "axis": {"tickCount": 5},
            },
            "color": {
                "field": "system",
                "type": "nominal",
                "scale": {
                    "domain": systems,
                    "range": [LIGHT[roles[system]] for system in systems],
                },
                "legend": {"symbolType": "circle"},
            },
        },
    )  # fmt: skip
