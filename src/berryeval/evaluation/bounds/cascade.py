"""Expected reciprocal rank: a reader who stops at a good document.

A better document anywhere makes it higher. A difference is linear in the probability that a hole
satisfies, the others being fixed, so it is extreme where each hole is worst or best. Holes that
only one of the rankings has help that one; the others are tried out.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from berryeval.evaluation.bounds._bounds import Bounds
from berryeval.evaluation.bounds._subsets import MOST_TRIED, membership
from berryeval.evaluation.bounds.case import Case, Ranking
from berryeval.measures import Measure

__all__ = ["difference", "score"]

Chances = dict[bytes, "float | NDArray[np.float64]"]
"""How likely each document is to satisfy: one number, or one a subset of the holes."""


def score(measure: Measure, case: Case, ranking: Ranking) -> Bounds:
    """Give every hole 0, or the highest grade."""
    best = dict.fromkeys(case.holes, case.max_grade)
    return Bounds(case.score(measure, ranking, case.nothing), case.score(measure, ranking, best))


def difference(
    measure: Measure, case: Case, baseline: Ranking, candidate: Ranking
) -> Bounds | None:
    """Try out the holes that both rankings have; None if those are too many."""
    of_candidate, of_baseline = case.ranks(candidate).keys(), case.ranks(baseline).keys()
    shared = of_candidate & of_baseline
    if len(shared) > MOST_TRIED:
        return None
    best = _chance(measure, case.max_grade)
    chances: Chances = {
        doc_id: _chance(measure, case.grades.get(doc_id, 0.0)) for doc_id in (*candidate, *baseline)
    }
    chances.update(zip(shared, best * membership(len(shared)), strict=True))
    only_ours: Chances = dict.fromkeys(of_candidate - shared, best)
    only_theirs: Chances = dict.fromkeys(of_baseline - shared, best)
    lowest = _values(candidate, chances) - _values(baseline, chances | only_theirs)
    highest = _values(candidate, chances | only_ours) - _values(baseline, chances)
    return Bounds(float(np.min(lowest)), float(np.max(highest)))


def _chance(measure: Measure, grade: float) -> float:
    """Return how likely a document of this grade is to satisfy: what it is worth at rank 1."""
    return measure.score([grade], [])


def _values(ranking: Ranking, chances: Chances) -> float | NDArray[np.float64]:
    """Return the value of a ranking for each subset of the holes."""
    going_on: float | NDArray[np.float64] = 1.0
    total: float | NDArray[np.float64] = 0.0
    for rank, doc_id in enumerate(ranking, start=1):
        chance = chances[doc_id]
        total = total + going_on * chance / rank
        going_on = going_on * (1.0 - chance)
    return total
