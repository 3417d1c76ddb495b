"""Charts of results, drawn as SVG without a library: for pages, files and notebooks.

Every function returns a `Chart`; its `to_svg` returns text, and its `to_png` a picture.

Each module draws one kind of chart from plain rows or points. The functions listed here extract
them from a `Comparison`, or from the result of `sensitivity` or `tune_fusion`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from berryeval._lazy import loader_of

if TYPE_CHECKING:
    from berryeval.charts.chart import Chart
    from berryeval.charts.cutoffs import cutoff_families, measure_by_k
    from berryeval.charts.disagreement import heat_map
    from berryeval.charts.distribution import score_distribution
    from berryeval.charts.forest import forest_plot
    from berryeval.charts.power import power_chart
    from berryeval.charts.queries import per_query_chart
    from berryeval.charts.reranking import reranking_curves
    from berryeval.charts.settings import SettingsPoint, settings_chart
    from berryeval.charts.slices import wins_by_slice
    from berryeval.charts.weights import weights_chart

__all__ = [
    "Chart",
    "SettingsPoint",
    "cutoff_families",
    "forest_plot",
    "heat_map",
    "measure_by_k",
    "per_query_chart",
    "power_chart",
    "reranking_curves",
    "score_distribution",
    "settings_chart",
    "weights_chart",
    "wins_by_slice",
]

_HOMES = {
    "Chart": "chart",
    "SettingsPoint": "settings",
    "cutoff_families": "cutoffs",
    "forest_plot": "forest",
    "heat_map": "disagreement",
    "measure_by_k": "cutoffs",
    "per_query_chart": "queries",
    "power_chart": "power",
    "reranking_curves": "reranking",
    "score_distribution": "distribution",
    "settings_chart": "settings",
    "weights_chart": "weights",
    "wins_by_slice": "slices",
}

__getattr__ = loader_of(__name__, {name: f"{__name__}.{module}" for name, module in _HOMES.items()})
