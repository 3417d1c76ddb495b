"""R-precision and precision at a multiple of R: the cutoff itself grows with the relevant holes.

So the number of relevant holes is counted through. For each number the cutoff is known, and which
holes are above it in which ranking: first those are relevant that help, then those that help
nobody or both, at last those that harm.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from berryeval.evaluation.bounds._bounds import Bounds
from berryeval.evaluation.bounds.case import Case, Ranking, level_of
from berryeval.measures import Measure

__all__ = ["difference", "score"]


def score(measure: Measure, case: Case, ranking: Ranking) -> Bounds:
    """Count through the relevant holes."""
    return difference(measure, case, (), ranking)


def difference(measure: Measure, case: Case, baseline: Ranking, candidate: Ranking) -> Bounds:
    """Count through the relevant holes."""
    level = level_of(measure)
    n_holes = len(case.holes)
    n_chosen = np.arange(n_holes + 1)
    cutoffs = _cutoffs(measure, case.n_relevant(level) + n_chosen)
    ranks, baseline_ranks = case.ranks(candidate), case.ranks(baseline)
    shared = [
        max(rank, baseline_ranks[hole]) for hole, rank in ranks.items() if hole in baseline_ranks
    ]
    n_shared = _count_to(shared, cutoffs)
    n_ours = _count_to(list(ranks.values()), cutoffs) - n_shared
    n_theirs = _count_to(list(baseline_ranks.values()), cutoffs) - n_shared
    judged = _count_to(_relevant_ranks(case, candidate, level), cutoffs) - _count_to(
        _relevant_ranks(case, baseline, level), cutoffs
    )
    most = np.minimum(n_chosen, n_ours) - np.maximum(n_chosen - (n_holes - n_theirs), 0)
    least = np.maximum(n_chosen - (n_holes - n_ours), 0) - np.minimum(n_chosen, n_theirs)
    divisors = np.maximum(cutoffs, 1)
    return Bounds(
        float(((judged + least) / divisors).min()), float(((judged + most) / divisors).max())
    )


def _cutoffs(measure: Measure, n_relevant: NDArray[np.int_]) -> NDArray[np.int_]:
    """Return the rank that precision is taken at: with `times`, rounded as the kernel does."""
    times = getattr(measure, "times", None)
    return n_relevant if times is None else (times * n_relevant + 0.9).astype(np.int_)


def _relevant_ranks(case: Case, ranking: Ranking, level: float) -> list[int]:
    return [i for i, grade in enumerate(case.seen(ranking, {}), start=1) if grade >= level]


def _count_to(ranks: list[int], cutoffs: NDArray[np.int_]) -> NDArray[np.int_]:
    """Count the ranks down to each cutoff."""
    return np.searchsorted(np.sort(ranks), cutoffs, side="right")
