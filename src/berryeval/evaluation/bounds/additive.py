"""Measures to which each document adds an amount of its own: DCG, IDCG, RBP, and counts.

Nothing else depends on a hole, so each takes the grade that helps or harms most.
"""

from __future__ import annotations

from functools import lru_cache

from berryeval.evaluation.bounds.case import Bounds, Case, Family, Ranking
from berryeval.kernels.relevance import NOT_IN_POOL
from berryeval.measures import Measure

__all__ = ["ADDITIVE", "IDEAL"]


def _score(measure: Measure, case: Case, ranking: Ranking) -> Bounds:
    return _difference(measure, case, (), ranking)


def _difference(measure: Measure, case: Case, baseline: Ranking, candidate: Ranking) -> Bounds:
    """Add the least and the most that each hole can add to the candidate beyond the baseline."""
    low = high = _judged_amount(measure, case, candidate) - _judged_amount(measure, case, baseline)
    ranks, baseline_ranks = case.ranks(candidate), case.ranks(baseline)
    for hole in ranks.keys() | baseline_ranks.keys():
        rank, baseline_rank = ranks.get(hole), baseline_ranks.get(hole)
        amounts = [
            _amount(measure, rank, grade) - _amount(measure, baseline_rank, grade)
            for grade in case.steps
        ]
        low += min(amounts)
        high += max(amounts)
    return Bounds(low, high)


def _judged_amount(measure: Measure, case: Case, ranking: Ranking) -> float:
    return measure.score(case.seen(ranking, {}), case.judged) if ranking else 0.0


@lru_cache(maxsize=100_000)
def _amount(measure: Measure, rank: int | None, grade: float) -> float:
    """Return the amount that a document of this grade adds at a rank; 0 if it is not retrieved."""
    if rank is None:
        return 0.0
    return measure.score([NOT_IN_POOL] * (rank - 1) + [grade], [grade])


ADDITIVE = Family(_score, _difference)


def _ideal_score(measure: Measure, case: Case, ranking: Ranking) -> Bounds:
    """Give all holes the same grade: the ideal ranking gains more, the more each hole does."""
    return Bounds.over(
        case.score(measure, ranking, dict.fromkeys(case.holes, grade)) for grade in case.steps
    )


IDEAL = Family(_ideal_score, lambda *_: Bounds(0.0, 0.0))
"""Rankings of one query have the same ideal, so that it never differs."""
