"""How much estimates of `berryeval.kernels.sampled` vary from one sample of the pool to the next.

The variance is the jackknife's for samples without replacement: each judged document in turn is
treated as unjudged, and the estimates without it are compared. The linear approximation, which is
usual for ratios, is too small by up to a half: near the top of a ranking, precision is estimated
from one or two judged documents.

These functions are called on request, and have no native twin. They return None if a stratum that
documents were retrieved from has no judged document.

References
----------
Yilmaz, Kanoulas and Aslam (2008), SIGIR, 603-610, who derive a variance from expectations.
Wolter (2007), Introduction to Variance Estimation, Springer, chapter 4.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import accumulate
from typing import NamedTuple

from berryeval.core.strata import Stratum
from berryeval.kernels.gains import LINEAR, Gain, gains
from berryeval.kernels.relevance import NOT_IN_POOL
from berryeval.kernels.sampled import Strata, relevant_share

__all__ = ["inferred_ndcg_variance", "stratified_average_precision_variance"]


class _Seen(NamedTuple):
    """The documents of one stratum in a ranking, down to some rank."""

    n_pooled: int = 0
    n_sampled: int = 0
    n_relevant: int = 0

    def plus(self, grade: float, level: float) -> _Seen:
        return _Seen(
            self.n_pooled + 1,
            self.n_sampled + (grade >= 0.0),
            self.n_relevant + (grade >= level),
        )

    def relevant(self) -> float:
        """Return the estimated number of relevant documents."""
        return self.n_pooled * relevant_share(self.n_relevant, self.n_sampled)

    def relevant_without(self, is_relevant: int) -> float:
        """Return the estimated number of relevant documents without one judgment."""
        share = relevant_share(self.n_relevant - is_relevant, self.n_sampled - 1)
        return self.n_pooled * share


class _Retrieved(NamedTuple):
    """A document of the pool, with the documents of each stratum above it."""

    rank: int
    grade: float
    place: int
    """Position of its stratum."""
    above: tuple[_Seen, ...]

    @property
    def precision(self) -> float:
        """The precision expected here if the document is relevant."""
        return (1.0 + math.fsum(seen.relevant() for seen in self.above)) / self.rank


def stratified_average_precision_variance(
    grades: Sequence[float], judged: Sequence[float], k: int | None = None, level: float = 1.0
) -> float | None:
    """Return the sampling variance of `stratified_average_precision`."""
    strata = Strata(grades, judged)
    n_relevant = Counter(strata.place_of(grade) for grade in judged if grade >= level)
    retrieved = list(_walk(strata, grades[:k], level))
    found = [document for document in retrieved if document.grade >= level]
    estimate = _PrecisionEstimate(strata, n_relevant, found)
    estimates: list[list[float]] = [[] for _ in strata.strata]
    # By the stratum of a document, whether it is relevant, and the stratum of those below it.
    below = [[estimate.no_change() for _ in range(2)] for _ in strata.strata]
    for document in reversed(retrieved):
        place, is_relevant = document.place, int(document.grade >= level)
        changes = [*below[place][is_relevant]]
        if is_relevant:
            changes[place] -= document.precision
            for other, seen in enumerate(document.above):
                for one in range(2) if seen.n_sampled else ():
                    change = seen.relevant_without(one) - seen.relevant()
                    below[other][one][place] += change / document.rank
        if document.grade >= 0.0:
            estimates[place].append(estimate.without(place, is_relevant, changes))
    missed = n_relevant - Counter(document.place for document in found)
    for place, stratum in enumerate(strata.strata):
        n_others = stratum.n_sampled - len(estimates[place]) - missed[place]
        estimates[place] += [estimate.without(place, 1)] * missed[place]
        estimates[place] += [estimate.without(place, 0)] * n_others
    return _jackknife(strata, estimates, estimate.without(None, 0))


class _PrecisionEstimate:
    """The estimate of average precision, and that without one judgment."""

    def __init__(
        self, strata: Strata, n_relevant: Mapping[int, int], found: Iterable[_Retrieved]
    ) -> None:
        self._strata = strata.strata
        self._n_relevant = n_relevant
        self._sums = self.no_change()
        for document in found:
            self._sums[document.place] += document.precision

    def no_change(self) -> list[float]:
        return [0.0] * len(self._strata)

    def without(
        self, place: int | None, is_relevant: int, changes: Sequence[float] | None = None
    ) -> float:
        """Return the estimate without a judgment, by which sums of precisions change."""
        total = n_relevant = 0.0
        for other, (stratum, own) in enumerate(zip(self._strata, self._sums, strict=True)):
            weight = _weight(stratum, n_less=other == place)
            total += weight * (own + (changes[other] if changes else 0.0))
            n_relevant += weight * (self._n_relevant[other] - is_relevant * (other == place))
        return _ratio(total, n_relevant)


def inferred_ndcg_variance(
    grades: Sequence[float], judged: Sequence[float], k: int | None = None, gain: Gain = LINEAR
) -> float | None:
    """Return the sampling variance of `inferred_ndcg`.

    Numbers of documents in the ideal ranking are not rounded: a single judgment would otherwise
    change them by a whole document, or not at all.
    """
    strata = Strata(grades, judged)
    first = grades[:k]
    seen: list[list[tuple[float, float]]] = [[] for _ in strata.strata]
    n_pooled = Counter(strata.place_of(grade) for grade in first if grade != NOT_IN_POOL)
    for rank, (grade, own) in enumerate(zip(first, gains(first, gain), strict=True), start=1):
        if grade >= 0.0:
            seen[strata.place_of(grade)].append((own, own / math.log2(rank + 1)))
    missed: list[Counter[float]] = [Counter() for _ in strata.strata]
    for grade, own in zip(judged, gains(judged, gain), strict=True):
        if grade >= 0.0:
            missed[strata.place_of(grade)][own] += 1
    n_judged = [counter.copy() for counter in missed]
    sums = [math.fsum(one for _, one in of_stratum) for of_stratum in seen]
    ideal_of = _IdealRanking(strata, n_judged, k)

    def dcg(place: int, less: float) -> float:
        """Return the DCG without one judged document with the given gain."""
        parts = []
        for other, of_stratum in enumerate(seen):
            n_left = len(of_stratum) - (other == place)
            gained = sums[other] - (less if other == place else 0.0)
            parts.append(n_pooled[other] / n_left * gained if n_left else 0.0)
        return math.fsum(parts)

    whole = dcg(-1, 0.0)
    estimates: list[list[float]] = [[] for _ in strata.strata]
    for place, of_stratum in enumerate(seen):
        for own, discounted in of_stratum:
            missed[place][own] -= 1
            estimates[place].append(_ratio(dcg(place, discounted), ideal_of.dcg(place, own)))
        for own, count in missed[place].items():
            estimates[place] += [_ratio(whole, ideal_of.dcg(place, own))] * count
    return _jackknife(strata, estimates, _ratio(whole, ideal_of.dcg(-1, 0.0)))


class _IdealRanking:
    """The DCG of the ideal ranking, and that without one judgment."""

    def __init__(self, strata: Strata, n_judged: Sequence[Counter[float]], k: int | None) -> None:
        self._strata = strata.strata
        self._n_judged = n_judged
        self._values = sorted({v for counts in n_judged for v in counts if v > 0.0}, reverse=True)
        # Without one of two judgments, a stratum is taken to have twice as many of the rest.
        n_ranks = 2 + sum(2 * stratum.n_pooled for stratum in strata.strata)
        last = n_ranks if k is None else min(n_ranks, k)
        discounts = (1.0 / math.log2(rank + 1) for rank in range(1, last + 1))
        self._sums = [0.0, *accumulate(discounts)]
        self.dcg = cache(self._dcg)

    def _dcg(self, place: int, less: float) -> float:
        last = before = total = 0.0
        for value in self._values:
            for other, stratum in enumerate(self._strata):
                is_less = other == place and value == less
                count = self._n_judged[other][value] - is_less
                last += _weight(stratum, n_less=other == place) * count
            total += value * (self._sum_to(last) - self._sum_to(before))
            before = last
        return total

    def _sum_to(self, rank: float) -> float:
        """Return the sum of discounts down to a rank, the last of which may count partly."""
        whole = int(rank)
        if whole + 1 >= len(self._sums):
            return self._sums[-1]
        return self._sums[whole] + (rank - whole) * (self._sums[whole + 1] - self._sums[whole])


def _walk(strata: Strata, grades: Sequence[float], level: float) -> Iterator[_Retrieved]:
    above = [_Seen()] * len(strata.strata)
    for rank, grade in enumerate(grades, start=1):
        if grade != NOT_IN_POOL:
            place = strata.place_of(grade)
            yield _Retrieved(rank, grade, place, tuple(above))
            above[place] = above[place].plus(grade, level)


def _weight(stratum: Stratum, *, n_less: int) -> float:
    n_left = stratum.n_sampled - n_less
    return stratum.n_pooled / n_left if n_left > 0 else 0.0


def _ratio(found: float, possible: float) -> float:
    return found / possible if possible > 0.0 else 0.0


def _jackknife(strata: Strata, estimates: Sequence[Sequence[float]], whole: float) -> float | None:
    """Return the variance, given the estimates without each judged document, by stratum.

    A stratum with a single judged document has no mean to deviate from. Instead, it contributes the
    change of the estimate without that document, which is too much rather than too little.
    """
    variances = []
    for stratum, without in zip(strata.strata, estimates, strict=True):
        n = stratum.n_sampled
        if n == 0:
            return None
        unseen = 1.0 - n / stratum.n_pooled
        mean = whole if n == 1 else math.fsum(without) / n
        squares = math.fsum((one - mean) ** 2 for one in without)
        variances.append(unseen * squares * (1.0 if n == 1 else (n - 1) / n))
    return math.fsum(variances)
