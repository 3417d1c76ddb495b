"""Mean metrics of several systems, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from berryeval.reports.layout import Table

if TYPE_CHECKING:
    from berryeval.ranking import MeanMetrics

__all__ = ["means_table"]


def means_table(means: Mapping[str, MeanMetrics]) -> Table:
    """Lay out MRR, then recall, precision, nDCG and hit rate by k; a column a system."""
    systems = list(means.values())
    rows = [("MRR", *(f"{system['mrr']:.4f}" for system in systems))]
    for k in systems[0]["recall"]:
        rows += [
            (f"Recall@{k}", *(f"{system['recall'][k]:.4f}" for system in systems)),
            (f"Precision@{k}", *(f"{system['precision'][k]:.4f}" for system in systems)),
            (f"nDCG@{k}", *(f"{system['ndcg'][k]:.4f}" for system in systems)),
            (f"Hit rate@{k}", *(f"{system['hit_rate'][k]:.4f}" for system in systems)),
        ]
    counts = sorted({system["query_count"] for system in systems})
    queries = " and ".join("1 query" if count == 1 else f"{count} queries" for count in counts)
    return Table(
        title=f"Means over {queries}",
        header=("", *means),
        rows=tuple(rows),
    )
