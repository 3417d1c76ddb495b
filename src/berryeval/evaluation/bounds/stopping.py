"""Expected reciprocal rank and reciprocal rank: a reader who stops at a good document.

Reciprocal rank counts the first relevant document alone: no hole is relevant, or a single one,
since any more can only help the other ranking.

A better document anywhere raises expected reciprocal rank. A difference is linear in the
probability that a hole satisfies, if the others are fixed, so it is extreme where each hole is
worst or best. Holes that only one of the rankings has help that one; the others are tried out.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from berryeval.evaluation.bounds.case import (
    MAX_TRIED,
    Bounds,
    Case,
    Family,
    Ranking,
    level_of,
    membership,
)
from berryeval.measures import Measure

__all__ = ["CASCADE", "FIRST_RELEVANT"]

Chances = dict[bytes, "float | NDArray[np.float64]"]
"""The probability that each document satisfies: one number, or one per subset of the holes."""


def _cascade_score(measure: Measure, case: Case, ranking: Ranking) -> Bounds:
    """Give every hole 0, or the highest grade."""
    best = dict.fromkeys(case.holes, case.max_grade)
    return Bounds(case.score(measure, ranking, case.nothing), case.score(measure, ranking, best))


def _cascade_difference(
    measure: Measure, case: Case, baseline: Ranking, candidate: Ranking
) -> Bounds | None:
    """Try out the holes that both rankings have; None if there are too many."""
    of_candidate, of_baseline = case.ranks(candidate).keys(), case.ranks(baseline).keys()
    shared = of_candidate & of_baseline
    if len(shared) > MAX_TRIED:
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
    """Return the probability that a document of this grade satisfies: its value at rank 1."""
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


CASCADE = Family(_cascade_score, _cascade_difference)


def _first_score(measure: Measure, case: Case, ranking: Ranking) -> Bounds:
    judged = _best_judged(measure, case, ranking)
    best = max((1.0 / rank for rank in case.ranks(ranking).values()), default=0.0)
    return Bounds(judged, max(judged, best))


def _first_difference(
    measure: Measure, case: Case, baseline: Ranking, candidate: Ranking
) -> Bounds:
    ours, theirs = (_best_judged(measure, case, ranking) for ranking in (candidate, baseline))
    ranks, baseline_ranks = case.ranks(candidate), case.ranks(baseline)
    differences = [ours - theirs]
    for hole in ranks.keys() | baseline_ranks.keys():
        found = max(ours, 1.0 / ranks.get(hole, float("inf")))
        baseline_found = max(theirs, 1.0 / baseline_ranks.get(hole, float("inf")))
        differences.append(found - baseline_found)
    return Bounds.over(differences)


def _best_judged(measure: Measure, case: Case, ranking: Ranking) -> float:
    ranks = case.relevant_ranks(ranking, level_of(measure))
    return 1.0 / ranks[0] if ranks else 0.0


FIRST_RELEVANT = Family(_first_score, _first_difference, is_binary=True)
