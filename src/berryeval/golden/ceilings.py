"""The best that any system can reach on a golden set."""

from __future__ import annotations

from collections.abc import Iterable

from berryeval.core.run import Run
from berryeval.evaluation.evaluate import MeasureLike, evaluate
from berryeval.golden.golden_set import GoldenSet

__all__ = ["ceilings"]


def ceilings(golden: GoldenSet, measures: Iterable[MeasureLike]) -> dict[str, float]:
    """Return the mean of each measure over ideal rankings: all judged chunks, best first.

    P@5 cannot reach 1 where queries have fewer than five relevant chunks, nor R@10 where they
    have more than ten. Measures are taken at the level of relevance of the set; those that are
    better when lower are left out.
    """
    chosen = [measure for measure in golden.at_level(measures) if measure.higher_is_better]
    grades = golden.judgments.to_dict()
    if not grades or not chosen:
        return {}
    ideal = {
        query_id: sorted(own, key=lambda chunk_id: -own[chunk_id])
        for query_id, own in grades.items()
    }
    result = evaluate(golden.judgments, Run.from_lists(ideal), chosen)
    return {name: measured.mean for name, measured in result.items()}
