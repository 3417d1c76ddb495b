"""How well judges agree: weighted kappa of two, Krippendorff's alpha of any number."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate
from operator import add
from typing import Literal, TypeAlias

from berryeval.errors import ArgumentError

__all__ = ["Coefficient", "Level", "Weights", "krippendorff_alpha", "tally", "weighted_kappa"]

Weights: TypeAlias = Literal["linear", "quadratic"]
"""Weight of a disagreement: the distance between the grades, or its square."""

Level: TypeAlias = Literal["nominal", "ordinal", "interval"]
"""What grades are: names, places in an order, or numbers whose distances mean something."""

_Distance: TypeAlias = Callable[[float, float], float]


@dataclass(frozen=True, slots=True)
class Coefficient:
    """How well judges agree, beyond chance."""

    value: float | None
    """1 is full agreement, and 0 the agreement expected by chance; below 0 there is less."""
    n: int
    """The number of items that at least two judges have graded."""
    reason: str | None = None
    """Why there is no value."""


def weighted_kappa(
    pairs: Iterable[tuple[float, float]],
    weights: Weights = "linear",
    *,
    counts: Sequence[float] | None = None,
) -> Coefficient:
    """Return Cohen's weighted kappa of the pairs of grades that two judges gave.

    Parameters
    ----------
    pairs : iterable of (float, float)
        The grades of the first and the second judge, for all that both have graded.
    weights : {"linear", "quadratic"}
        The distance of two grades is their difference, or its square.
    counts : sequence of float, optional
        How many pairs each stands for, such as 1 / its inclusion probability; above 0. Default:
        one each.

    Returns
    -------
    Coefficient
        Without a value where chance could not disagree: no pairs, or a single grade everywhere.

    Raises
    ------
    ArgumentError
        For other weights, and for counts that are not one number above 0 per pair.

    References
    ----------
    Cohen (1968), Psychological Bulletin 70(4), 213-220.

    Examples
    --------
    >>> weighted_kappa([(0, 0), (3, 3), (1, 1)])
    Coefficient(value=1.0, n=3, reason=None)
    >>> round(weighted_kappa([(0, 0), (0, 1), (2, 2), (3, 2)]).value, 4)
    0.6
    """
    if weights not in ("linear", "quadratic"):
        raise ArgumentError("weights", "'linear' or 'quadratic'", repr(weights))
    distance = _squared if weights == "quadratic" else _apart
    given = list(pairs)
    both = tally(given, counts)
    n_pairs = _total(both[pair] for pair in sorted(both))
    if not given:
        return Coefficient(None, 0, "no pair was graded by both")
    first: defaultdict[float, float] = defaultdict(float)
    second: defaultdict[float, float] = defaultdict(float)
    for (one, other), times in sorted(both.items()):
        first[one] += times
        second[other] += times
    # Sorted, and whole numbers for whole grades: the order of pairs changes no digit.
    observed = _total(distance(*pair) * times for pair, times in sorted(both.items()))
    by_chance = _total(
        distance(one, other) * n * m
        for one, n in sorted(first.items())
        for other, m in sorted(second.items())
    )
    if by_chance == 0:
        return Coefficient(None, len(given), "both gave the same grade everywhere")
    return Coefficient(1 - n_pairs * observed / by_chance, len(given))


def krippendorff_alpha(
    units: Iterable[Sequence[float]],
    level: Level = "ordinal",
    *,
    counts: Sequence[float] | None = None,
) -> Coefficient:
    """Return Krippendorff's alpha of grades by any number of judges, some of them missing.

    Parameters
    ----------
    units : iterable of sequences of float
        The grades of each item, in any order. Items with fewer than two grades are left out, as
        there is nothing to compare.
    level : {"nominal", "ordinal", "interval"}
        The distance of two grades: 1 if they differ; how many grades were given between them; or
        their difference. All are squared.
    counts : sequence of float, optional
        How many items each stands for, as in `weighted_kappa`.

    Returns
    -------
    Coefficient
        Without a value where nothing could disagree: no item has two grades, or all are the same.

    Raises
    ------
    ArgumentError
        For another level, and for counts that are not one number above 0 per unit.

    References
    ----------
    Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, University of Pennsylvania.

    Examples
    --------
    >>> krippendorff_alpha([[0, 0], [1, 1, 1], [3]])
    Coefficient(value=1.0, n=2, reason=None)
    >>> round(krippendorff_alpha([[0, 0], [0, 1], [2, 2], [3, 2]], "interval").value, 4)
    0.8158
    """
    if level not in ("nominal", "ordinal", "interval"):
        raise ArgumentError("level", "'nominal', 'ordinal' or 'interval'", repr(level))
    # Many things have the same grades: each combination is worked out once, in a fixed order.
    given = [tuple(sorted(unit)) for unit in units]
    tallied = tally(given, counts)
    kinds = sorted((unit, times) for unit, times in tallied.items() if len(unit) > 1)
    n_units = sum(len(unit) > 1 for unit in given)
    if not n_units:
        return Coefficient(None, 0, "nothing was graded by two judges")
    totals: defaultdict[float, float] = defaultdict(float)
    for grades, times in kinds:
        for grade in grades:
            totals[grade] += times
    if len(totals) == 1:
        return Coefficient(None, n_units, "all gave the same grade everywhere")
    distance = _distance_of(level, totals)
    observed = _total(
        2 * times * _between(Counter(grades), distance) / (len(grades) - 1)
        for grades, times in kinds
    )
    expected = 2 * _between(totals, distance)
    n_grades = _total(totals[grade] for grade in sorted(totals))
    return Coefficient(1 - (n_grades - 1) * observed / expected, n_units)


def tally(
    units: Sequence[tuple[float, ...]], counts: Sequence[float] | None = None
) -> Mapping[tuple[float, ...], float]:
    """Return how often each combination of grades occurs; each unit counts as often as stated."""
    if counts is None:
        return Counter(units)
    if len(counts) != len(units) or not all(0 < count < math.inf for count in counts):
        got = f"{len(counts)} numbers" if len(counts) != len(units) else "other numbers"
        raise ArgumentError("counts", f"{len(units)} finite numbers above 0", got)
    found: dict[tuple[float, ...], float] = {}
    for unit, count in zip(units, counts, strict=True):
        found[unit] = found.get(unit, 0.0) + count
    return found


def _between(counts: Mapping[float, float], distance: _Distance) -> float:
    """Return the sum of the distances of all pairs of grades."""
    grades = sorted(counts)
    return _total(
        distance(low, high) * counts[low] * counts[high]
        for number, low in enumerate(grades)
        for high in grades[number + 1 :]
    )


def _distance_of(level: Level, totals: Mapping[float, float]) -> _Distance:
    if level == "nominal":
        return lambda one, other: float(one != other)
    if level == "interval":
        return _squared
    # The mean rank of each grade, if all grades that were given are sorted.
    grades = sorted(totals)
    ends = accumulate(totals[grade] for grade in grades)
    places = {grade: end - totals[grade] / 2 for grade, end in zip(grades, ends, strict=True)}
    return lambda one, other: _squared(places[one], places[other])


def _total(amounts: Iterable[float]) -> float:
    """Add up in the given order; sum() compensates for rounding in some versions of Python."""
    return reduce(add, amounts, 0.0)


def _apart(one: float, other: float) -> float:
    return abs(one - other)


def _squared(one: float, other: float) -> float:
    return (one - other) ** 2
