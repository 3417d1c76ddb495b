"""The reader behind a measure, as numbers: the C/W/L view.

C(i) is the probability of continuing from rank i to the next, W(i) the weight of rank i in an
average over the documents seen, and L(i) the probability that rank i is the last one seen.

References
----------
Moffat, Bailey, Scholer and Thomas (2017), ACM TOIS 35(3), 24:1-24:38. Azzopardi, Thomas and Moffat
(2019), SIGIR, 1321-1324.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import accumulate
from operator import add
from typing import Any

from berryeval.core.grade import check_grade
from berryeval.errors import ArgumentError, InputTypeError
from berryeval.kernels.relevance import NOT_IN_POOL, without_unjudged
from berryeval.kernels.user_models import MAX_RANKS, scaled_gain
from berryeval.measures._base import Measure
from berryeval.measures.parse import parse_measure
from berryeval.measures.precision import Precision
from berryeval.measures.rank_biased_precision import RankBiasedPrecision
from berryeval.measures.reciprocal_rank import ReciprocalRank
from berryeval.measures.user_models import (
    INSQ,
    INST,
    NERR8,
    NERR9,
    NERR10,
    NERR11,
    BejeweledPlayerModel,
    ReaderMeasure,
    ScaledDCG,
)

__all__ = ["UserModel", "user_model"]

_ROUNDING = 1e-12
"""How far rounding may miss a goal, as a share of the goal."""

Continuation = Callable[[Any, Sequence[float]], list[float]]
"""Takes a measure and the gains of all its ranks; returns the probability of continuing at each.
The reader stops at the last rank, whatever it returns there."""


@dataclass(frozen=True)
class UserModel:
    """What a reader does with one ranking; values per rank are in order, from rank 1.

    Examples
    --------
    >>> model = user_model("NERR8(max_grade=2)@3", [1, 0, 2])
    >>> model.continuation
    (0.5, 1.0, 0.0)
    >>> model.weights
    (0.5, 0.25, 0.25)
    >>> model.expected_documents, model.expected_utility, model.expected_total_utility
    (2.0, 0.5, 1.0)
    """

    measure: Measure
    gains: tuple[float, ...] = field(repr=False)
    """What each document is worth to the reader, from 0 to 1."""
    continuation: tuple[float, ...] = field(repr=False)
    """The probability of continuing from each rank to the next."""
    seen: tuple[float, ...] = field(repr=False)
    """The probability of looking at each rank."""
    weights: tuple[float, ...] = field(repr=False)
    """The share of each rank among all documents seen."""
    stopping: tuple[float, ...] = field(repr=False)
    """The probability that each rank is the last one seen."""
    expected_documents: float
    """How many documents the reader is expected to look at."""
    expected_utility: float
    """The expected gain per document seen: the value of the measure."""
    expected_total_utility: float
    """The expected gain of all documents seen."""
    expected_cost: float
    """The expected cost per document seen."""
    expected_total_cost: float
    """The expected cost of all documents seen."""


def user_model(
    measure: Measure | type[Measure] | str,
    grades: Iterable[float | None],
    costs: Iterable[float] | None = None,
) -> UserModel:
    """Return what the reader behind a measure does with one ranking.

    Parameters
    ----------
    measure : Measure, class of measures or str
        BPM, INSQ, INST, SDCG, NERR8, NERR9, NERR10, NERR11, P@k, RR or RBP.
    grades : iterable of float or None
        The grade of each document, best rank first; None, or a number below 0, for an unjudged
        document.
    costs : iterable of float, optional
        What it costs to look at each document, such as seconds or tokens, at least 0. Ranks after
        the last document cost the mean of these. Default: 1 each.

    Returns
    -------
    UserModel

    Raises
    ------
    ArgumentError
        If the measure has no user model, or the numbers of costs and grades differ.

    Notes
    -----
    Measures without a cutoff look at up to 1,000 ranks, except RBP, whose reader never stops for
    certain: its `stopping` adds up to less than 1.

    AP and nDCG have no such reader: the weight of a rank depends on documents below it, or on those
    that were not retrieved.

    Examples
    --------
    >>> model = user_model("P@2", [1, 0, 1], costs=[30, 90, 10])
    >>> model
    UserModel(measure=Precision(k=2, rel=1.0), expected_documents=2.0, expected_utility=0.5, \
expected_total_utility=1.0, expected_cost=60.0, expected_total_cost=120.0)
    """
    chosen = parse_measure(measure) if isinstance(measure, str) else measure
    if isinstance(chosen, type) and issubclass(chosen, Measure):
        chosen = chosen()
    if not isinstance(chosen, Measure):
        raise InputTypeError("measure", "a measure or its name", type(measure).__name__)
    continues = _READERS.get(type(chosen))
    if continues is None or (isinstance(chosen, Precision) and chosen.k is None):
        known = ", ".join(kind.name for kind in _READERS)
        raise ArgumentError("measure", f"one with a user model ({known} at a cutoff)", str(chosen))
    judged = [NOT_IN_POOL if grade is None else check_grade(grade, "grades") for grade in grades]
    prices = _checked_costs(costs, len(judged))
    if chosen.judged_only:
        prices = [cost for cost, grade in zip(prices, judged, strict=True) if grade >= 0.0]
        judged = without_unjudged(judged)
    n_ranks = _n_ranks(chosen, len(judged))
    gains = [_gain(chosen, grade) for grade in judged[:n_ranks]]
    gains += [0.0] * (n_ranks - len(gains))
    if chosen.k is not None:
        gains[chosen.k :] = [0.0] * len(gains[chosen.k :])
    return _model(chosen, gains, continues(chosen, gains), prices)


def _model(
    measure: Measure, gains: list[float], continuation: list[float], costs: list[float]
) -> UserModel:
    goes_on_for_ever = isinstance(measure, RankBiasedPrecision)
    if not goes_on_for_ever:
        continuation[-1] = 0.0
    seen = [1.0]
    for probability in continuation[:-1]:
        seen.append(seen[-1] * probability)
    down_here = _total(seen)
    documents = 1.0 / (1.0 - measure.p) if isinstance(measure, RankBiasedPrecision) else down_here
    utility = _total(gain * chance for gain, chance in zip(gains, seen, strict=True))
    mean_cost = _total(costs) / len(costs) if costs else 1.0
    padded = [*costs[: len(seen)], *[mean_cost] * (len(seen) - len(costs))]
    cost = _total(price * chance for price, chance in zip(padded, seen, strict=True))
    cost += (documents - down_here) * mean_cost
    return UserModel(
        measure=measure,
        gains=tuple(gains),
        continuation=tuple(continuation),
        seen=tuple(seen),
        weights=tuple(chance / documents for chance in seen),
        stopping=tuple(s * (1.0 - c) for s, c in zip(seen, continuation, strict=True)),
        expected_documents=documents,
        expected_utility=utility / documents,
        expected_total_utility=utility,
        expected_cost=cost / documents,
        expected_total_cost=cost,
    )


def _checked_costs(costs: Iterable[float] | None, n_documents: int) -> list[float]:
    if costs is None:
        return [1.0] * n_documents
    found = [check_grade(cost, "costs") for cost in costs]
    if len(found) != n_documents:
        raise ArgumentError("costs", f"one for each of {n_documents} grades", f"{len(found)}")
    if found and min(found) < 0.0:
        raise ArgumentError("costs", "numbers of at least 0", f"{min(found):g}")
    return found


def _n_ranks(measure: Measure, n_documents: int) -> int:
    """Return the number of ranks that the model covers."""
    if isinstance(measure, ReaderMeasure):
        return min(measure.k or MAX_RANKS, MAX_RANKS)
    if isinstance(measure, RankBiasedPrecision):
        return max(n_documents, MAX_RANKS)
    return measure.k or max(n_documents, 1)


def _gain(measure: Measure, grade: float) -> float:
    if isinstance(measure, ReaderMeasure):
        return scaled_gain(grade, measure.min_grade, measure.max_grade)
    if isinstance(measure, RankBiasedPrecision) and measure.max_grade is not None:
        return min(grade / measure.max_grade, 1.0) if grade >= measure.rel else 0.0
    return float(grade >= getattr(measure, "rel", 1.0))


def _to_the_end(_measure: Measure, gains: Sequence[float]) -> list[float]:
    return [1.0] * len(gains)


def _to_the_first(_measure: Measure, gains: Sequence[float]) -> list[float]:
    return [0.0 if gain > 0.0 else 1.0 for gain in gains]


def _with_patience(measure: RankBiasedPrecision, gains: Sequence[float]) -> list[float]:
    return [measure.p] * len(gains)


def _to_the_goal(measure: BejeweledPlayerModel, gains: Sequence[float]) -> list[float]:
    goal = measure.T * (1.0 - _ROUNDING)
    return [float(total < goal) for total in _totals(gains)]


def _insq(measure: INSQ | NERR11, gains: Sequence[float]) -> list[float]:
    return [_square(rank, 2.0 * measure.T) for rank in range(1, len(gains) + 1)]


def _inst(measure: INST, gains: Sequence[float]) -> list[float]:
    return [
        _square(rank, 2.0 * measure.T - total) for rank, total in enumerate(_totals(gains), start=1)
    ]


def _square(rank: int, shift: float) -> float:
    above = rank + shift - 1.0
    return (above / (above + 1.0)) ** 2 if above > 0.0 else 0.0


def _by_discount(_measure: ScaledDCG, gains: Sequence[float]) -> list[float]:
    return [math.log2(rank + 1) / math.log2(rank + 2) for rank in range(1, len(gains) + 1)]


def _nerr8(_measure: NERR8, gains: Sequence[float]) -> list[float]:
    return [1.0 - gain for gain in gains]


def _nerr9(_measure: NERR9, gains: Sequence[float]) -> list[float]:
    return [(1.0 - gain) * rank / (rank + 1) for rank, gain in enumerate(gains, start=1)]


def _nerr10(measure: NERR10, gains: Sequence[float]) -> list[float]:
    return [measure.p * (1.0 - gain) for gain in gains]


def _nerr11(measure: NERR11, gains: Sequence[float]) -> list[float]:
    return [c * (1.0 - gain) for c, gain in zip(_insq(measure, gains), gains, strict=True)]


def _total(values: Iterable[float]) -> float:
    """Add up from rank 1 on."""
    return reduce(add, values, 0.0)


def _totals(gains: Sequence[float]) -> list[float]:
    return list(accumulate(gains))


_READERS: Mapping[type[Measure], Continuation] = {
    BejeweledPlayerModel: _to_the_goal,
    INSQ: _insq,
    INST: _inst,
    NERR8: _nerr8,
    NERR9: _nerr9,
    NERR10: _nerr10,
    NERR11: _nerr11,
    ScaledDCG: _by_discount,
    RankBiasedPrecision: _with_patience,
    ReciprocalRank: _to_the_first,
    Precision: _to_the_end,
}
