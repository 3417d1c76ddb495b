"""Whether unjudged documents could turn a comparison."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from berryeval.core.id_column import encode_id
from berryeval.evaluation.bounds import difference_bounds, has_bounds, holes_of
from berryeval.evaluation.comparison import ROUNDING
from berryeval.evaluation.holes import highest_grade
from berryeval.measures import Measure
from berryeval.service.workbench.comparisons import Compared
from berryeval.stats import paired_t

__all__ = ["MOST_QUERIES", "Turning", "turning"]

MOST_QUERIES = 1_000
"""With holes in more queries than so many nobody waits for the bounds: some ms each."""


@dataclass(frozen=True)
class Turning:
    """What unjudged documents could make of a difference."""

    n_queries: int
    """With a hole in either run, as deep as the measure looks."""
    n_holes: int
    low: float | None
    """The lowest mean difference that grades of holes could make; None if not worked out."""
    high: float | None
    outcomes: tuple[str, ...]
    """Which findings they could make of it, at the comparison's level and uncorrected."""

    @property
    def is_known(self) -> bool:
        """Whether the bounds were worked out."""
        return self.low is not None

    @property
    def could_turn(self) -> bool:
        """Whether they could make another finding of it."""
        return len(set(self.outcomes)) > 1


def turning(compared: Compared, measure: Measure) -> Turning:
    """Work out between which values a mean difference lies, whatever holes are worth.

    Only queries with holes take time. A geometric mean, and a measure without bounds, is not
    worked out, nor are more than a thousand queries.
    """
    before, after = compared.n_holes(measure)
    places = np.flatnonzero((before > 0) | (after > 0)).tolist()
    comparison = compared.comparison
    runs = [comparison.runs[name] for name in compared.names]
    values = compared.difference(measure).values
    low, high = values.copy(), values.copy()
    n_holes = 0
    is_bounded = has_bounds(measure) and measure.aggregate != "geometric"
    can_wait = len(places) <= MOST_QUERIES
    if not (is_bounded and can_wait):
        return Turning(len(places), int(np.maximum(before, after).sum()), None, None, ())
    grade = highest_grade(comparison.judgments)
    for place in places:
        query_id = encode_id(comparison.query_ids[place])
        grades = comparison.judgments.grades_of(query_id)
        old, new = (run.ranked_ids(query_id, measure.k) for run in runs)
        holes = holes_of((old, new), grades, measure.k)
        n_holes += len(holes)
        bounds = difference_bounds(measure, old, new, grades, holes, grade)
        assert bounds is not None
        low[place], high[place] = bounds.low, bounds.high
    outcomes = tuple(_finding(ends, measure, compared) for ends in (values, low, high))
    return Turning(len(places), n_holes, float(low.mean()), float(high.mean()), outcomes)


def _finding(values: np.ndarray, measure: Measure, compared: Compared) -> str:
    p_value = paired_t(np.where(np.abs(values) < ROUNDING, 0.0, values)).p_value
    if p_value is None or p_value > 1 - compared.comparison.statistics.level:
        return "unclear"
    return "better" if (values.mean() > 0) == measure.higher_is_better else "worse"
