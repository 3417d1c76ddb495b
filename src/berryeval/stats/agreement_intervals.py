"""How certain an agreement between judges is: intervals of weighted kappa and Krippendorff's alpha.

Both coefficients are smooth functions of averages over the things that were judged. Leaving each of
them out in turn, the jackknife, shows its influence on the coefficient; what `mean_of` knows of the
mean of these influences holds for the coefficient, groups and skewness included.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from berryeval.errors import ArgumentError
from berryeval.stats._moments import sums_of
from berryeval.stats._validation import check_share
from berryeval.stats.agreement import Level, Weights, krippendorff_alpha, weighted_kappa
from berryeval.stats.interval import Interval
from berryeval.stats.sample_mean import mean_of

__all__ = ["alpha_interval", "kappa_interval"]

_Table: TypeAlias = "NDArray[np.float64]"
"""How often each grade goes with each other one: grades x grades."""


def kappa_interval(
    pairs: Iterable[tuple[float, float]],
    weights: Weights = "linear",
    confidence: float = 0.95,
    *,
    groups: Sequence[Hashable] | None = None,
) -> Interval | None:
    """Return a confidence interval of Cohen's weighted kappa.

    Parameters
    ----------
    pairs, weights
        As those of `weighted_kappa`.
    confidence : float
        Between 0 and 1.
    groups : sequence, optional
        For each pair the label of its group, such as its query; None is a group of its own.

    Returns
    -------
    Interval or None
        Within -1 and 1. None where there is no kappa, or would be none without one of the pairs,
        and where leaving out a pair never changes it, as in full agreement.

    References
    ----------
    Efron and Stein (1981), Annals of Statistics 9(3), 586-596, for the jackknife.

    Examples
    --------
    >>> pairs = [(0, 0), (0, 1), (1, 1), (2, 2), (2, 1), (3, 3), (3, 2), (0, 0), (1, 1), (2, 2)]
    >>> interval = kappa_interval(pairs)
    >>> round(interval.low, 2), round(interval.high, 2)
    (0.33, 1.0)
    """
    check_share("confidence", confidence)
    given = list(pairs)
    estimate = weighted_kappa(given, weights).value
    if estimate is None:
        return None
    grades = sorted({grade for pair in given for grade in pair})
    values = np.array(grades, dtype=np.float64)
    distances = np.abs(values[:, None] - values)
    if weights == "quadratic":
        distances = distances**2

    def disagreement(table: _Table) -> tuple[float, float]:
        by_chance = sums_of(table.T)[:, None] * sums_of(table) / _total(table)
        return _total(table * distances), _total(by_chance * distances)

    tables: dict[tuple[float, ...], _Table] = {}
    for pair in set(given):
        tables[pair] = np.zeros(distances.shape)
        tables[pair][grades.index(pair[0]), grades.index(pair[1])] = 1.0
    return _jackknifed(estimate, given, tables, disagreement, confidence, groups)


def alpha_interval(
    units: Iterable[Sequence[float]],
    level: Level = "ordinal",
    confidence: float = 0.95,
    *,
    groups: Sequence[Hashable] | None = None,
) -> Interval | None:
    """Return a confidence interval of Krippendorff's alpha, over the things that were graded.

    Parameters
    ----------
    units, level
        As those of `krippendorff_alpha`.
    confidence : float
        Between 0 and 1.
    groups : sequence, optional
        For each unit the label of its group, such as its query; None is a group of its own.

    Returns
    -------
    Interval or None
        Within -1 and 1. None as for `kappa_interval`.

    Examples
    --------
    >>> units = [[0, 0], [0, 1], [1, 1, 1], [2, 2], [2, 1], [3, 3], [3, 2], [0, 0], [1, 1]]
    >>> interval = alpha_interval(units)
    >>> round(interval.low, 2), round(interval.high, 2)
    (0.58, 1.0)
    """
    check_share("confidence", confidence)
    given = [tuple(sorted(unit)) for unit in units]
    if groups is not None and len(groups) != len(given):
        raise ArgumentError("groups", f"one label per unit, {len(given)}", str(len(groups)))
    estimate = krippendorff_alpha(given, level).value
    if estimate is None:
        return None
    compared = [number for number, unit in enumerate(given) if len(unit) > 1]
    given = [given[number] for number in compared]
    labels = None if groups is None else [groups[number] for number in compared]
    grades = sorted({grade for unit in given for grade in unit})

    def disagreement(table: _Table) -> tuple[float, float]:
        totals = sums_of(table)
        distances = _distances(grades, totals, level)
        by_chance = totals[:, None] * totals / (_total(table) - 1)
        return _total(table * distances), _total(by_chance * distances)

    tables: dict[tuple[float, ...], _Table] = {}
    for unit in set(given):
        counts = np.array([unit.count(grade) for grade in grades], dtype=np.float64)
        tables[unit] = (counts[:, None] * counts - np.diag(counts)) / (len(unit) - 1)
    return _jackknifed(estimate, given, tables, disagreement, confidence, labels)


def _jackknifed(
    estimate: float,
    units: Sequence[tuple[float, ...]],
    tables: dict[tuple[float, ...], _Table],
    disagreement: Callable[[_Table], tuple[float, float]],
    confidence: float,
    groups: Sequence[Hashable] | None,
) -> Interval | None:
    """Return the interval of 1 - observed / expected disagreement, by leaving out each unit."""
    times = Counter(units)
    whole = np.zeros_like(next(iter(tables.values())))
    for unit in sorted(tables):
        whole += times[unit] * tables[unit]
    influence = {}
    for unit, table in tables.items():
        observed, expected = disagreement(whole - table)
        if not expected > 0:
            return None
        influence[unit] = (len(units) - 1) * (observed / expected - (1 - estimate))
    sample = mean_of([influence[unit] for unit in units], groups=groups)
    if sample is None or sample.standard_error == 0.0:
        return None
    found = replace(sample, mean=estimate).interval(confidence)
    return replace(found, low=max(-1.0, found.low), high=min(1.0, found.high))


def _distances(grades: Sequence[float], totals: NDArray[np.float64], level: Level) -> _Table:
    """Return the squared distances of all pairs of grades."""
    if level == "nominal":
        return 1.0 - np.eye(len(grades))
    if level == "interval":
        places = np.array(grades, dtype=np.float64)
    else:  # the middle of the places that a grade takes if all that were given are put in order
        places = np.add.accumulate(totals) - totals / 2
    return (places[:, None] - places) ** 2


def _total(table: _Table) -> float:
    return float(sums_of(sums_of(table)))
