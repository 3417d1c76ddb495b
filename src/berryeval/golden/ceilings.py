"""The best that any system can reach on a golden set."""

from __future__ import annotations

from collections.abc import Iterable

from berryeval.evaluation.ceilings import best_possible
from berryeval.evaluation.evaluate import MeasureLike
from berryeval.golden.golden_set import GoldenSet

__all__ = ["ceilings"]


def ceilings(golden: GoldenSet, measures: Iterable[MeasureLike]) -> dict[str, float]:
    """Return the best possible mean of each measure, at the level of relevance of the set."""
    return best_possible(golden.judgments, golden.at_level(measures), queries=golden.queries)
