"""nDCG and NCG: the gain of a ranking, divided by that of the ideal one.

Let the gains that a hole may have be a0 < a1 < … < aL, and S1 >= S2 >= … >= SL the numbers of
holes that gain at least a1, a2, … aL. These numbers determine the ideal, whose gain is a sum of
terms of one S each. Among the assignments with the same numbers, the numerator is highest with the
highest gains where the weights are highest, and is such a sum, too.

So for any q the highest numerator - q denominator is found level by level; and the highest
quotient by raising q to the quotient found there, until it rises no more (Dinkelbach 1967,
Management Science 13(7), 492-498). That is exact for any number of holes, and takes a few rounds.
The lowest quotient is the highest for weights of the other sign. For a difference a hole's weight
is that of its rank in the candidate minus that in the baseline: both share the ideal.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, pairwise

from berryeval.evaluation.bounds.case import Bounds, Case, Family, Ranking
from berryeval.kernels.discounts import log2_ranks
from berryeval.kernels.gains import LINEAR, gains
from berryeval.measures import NDCG, Measure

__all__ = ["GAIN_RATIO"]


def _score(measure: Measure, case: Case, ranking: Ranking) -> Bounds:
    """Find the lowest and the highest quotient; rounding never lifts it above 1."""
    found = _difference(measure, case, (), ranking)
    return Bounds(min(found.low, 1.0), min(found.high, 1.0))


def _difference(measure: Measure, case: Case, baseline: Ranking, candidate: Ranking) -> Bounds:
    """Find the lowest and the highest difference of two quotients."""
    ideal = _Ideal(measure, case)
    if not ideal.can_gain:
        return Bounds(0.0, 0.0)
    judged_gain = 0.0
    weights = dict.fromkeys(case.holes, 0.0)
    for ranking, sign in ((candidate, 1.0), (baseline, -1.0)):
        gained = _gains(measure, case.seen(ranking, {}))
        at_ranks = _weights(isinstance(measure, NDCG), len(ranking))
        for doc_id, gain, weight in zip(ranking, gained, at_ranks, strict=True):
            if doc_id in weights:
                weights[doc_id] += sign * weight
            else:
                judged_gain += sign * gain * weight
    rising = sorted(weights.values())
    low = -_highest(ideal, -judged_gain, [-weight for weight in rising])
    high = _highest(ideal, judged_gain, rising[::-1])
    # With nothing to gain the value is 0, which is not a quotient.
    return Bounds(min(low, 0.0), max(high, 0.0)) if ideal.can_be_nothing else Bounds(low, high)


class _Ideal:
    """The gains that a hole may have, and what the ideal ranking gains on each level of them."""

    def __init__(self, measure: Measure, case: Case) -> None:
        judged = sorted(gain for gain in _gains(measure, case.judged) if gain > 0.0)
        self.gains = _extreme_gains(sorted({*_gains(measure, case.steps)}), {0.0, *judged})
        self.n_holes = len(case.holes)
        self.can_gain = bool(judged) or self.gains[-1] > 0.0
        self.can_be_nothing = self.can_gain and not judged and self.gains[0] <= 0.0
        self.least = [  # how many holes must reach a level for an ideal to exist
            int(self.can_be_nothing and (lower <= 0.0)) for lower, _ in pairwise(self.gains)
        ]
        totals = _totals(isinstance(measure, NDCG), measure.k, len(judged) + self.n_holes)
        self.fixed = 0.0
        self.on_levels = [[0.0] * (self.n_holes + 1) for _ in self.gains]
        """For each level, the gain there, by the number of holes that reach it."""
        for lower, gain in pairwise(sorted({0.0, *judged, *self.gains})):
            if gain <= 0.0:
                continue
            n_judged = len(judged) - bisect_left(judged, gain)
            level = bisect_left(self.gains, gain)
            if level == len(self.gains):  # no hole gains as much
                self.fixed += (gain - lower) * totals[n_judged]
            else:
                above = totals[n_judged : n_judged + self.n_holes + 1]
                self.on_levels[level] = [
                    gained + (gain - lower) * total
                    for gained, total in zip(self.on_levels[level], above, strict=True)
                ]
        self.fixed += self.on_levels[0][-1]  # every hole reaches the lowest level
        self.on_levels = self.on_levels[1:]


def _highest(ideal: _Ideal, judged_gain: float, falling: Sequence[float]) -> float:
    """Return the highest quotient; `falling` has the weights of the holes, highest first."""
    weights = [0.0, *accumulate(falling)]
    fixed = judged_gain + ideal.gains[0] * weights[-1]
    on_levels = [
        [(gain - lower) * weight for weight in weights] for lower, gain in pairwise(ideal.gains)
    ]

    def quotient_of(counts: Sequence[int]) -> float:
        gained, possible = fixed, ideal.fixed
        for n, ours, ideals in zip(counts, on_levels, ideal.on_levels, strict=True):
            gained += ours[n]
            possible += ideals[n]
        return gained / possible

    highest = quotient_of(ideal.least)
    while True:
        quotient = quotient_of(_best_counts(ideal, on_levels, highest))
        if not quotient > highest:
            return highest
        highest = quotient


def _best_counts(ideal: _Ideal, on_levels: Sequence[Sequence[float]], quotient: float) -> list[int]:
    """Return how many holes reach each level where gain - quotient x ideal is highest."""
    n_holes = ideal.n_holes
    carried = [0.0] * (n_holes + 1)  # the best of the levels above, if at most n holes reach them
    choices = []
    for least, ours, ideals in zip(
        ideal.least[::-1], on_levels[::-1], ideal.on_levels[::-1], strict=True
    ):
        best, n_best = float("-inf"), least
        choice = [n_best] * (n_holes + 1)
        for n, (gained, possible) in enumerate(zip(ours, ideals, strict=True)):
            value = gained - quotient * possible + carried[n]
            if value > best and n >= least:
                best, n_best = value, n
            carried[n] = best
            choice[n] = n_best
        choices.append(choice)
    counts = []
    n = n_holes
    for choice in reversed(choices):
        n = choice[n]
        counts.append(n)
    return counts


def _extreme_gains(possible: Sequence[float], judged: set[float]) -> list[float]:
    """Omit gains that cannot be extreme, of a scale with many.

    Holes of one gain can be moved up or down together. Until they meet a judged gain, numerator
    and denominator change in proportion, so one of the directions makes nothing worse.
    """
    thresholds = sorted(judged)
    gaps: dict[int, list[float]] = {}
    for gain in possible:
        if gain not in judged:
            gaps.setdefault(bisect_left(thresholds, gain), []).append(gain)
    ends = {end for gap in gaps.values() for end in (gap[0], gap[-1])}
    return [gain for gain in possible if gain in judged or gain in ends]


def _gains(measure: Measure, grades: Sequence[float]) -> list[float]:
    return gains(grades, getattr(measure, "gain", LINEAR), getattr(measure, "rel", 0.0))


def _weights(is_discounted: bool, n_ranks: int) -> list[float]:
    """Return the weight of a gain at each rank."""
    if is_discounted:
        return [1.0 / log2_rank for log2_rank in log2_ranks(n_ranks)[:n_ranks]]
    return [1.0] * n_ranks


@lru_cache(maxsize=1024)
def _totals(is_discounted: bool, k: int | None, n_documents: int) -> list[float]:
    """Return the sum of the weights of the first 0, 1, 2, … `n_documents` ranks, up to k."""
    n_ranks = n_documents if k is None else min(k, n_documents)
    totals = [0.0, *accumulate(_weights(is_discounted, n_ranks))]
    return totals + totals[-1:] * (n_documents - n_ranks)


GAIN_RATIO = Family(_score, _difference)
