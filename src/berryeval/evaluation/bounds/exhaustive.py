"""Measures without structure to make use of: every assignment is tried, if there are few."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from berryeval.evaluation.bounds._bounds import Bounds
from berryeval.evaluation.bounds.case import Case, Ranking
from berryeval.measures import Measure

__all__ = ["difference", "score"]

_MOST_ASSIGNMENTS = 1000


def score(measure: Measure, case: Case, ranking: Ranking) -> Bounds:
    """Score a ranking with every assignment; if there are too many, take the measure's range."""
    assignments = _assignments(measure, case)
    if assignments is None:
        return Bounds(*measure.bounds, is_outer=True)
    return Bounds.over(case.score(measure, ranking, given) for given in assignments)


def difference(
    measure: Measure, case: Case, baseline: Ranking, candidate: Ranking
) -> Bounds | None:
    """Score both rankings with every assignment; None if there are too many."""
    assignments = _assignments(measure, case)
    if assignments is None:
        return None
    return Bounds.over(
        case.score(measure, candidate, given) - case.score(measure, baseline, given)
        for given in assignments
    )


def _assignments(measure: Measure, case: Case) -> Iterator[dict[bytes, float]] | None:
    steps = case.steps if hasattr(measure, "gain") else [0.0, case.max_grade]
    if len(steps) ** len(case.holes) > _MOST_ASSIGNMENTS:
        return None
    return (
        dict(zip(case.holes, grades, strict=True))
        for grades in product(steps, repeat=len(case.holes))
    )
