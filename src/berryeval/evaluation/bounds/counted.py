"""Measures that count relevant documents: in the first k, and in all.

P, recall, F, success, their relatives of a whole ranking, and utility. With `found` and
`relevant` as the two counts, a hole in the first k adds 1 to both; a hole that only another
ranking has adds 1 to `relevant`. Each of these measures is monotonic in the number of holes of
either kind that are relevant, so its bounds are at a corner: all or none of each kind.

For a difference there are four kinds: holes in the first k of the candidate alone, of the
baseline alone, of both, of neither. If both rankings are equally long, the difference is one
fraction, which is monotonic in each kind. If they are not, and the measure divides by that
length, every number of holes of both and of neither is tried.

R-precision and precision at a multiple of R have a cutoff that grows with the relevant holes, so
every number of relevant holes is tried. For each number the cutoff is known, and which holes are
above it in which ranking: those that help become relevant first, then those that help neither or
both, and those that harm last.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from berryeval.evaluation.bounds.case import Bounds, Case, Family, Ranking, level_of
from berryeval.kernels.relevance import NOT_IN_POOL
from berryeval.measures import F1, FBeta, Measure, RelativePrecision, SetAveragePrecision, SetF

__all__ = ["COUNTED", "R_PRECISION"]

Ints = NDArray[np.int_]

_DIVIDED_BY_LENGTH = (F1, FBeta, RelativePrecision, SetAveragePrecision, SetF)

_MAX_COUNTS = 20_000


def _score(measure: Measure, case: Case, ranking: Ranking) -> Bounds:
    """Take all or none of the holes in the ranking, and all or none of the others."""
    level = level_of(measure)
    found = len(case.relevant_ranks(ranking, level))
    relevant = case.n_relevant(level)
    n_in = len(case.ranks(ranking))
    n_out = len(case.holes) - n_in
    return Bounds.over(
        _value(measure, len(ranking), found + more, relevant + more + others)
        for more, others in product({0, n_in}, {0, n_out})
    )


def _difference(
    measure: Measure, case: Case, baseline: Ranking, candidate: Ranking
) -> Bounds | None:
    """Take all or none of each kind of holes; None if too many numbers would have to be tried."""
    level = level_of(measure)
    found = len(case.relevant_ranks(candidate, level))
    baseline_found = len(case.relevant_ranks(baseline, level))
    relevant = case.n_relevant(level)
    of_candidate, of_baseline = case.ranks(candidate).keys(), case.ranks(baseline).keys()
    n_both = len(of_candidate & of_baseline)
    n_neither = len(case.holes) - len(of_candidate | of_baseline)
    is_fraction = len(candidate) == len(baseline) or measure.k is not None
    if is_fraction or not isinstance(measure, _DIVIDED_BY_LENGTH):
        shared = product({0, n_both}, {0, n_neither})
    elif (n_both + 1) * (n_neither + 1) <= _MAX_COUNTS:
        shared = product(range(n_both + 1), range(n_neither + 1))
    else:
        return None

    def values() -> Iterator[float]:
        corners = list(product({0, len(of_candidate) - n_both}, {0, len(of_baseline) - n_both}))
        for both, neither in shared:
            for ours, theirs in corners:
                total = relevant + both + neither + ours + theirs
                yield _value(measure, len(candidate), found + both + ours, total) - _value(
                    measure, len(baseline), baseline_found + both + theirs, total
                )

    return Bounds.over(values())


@lru_cache(maxsize=100_000)
def _value(measure: Measure, n_ranks: int, found: int, relevant: int) -> float:
    """Score any ranking with these counts: the order does not matter."""
    level = level_of(measure)
    return measure.score([level] * found + [NOT_IN_POOL] * (n_ranks - found), [level] * relevant)


COUNTED = Family(_score, _difference, is_binary=True)


def _r_precision_score(measure: Measure, case: Case, ranking: Ranking) -> Bounds:
    return _r_precision_difference(measure, case, (), ranking)


def _r_precision_difference(
    measure: Measure, case: Case, baseline: Ranking, candidate: Ranking
) -> Bounds:
    """Try every number of relevant holes."""
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
    judged = _count_to(case.relevant_ranks(candidate, level), cutoffs) - _count_to(
        case.relevant_ranks(baseline, level), cutoffs
    )
    most = np.minimum(n_chosen, n_ours) - np.maximum(n_chosen - (n_holes - n_theirs), 0)
    least = np.maximum(n_chosen - (n_holes - n_ours), 0) - np.minimum(n_chosen, n_theirs)
    divisors = np.maximum(cutoffs, 1)
    return Bounds(
        float(((judged + least) / divisors).min()), float(((judged + most) / divisors).max())
    )


def _cutoffs(measure: Measure, n_relevant: Ints) -> Ints:
    """Return the rank at which precision is computed: with `times`, rounded as the kernel does."""
    times = getattr(measure, "times", None)
    return n_relevant if times is None else (times * n_relevant + 0.9).astype(np.int_)


def _count_to(ranks: list[int], cutoffs: Ints) -> Ints:
    """Count the ranks down to each cutoff."""
    return np.searchsorted(np.sort(ranks), cutoffs, side="right")


R_PRECISION = Family(_r_precision_score, _r_precision_difference, is_binary=True)
