"""Charts as Vega-Lite specifications: one for the page, a notebook and a file.

A specification is a dict and needs no library; `drawing` makes pictures of it.
"""

from berryeval.reports.charts.cutoffs import cutoff_families, measure_by_k
from berryeval.reports.charts.distribution import score_distribution
from berryeval.reports.charts.drawing import to_png, to_svg
from berryeval.reports.charts.forest import forest_plot
from berryeval.reports.charts.queries import per_query_chart
from berryeval.reports.charts.slices import wins_by_slice

__all__ = [
    "cutoff_families",
    "forest_plot",
    "measure_by_k",
    "per_query_chart",
    "score_distribution",
    "to_png",
    "to_svg",
    "wins_by_slice",
]
