"""Measures of two counts: relevant documents in the first k, and relevant documents in all.

P, recall, F, success, their relatives of a whole ranking, and utility. With `found` and
`relevant` as these counts, a hole in the first k adds 1 to both, one that another ranking
brought adds 1 to the second. Each of these measures rises (utility: rises or falls) all the way
with either kind of hole, so its bounds are at a corner: all or none of each kind.

For a difference there are four kinds: holes in the first k of the candidate alone, of the
baseline alone, of both, of neither. If both rankings are equally long the difference is one
fraction, which rises or falls all the way with each kind. If they are not, and the measure
divides by that length, holes of both and of neither are counted through.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import product

from berryeval.evaluation.bounds._bounds import Bounds
from berryeval.evaluation.bounds.case import Case, Ranking, level_of
from berryeval.kernels.relevance import NOT_IN_POOL
from berryeval.measures import F1, FBeta, Measure, RelativePrecision, SetAveragePrecision, SetF

__all__ = ["difference", "score"]

_DIVIDED_BY_LENGTH = (F1, FBeta, RelativePrecision, SetAveragePrecision, SetF)

_MOST_COUNTS = 20_000


def score(measure: Measure, case: Case, ranking: Ranking) -> Bounds:
    """Take all or none of the holes in the ranking, and all or none of the others."""
    level = level_of(measure)
    found = _count_found(case, ranking, level)
    relevant = case.n_relevant(level)
    n_in = len(case.ranks(ranking))
    n_out = len(case.holes) - n_in
    return Bounds.over(
        _value(measure, len(ranking), found + more, relevant + more + others)
        for more, others in product({0, n_in}, {0, n_out})
    )


def difference(
    measure: Measure, case: Case, baseline: Ranking, candidate: Ranking
) -> Bounds | None:
    """Take all or none of each kind of holes; None if too many had to be counted through."""
    level = level_of(measure)
    found = _count_found(case, candidate, level)
    baseline_found = _count_found(case, baseline, level)
    relevant = case.n_relevant(level)
    of_candidate, of_baseline = case.ranks(candidate).keys(), case.ranks(baseline).keys()
    n_both = len(of_candidate & of_baseline)
    n_neither = len(case.holes) - len(of_candidate | of_baseline)
    is_fraction = len(candidate) == len(baseline) or measure.k is not None
    if is_fraction or not isinstance(measure, _DIVIDED_BY_LENGTH):
        shared = product({0, n_both}, {0, n_neither})
    elif (n_both + 1) * (n_neither + 1) <= _MOST_COUNTS:
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


def _count_found(case: Case, ranking: Ranking, level: float) -> int:
    return sum(1 for grade in case.seen(ranking, {}) if grade >= level)


@lru_cache(maxsize=100_000)
def _value(measure: Measure, n_ranks: int, found: int, relevant: int) -> float:
    """Score any ranking with these counts: the order does not matter."""
    level = level_of(measure)
    return measure.score([level] * found + [NOT_IN_POOL] * (n_ranks - found), [level] * relevant)
