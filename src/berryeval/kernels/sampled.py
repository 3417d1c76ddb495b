"""Average precision and nDCG, estimated from a stratified sample of the pool.

The grades that kernels take may be `berryeval.core.strata.SampledGrade`. Documents without a
stratum form one of their own, of which every document was judged.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from berryeval.core.strata import Stratum
from berryeval.kernels.discounts import log2_ranks
from berryeval.kernels.gains import LINEAR, Gain, gains
from berryeval.kernels.relevance import NOT_IN_POOL

__all__ = [
    "Strata",
    "ideal_counts",
    "inferred_ndcg",
    "relevant_share",
    "stratified_average_precision",
]

_EPSILON = 1e-5
_THREE_EPSILONS = 3e-5


class Strata:
    """The strata of a query, in byte order of their names."""

    def __init__(self, grades: Sequence[float], judged: Sequence[float]) -> None:
        plain = [g for g in judged if g >= 0.0 and getattr(g, "stratum", None) is None]
        self._plain = Stratum(b"", len(plain), len(plain))
        found = {}
        for grade in (*judged, *grades):
            if grade != NOT_IN_POOL:
                stratum = self._stratum_of(grade)
                found[stratum.name] = stratum
        self.strata = [found[name] for name in sorted(found)]
        self.weights = [stratum.weight for stratum in self.strata]
        """The number of documents that each judged one of a stratum stands for."""
        self._places = {stratum.name: place for place, stratum in enumerate(self.strata)}

    def place_of(self, grade: float) -> int:
        """Return the position of the stratum of a document in the pool."""
        return self._places[self._stratum_of(grade).name]

    def estimate(self, counts: Sequence[int]) -> float:
        """Return the number of documents in the pool, given that of judged ones by stratum."""
        total = 0.0
        for weight, count in zip(self.weights, counts, strict=True):
            total += weight * count
        return total

    def _stratum_of(self, grade: float) -> Stratum:
        stratum: Stratum | None = getattr(grade, "stratum", None)
        return self._plain if stratum is None else stratum


def relevant_share(n_relevant: int, n_sampled: int) -> float:
    """Return the share of relevant documents, smoothed as in sample_eval.pl.

    It is a third if none was judged. With the smoothing of the paper, it would be a half.
    """
    return (n_relevant + _EPSILON) / (n_sampled + _THREE_EPSILONS)


def stratified_average_precision(
    grades: Sequence[float], judged: Sequence[float], k: int | None = None, level: float = 1.0
) -> float:
    """Average the precision expected at each judged relevant document.

    Each of them stands for a number of documents that follows from the sampling rate of its
    stratum. Above it, the documents of a stratum are assumed to be relevant as often as the judged
    ones among them are.
    The sum is divided by the estimated number of relevant documents.
    """
    strata = Strata(grades, judged)
    n_judged_relevant = [0] * len(strata.strata)
    for grade in judged:
        if grade >= level:
            n_judged_relevant[strata.place_of(grade)] += 1
    n_relevant = strata.estimate(n_judged_relevant)
    if not n_relevant > 0.0:
        return 0.0
    n_above, n_sampled, n_found = ([0] * len(strata.strata) for _ in range(3))
    total = 0.0
    for rank, grade in enumerate(grades[:k], start=1):
        if grade == NOT_IN_POOL:
            continue
        place = strata.place_of(grade)
        if grade >= level:
            relevant_above = 0.0
            for of_stratum, sampled, found in zip(n_above, n_sampled, n_found, strict=True):
                relevant_above += of_stratum * relevant_share(found, sampled)
            total += strata.weights[place] * ((1.0 + relevant_above) / rank)
            n_found[place] += 1
        n_above[place] += 1
        n_sampled[place] += grade >= 0.0
    return total / n_relevant


def inferred_ndcg(
    grades: Sequence[float], judged: Sequence[float], k: int | None = None, gain: Gain = LINEAR
) -> float:
    """Divide the estimated DCG of the ranking by that of the estimated ideal ranking.

    The retrieved documents of a stratum are assumed to gain as much, on average, as the judged ones
    among them do. The ideal ranking has as many documents of each gain as are estimated to be in
    the pool, rounded to whole numbers.
    """
    strata = Strata(grades, judged)
    n_pooled, n_sampled = ([0] * len(strata.strata) for _ in range(2))
    gained = [0.0] * len(strata.strata)
    first = grades[:k]
    discounts = log2_ranks(len(first))
    for grade, value, log2_rank in zip(first, gains(first, gain), discounts, strict=False):
        if grade != NOT_IN_POOL:
            place = strata.place_of(grade)
            n_pooled[place] += 1
            n_sampled[place] += grade >= 0.0
            gained[place] += value / log2_rank
    dcg = 0.0
    for pooled, sampled, value in zip(n_pooled, n_sampled, gained, strict=True):
        if sampled:
            dcg += pooled / sampled * value
    ideal = _ideal_dcg(strata, judged, k, gain)
    return dcg / ideal if ideal > 0.0 else 0.0


def ideal_counts(
    strata: Strata, judged: Sequence[float], gain: Gain = LINEAR
) -> Iterator[tuple[float, int]]:
    """Iterate over gains above 0, descending, with the estimated number of documents for each."""
    counts: dict[float, list[int]] = {}
    for grade, value in zip(judged, gains(judged, gain), strict=True):
        if value > 0.0:
            of_gain = counts.setdefault(value, [0] * len(strata.strata))
            of_gain[strata.place_of(grade)] += 1
    for value in sorted(counts, reverse=True):
        yield value, math.floor(strata.estimate(counts[value]) + 0.5)


def _ideal_dcg(strata: Strata, judged: Sequence[float], k: int | None, gain: Gain) -> float:
    total, rank = 0.0, 0
    for value, count in ideal_counts(strata, judged, gain):
        last = rank + count if k is None else min(rank + count, k)
        for log2_rank in log2_ranks(last)[rank:last]:
            total += value / log2_rank
        rank = last
    return total
