"""Bounds of the differences of a comparison over all grades of unjudged documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from berryeval.core.id_column import encode_id
from berryeval.core.judgments import Judgments
from berryeval.core.run import Run
from berryeval.evaluation.bounds import Bounds, difference_bounds, has_bounds, holes_of
from berryeval.evaluation.comparison import Difference
from berryeval.evaluation.deciding import Floats
from berryeval.evaluation.findings import ROUNDING
from berryeval.evaluation.holes import highest_grade
from berryeval.evaluation.slices import Slice
from berryeval.measures import Measure, depth_of
from berryeval.stats.moments import means_of

__all__ = ["bound_differences", "is_bounded", "mean_bounds", "remove_rounding"]


def bound_differences(
    differences: Sequence[Difference],
    judgments: Judgments,
    rounds: Sequence[Mapping[str, Run]],
    baseline: str,
    query_ids: Sequence[str],
    positions_of: Mapping[Slice, Sequence[int]],
    max_grade: float | None,
) -> list[Difference]:
    """Return the differences with their bounds, where their measures have some.

    The holes of a query are those of all runs compared. If systems were run several times, there
    are several rounds, and the bounds are the means of theirs, which are valid but may be wider
    than necessary. A geometric mean has no bounds.
    """
    measures = list(dict.fromkeys(d.measure for d in differences if is_bounded(d.measure)))
    grade = highest_grade(judgments) if max_grade is None else max_grade
    depth = depth_of(measures) if measures else 0
    found: dict[tuple[str, Measure], list[Bounds]] = {}
    for query_id in map(encode_id, query_ids):
        grades = judgments.grades_of(query_id)
        by_round: dict[tuple[str, Measure], list[Bounds]] = {}
        for runs in rounds:
            rankings = {name: run.ranked_ids(query_id, depth) for name, run in runs.items()}
            before = rankings.pop(baseline)
            for measure in measures:
                holes = holes_of((before, *rankings.values()), grades, measure.k)
                for system, after in rankings.items():
                    bounds = difference_bounds(measure, before, after, grades, holes, grade)
                    assert bounds is not None
                    by_round.setdefault((system, measure), []).append(bounds)
        for key, several in by_round.items():
            found.setdefault(key, []).append(mean_bounds(several))
    return [
        _bounded(difference, found.get((difference.system, difference.measure)), positions_of)
        for difference in differences
    ]


def mean_bounds(several: Sequence[Bounds]) -> Bounds:
    """Return the bounds of a mean of differences, by those of each."""
    if len(several) == 1:
        return several[0]
    low, high = means_of(np.array([(bounds.low, bounds.high) for bounds in several])).tolist()
    return Bounds(low, high, is_outer=True)


def remove_rounding(ends: Floats, differences: Floats) -> None:
    """Set ends that differ by rounding only to 0, or to the differences that they are ends of.

    A difference that no hole can change is both ends, bit for bit.
    """
    ends[np.abs(ends) < ROUNDING] = 0.0
    np.copyto(ends, differences, where=np.abs(ends - differences) < ROUNDING)


def is_bounded(measure: Measure) -> bool:
    """Return whether the mean of a measure has bounds; a geometric one has none."""
    return has_bounds(measure) and measure.aggregate != "geometric"


def _bounded(
    difference: Difference,
    by_query: Sequence[Bounds] | None,
    positions_of: Mapping[Slice, Sequence[int]],
) -> Difference:
    if by_query is None:
        return difference
    if difference.slice is not None:
        by_query = [by_query[position] for position in positions_of[difference.slice]]
    low, high = np.array([(bounds.low, bounds.high) for bounds in by_query]).T.copy()
    for ends in (low, high):
        remove_rounding(ends, difference.values)
    whole = Bounds(
        difference.sampling.mean_over(low),
        difference.sampling.mean_over(high),
        any(bounds.is_outer for bounds in by_query),
    )
    return replace(difference, bounds=whole, extremes=(low, high))
