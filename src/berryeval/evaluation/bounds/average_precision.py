"""Average precision, its geometric mean, and its logarithm yaap.

All are made of two numbers: the sum of the precisions at the relevant documents, and the number
of relevant documents. If j holes of a ranking are relevant, the sum is highest with the topmost
and lowest with the lowest j; holes outside of the ranking only add to the number. So a score is
extreme where the top j holes are relevant and no others, or the bottom j and all others.

For a difference the subsets of the holes are tried out. The sum is a quadratic form of which
holes are relevant: two relevant documents add 1 / rank of the lower one.
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
from berryeval.measures import Measure, Yaap

__all__ = ["AVERAGE_PRECISION"]

Floats = NDArray[np.float64]


class _PrecisionSum:
    """The sum of the precisions of a ranking, and what its holes can add to it."""

    def __init__(self, case: Case, ranking: Ranking, level: float) -> None:
        grades = np.array(case.seen(ranking, {}))
        self.ranks = case.ranks(ranking)
        places = np.array([*self.ranks.values()], dtype=np.intp) - 1
        inverse = 1.0 / np.arange(1, len(grades) + 1)
        is_relevant = grades >= level
        n_found = np.cumsum(is_relevant)
        self.judged = _total(n_found[is_relevant] * inverse[is_relevant])
        self.inverse = inverse[places]
        """1 / rank of each hole, from the top."""
        below = np.cumsum(np.where(is_relevant, inverse, 0.0)[::-1])[::-1]
        self.alone = (n_found[places] + 1) * self.inverse + below[places]
        """The amount that each hole adds if it is the only relevant one."""

    def topmost(self) -> Floats:
        """Return the sums with the top 0, 1, 2, … holes relevant."""
        n_above = np.arange(len(self.inverse))
        return self._running(self.alone + n_above * self.inverse)

    def lowest(self) -> Floats:
        """Return the sums with the bottom 0, 1, 2, … holes relevant."""
        upwards = self.inverse[::-1]
        return self._running(self.alone[::-1] + np.cumsum(upwards) - upwards)

    def _running(self, added: Floats) -> Floats:
        return np.concatenate([[self.judged], self.judged + np.cumsum(added)])

    def of_subsets(self, holes: list[bytes]) -> Floats:
        """Return the sum for each subset of these holes, in the order of `membership`."""
        alone = dict(zip(self.ranks, self.alone, strict=True))
        inverse = np.array([1.0 / self.ranks.get(hole, np.inf) for hole in holes])
        total = np.array([self.judged])
        for j, hole in enumerate(holes):
            # Together with another hole it adds 1 / rank of the lower one.
            with_others = np.zeros(2**j)
            for other, is_in in zip(inverse[:j], membership(j), strict=True):
                with_others += min(other, inverse[j]) * is_in
            total = np.concatenate([total, total + alone.get(hole, 0.0) + with_others])
        return total


def _total(values: Floats) -> float:
    """Add up in the given order, which np.sum does not."""
    return float(np.add.accumulate(values)[-1]) if len(values) else 0.0


def _score(measure: Measure, case: Case, ranking: Ranking) -> Bounds:
    """Make the top j or the bottom j holes relevant, for each j."""
    level = level_of(measure)
    sums = _PrecisionSum(case, ranking, level)
    n_relevant = case.n_relevant(level) + np.arange(len(sums.ranks) + 1.0)
    n_others = len(case.holes) - len(sums.ranks)
    worst = _values(measure, sums.lowest(), n_relevant + n_others)
    best = _values(measure, sums.topmost(), n_relevant)
    return Bounds(float(worst.min()), float(best.max()))


def _difference(
    measure: Measure, case: Case, baseline: Ranking, candidate: Ranking
) -> Bounds | None:
    """Try out all subsets of the holes in either ranking; None if there are too many.

    Holes in neither make every difference smaller, or every one greater: all or none of them.
    """
    level = level_of(measure)
    ours, theirs = (_PrecisionSum(case, ranking, level) for ranking in (candidate, baseline))
    holes = sorted(ours.ranks.keys() | theirs.ranks.keys())
    if len(holes) > MAX_TRIED:
        return None
    n_relevant = case.n_relevant(level) + np.count_nonzero(membership(len(holes)), axis=0)
    sums, baseline_sums = ours.of_subsets(holes), theirs.of_subsets(holes)
    differences = [
        _values(measure, sums, n_relevant + more)
        - _values(measure, baseline_sums, n_relevant + more)
        for more in {0, len(case.holes) - len(holes)}
    ]
    return Bounds(
        min(float(found.min()) for found in differences),
        max(float(found.max()) for found in differences),
    )


def _values(measure: Measure, sums: Floats, n_relevant: Floats) -> Floats:
    """Return the measure for each sum and number of relevant documents; 0 where there is none."""
    if isinstance(measure, Yaap):
        return np.log((1.0 + sums) / (1.0 + n_relevant - sums))
    return sums / np.maximum(n_relevant, 1)


AVERAGE_PRECISION = Family(_score, _difference, is_binary=True)
