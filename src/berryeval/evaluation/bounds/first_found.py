"""Reciprocal rank: only the first relevant document counts."""

from __future__ import annotations

from berryeval.evaluation.bounds._bounds import Bounds
from berryeval.evaluation.bounds.case import Case, Ranking, level_of
from berryeval.measures import Measure

__all__ = ["difference", "score"]


def score(measure: Measure, case: Case, ranking: Ranking) -> Bounds:
    """Make no hole relevant, or the first one."""
    judged = _best_judged(measure, case, ranking)
    best = max((1.0 / rank for rank in case.ranks(ranking).values()), default=0.0)
    return Bounds(judged, max(judged, best))


def difference(measure: Measure, case: Case, baseline: Ranking, candidate: Ranking) -> Bounds:
    """Make no hole relevant, or a single one: any more can only help the other ranking."""
    ours, theirs = (_best_judged(measure, case, ranking) for ranking in (candidate, baseline))
    ranks, baseline_ranks = case.ranks(candidate), case.ranks(baseline)
    differences = [ours - theirs]
    for hole in ranks.keys() | baseline_ranks.keys():
        found = max(ours, 1.0 / ranks[hole]) if hole in ranks else ours
        baseline_found = (
            max(theirs, 1.0 / baseline_ranks[hole]) if hole in baseline_ranks else theirs
        )
        differences.append(found - baseline_found)
    return Bounds.over(differences)


def _best_judged(measure: Measure, case: Case, ranking: Ranking) -> float:
    level = level_of(measure)
    ranks = (i for i, grade in enumerate(case.seen(ranking, {}), start=1) if grade >= level)
    return 1.0 / next(ranks, float("inf"))
