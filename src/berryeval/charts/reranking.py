"""The best that a reranker can reach, by the number of documents it sees."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from berryeval.charts.chart import Chart
from berryeval.charts.cutoffs import number_lines
from berryeval.charts.theme import SERIES

if TYPE_CHECKING:
    from berryeval.evaluation.evaluate import MeasureLike
    from berryeval.evaluation.reranking import RerankingCeiling

__all__ = ["reranking_curves"]


def reranking_curves(
    ceilings: Mapping[str, RerankingCeiling],
    measure: MeasureLike | None = None,
    *,
    width: int = 640,
) -> Chart:
    """Draw the best possible mean against the depth of reranking, one line per run.

    Depth 1 is the unchanged run. The axis is logarithmic.

    Parameters
    ----------
    ceilings : mapping of str to RerankingCeiling
        Ceilings, by the name of the run.
    measure : Measure or str, optional
        Default: the first measure of the first run.
    width : int
        Width in pixels.
    """
    name = next(iter(ceilings.values())).name_of(measure)
    lines = {system: [*ceiling.means(name).items()] for system, ceiling in ceilings.items()}
    kinds = {system: f"s-{SERIES[i % len(SERIES)]}" for i, system in enumerate(lines)}
    return number_lines(
        lines,
        kinds,
        f"best possible mean {name}",
        along="documents reranked",
        title=f"Best possible mean {name} by documents reranked",
        width=width,
        place=math.log10,
    )
