"""How certain an agreement between judges is: intervals of weighted kappa and Krippendorff's alpha.

Both coefficients are smooth functions of averages over the things that were judged. Leaving each of
them out in turn, the jackknife, shows its influence on the coefficient. The interval that `mean_of`
computes for the mean of these influences applies to the coefficient, including groups and skewness.
With five judges or more, each judge is left out in turn as well, and both variances are added, so
the interval also applies to other judges. The interaction of judge and thing is part of both, so
the interval tends to be too wide.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from berryeval.errors import ArgumentError
from berryeval.stats.agreement import (
    Level,
    Weights,
    krippendorff_alpha,
    tally,
    weighted_kappa,
)
from berryeval.stats.interval import Interval
from berryeval.stats.moments import means_of, sums_of
from berryeval.stats.sample_mean import SampleMean, mean_of
from berryeval.stats.validation import check_share

__all__ = ["MIN_JUDGES", "alpha_interval", "alphas_without", "kappa_interval"]

MIN_JUDGES = 5
"""Judges that are needed to infer how other judges would differ."""

_Table: TypeAlias = "NDArray[np.float64]"
"""Counts of pairs of grades: grades x grades."""

_ROUNDING = 1e-9


def kappa_interval(
    pairs: Iterable[tuple[float, float]],
    weights: Weights = "linear",
    confidence: float = 0.95,
    *,
    groups: Sequence[Hashable] | None = None,
    strata: Sequence[Hashable] | None = None,
    counts: Sequence[float] | None = None,
) -> Interval | None:
    """Return a confidence interval of Cohen's weighted kappa.

    Parameters
    ----------
    pairs, weights
        As for `weighted_kappa`.
    confidence : float
        Between 0 and 1.
    groups : sequence, optional
        For each pair, the label of its group, such as its query; None is a group of its own.
    strata : sequence, optional
        For each pair, the label of the stratum that it was drawn from. A group lies within one.
    counts : sequence of float, optional
        How many pairs each stands for, as in `weighted_kappa`.

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
    estimate = weighted_kappa(given, weights, counts=counts).value
    if estimate is None:
        return None
    grades = sorted({grade for pair in given for grade in pair})
    values = np.array(grades, dtype=np.float64)
    distances = np.abs(values[:, None] - values)
    if weights == "quadratic":
        distances = distances**2

    def disagreement(table: _Table) -> tuple[float, float]:
        n_pairs = _total(table)
        if n_pairs == 0:
            return 0.0, 0.0
        by_chance = sums_of(table.T)[:, None] * sums_of(table) / n_pairs
        return _total(table * distances), _total(by_chance * distances)

    tables: dict[tuple[float, ...], _Table] = {}
    for pair in set(given):
        tables[pair] = np.zeros(distances.shape)
        tables[pair][grades.index(pair[0]), grades.index(pair[1])] = 1.0
    design = _Design(groups, strata, counts)
    return _interval(_jackknifed(estimate, given, tables, disagreement, design), confidence)


def alpha_interval(
    units: Iterable[Sequence[float]],
    level: Level = "ordinal",
    confidence: float = 0.95,
    *,
    groups: Sequence[Hashable] | None = None,
    judges: Sequence[Sequence[Hashable]] | None = None,
    strata: Sequence[Hashable] | None = None,
    counts: Sequence[float] | None = None,
) -> Interval | None:
    """Return a confidence interval of Krippendorff's alpha, over the things that were graded.

    Parameters
    ----------
    units, level
        As for `krippendorff_alpha`.
    confidence : float
        Between 0 and 1.
    groups : sequence, optional
        For each unit, the label of its group, such as its query; None is a group of its own.
    judges : sequence of sequences, optional
        For each unit, the judge of each of its grades. If five or more judges can be compared, the
        interval holds for other judges as well, else for these only. Not with counts.
    strata, counts : optional
        As for `kappa_interval`.

    Returns
    -------
    Interval or None
        Within -1 and 1. None as for `kappa_interval`, and where there would be no alpha without
        one of the judges.

    Examples
    --------
    >>> units = [[0, 0], [0, 1], [1, 1, 1], [2, 2], [2, 1], [3, 3], [3, 2], [0, 0], [1, 1]]
    >>> interval = alpha_interval(units)
    >>> round(interval.low, 2), round(interval.high, 2)
    (0.58, 1.0)
    """
    check_share("confidence", confidence)
    given = [tuple(unit) for unit in units]
    if groups is not None and len(groups) != len(given):
        raise ArgumentError("groups", f"one label per unit, {len(given)}", str(len(groups)))
    if judges is not None and counts is not None:
        raise ArgumentError("counts", "none where judges are given", "both")
    estimate = krippendorff_alpha(given, level, counts=counts).value
    if estimate is None:
        return None
    others = {} if judges is None else alphas_without(given, judges, level)
    is_for_others = len(others) >= MIN_JUDGES
    if is_for_others and None in others.values():
        return None
    compared = [number for number, unit in enumerate(given) if len(unit) > 1]
    given = [tuple(sorted(given[number])) for number in compared]
    design = _Design(groups, strata, counts).take(compared)
    found = _Alpha(given, level)
    tables = {unit: found.table_of(unit) for unit in set(given)}
    sample = _jackknifed(estimate, given, tables, found.disagreement, design)
    if sample is not None and is_for_others:
        left = np.array([*others.values()], dtype=np.float64)
        away = left - means_of(left)
        error = math.sqrt((len(left) - 1) / len(left) * float(sums_of(away * away)))
        sample = _with_error(sample, error, len(left) - 1)
    return _interval(sample, confidence)


def alphas_without(
    units: Iterable[Sequence[float]], judges: Sequence[Sequence[Hashable]], level: Level = "ordinal"
) -> Mapping[Hashable, float | None]:
    """Return for each judge Krippendorff's alpha of all others.

    Parameters
    ----------
    units, level
        As for `krippendorff_alpha`.
    judges : sequence of sequences
        For each unit, the judge of each of its grades.

    Returns
    -------
    mapping
        By judge, for those who graded something that another judge also graded. None where alpha is
        not defined without the judge.

    Examples
    --------
    >>> units = [[0, 0, 3], [1, 1, 0], [2, 2, 2], [3, 2, 0], [0, 1, 3]]
    >>> alphas = alphas_without(units, [["ada", "bob", "eve"]] * 5)
    >>> {judge: round(alpha, 2) for judge, alpha in alphas.items()}
    {'ada': -0.31, 'bob': -0.6, 'eve': 0.85}
    """
    given = [tuple(unit) for unit in units]
    if [len(named) for named in judges] != [len(unit) for unit in given]:
        raise ArgumentError("judges", "one judge per grade", "another number")
    found = _Alpha(given, level)
    changes: dict[Hashable, _Table] = {}
    whole = np.zeros((len(found.grades), len(found.grades)))
    for unit, named in zip(given, judges, strict=True):
        if len(unit) < 2:  # noqa: PLR2004 - nothing to compare
            continue
        table = found.table_of(tuple(sorted(unit)))
        whole = whole + table
        for place, judge in enumerate(named):
            rest = found.table_of(tuple(sorted(unit[:place] + unit[place + 1 :])))
            changes[judge] = changes.get(judge, 0.0) + table - rest
    alphas: dict[Hashable, float | None] = {}
    for judge, change in changes.items():
        observed, expected = found.disagreement(whole - change)
        alphas[judge] = 1 - observed / expected if expected > _ROUNDING else None
    return alphas


class _Alpha:
    """The grades of some units, and how they disagree."""

    def __init__(self, units: Sequence[tuple[float, ...]], level: Level) -> None:
        self.grades = sorted({grade for unit in units if len(unit) > 1 for grade in unit})
        self._level = level
        self.table_of = cache(self._table_of)

    def _table_of(self, unit: tuple[float, ...]) -> _Table:
        """Return how often each pair of grades occurs in a unit; its grades are in order."""
        counts = np.array([unit.count(grade) for grade in self.grades], dtype=np.float64)
        if len(unit) < 2:  # noqa: PLR2004 - nothing to compare
            return np.zeros((len(counts), len(counts)))
        return (counts[:, None] * counts - np.diag(counts)) / (len(unit) - 1)

    def disagreement(self, table: _Table) -> tuple[float, float]:
        """Return the observed disagreement, and that by chance."""
        totals = sums_of(table)
        n_grades = _total(table)
        if n_grades <= 1:
            return 0.0, 0.0
        distances = _distances(self.grades, totals, self._level)
        by_chance = totals[:, None] * totals / (n_grades - 1)
        return _total(table * distances), _total(by_chance * distances)


class _Design(NamedTuple):
    """How the units were drawn."""

    groups: Sequence[Hashable] | None
    strata: Sequence[Hashable] | None
    counts: Sequence[float] | None

    def take(self, rows: Sequence[int]) -> _Design:
        """Return the design of some of the units."""
        return _Design(
            None if self.groups is None else [self.groups[row] for row in rows],
            None if self.strata is None else [self.strata[row] for row in rows],
            None if self.counts is None else [self.counts[row] for row in rows],
        )


def _jackknifed(
    estimate: float,
    units: Sequence[tuple[float, ...]],
    tables: Mapping[tuple[float, ...], _Table],
    disagreement: Callable[[_Table], tuple[float, float]],
    design: _Design,
) -> SampleMean | None:
    """Infer 1 - observed / expected disagreement by leaving out each unit."""
    times = tally(units, design.counts)
    whole = np.zeros_like(next(iter(tables.values())))
    total = 0.0
    for unit in sorted(tables):
        whole += times[unit] * tables[unit]
        total += times[unit]
    counts = design.counts or [1.0] * len(units)
    influence: dict[tuple[tuple[float, ...], float], float] = {}
    for unit, count in {*zip(units, counts, strict=True)}:
        observed, expected = disagreement(whole - count * tables[unit])
        if not expected > 0:
            return None
        change = observed / expected - (1 - estimate)
        influence[unit, count] = (total - count) / count * change
    sample = mean_of(
        [influence[kind] for kind in zip(units, counts, strict=True)],
        weights=design.counts,
        groups=design.groups,
        strata=design.strata,
    )
    if sample is None or sample.standard_error == 0.0:
        return None
    return replace(sample, mean=estimate)


def _with_error(sample: SampleMean, error: float, degrees_of_freedom: int) -> SampleMean:
    """Add another, independent error, by Satterthwaite's degrees of freedom."""
    squares = sample.standard_error**2, error**2
    both = squares[0] + squares[1]
    spread = squares[0] ** 2 / sample.degrees_of_freedom + squares[1] ** 2 / degrees_of_freedom
    return replace(
        sample,
        standard_error=math.sqrt(both),
        degrees_of_freedom=both**2 / spread,
        skewness=sample.skewness * (squares[0] / both) ** 1.5,
    )


def _interval(sample: SampleMean | None, confidence: float) -> Interval | None:
    if sample is None:
        return None
    found = sample.interval(confidence)
    return replace(found, low=max(-1.0, found.low), high=min(1.0, found.high))


def _distances(grades: Sequence[float], totals: NDArray[np.float64], level: Level) -> _Table:
    """Return the squared distances of all pairs of grades."""
    if level == "nominal":
        return 1.0 - np.eye(len(grades))
    if level == "interval":
        places = np.array(grades, dtype=np.float64)
    else:  # the mean rank of each grade, if all grades that were given are sorted
        places = np.add.accumulate(totals) - totals / 2
    return (places[:, None] - places) ** 2


def _total(table: _Table) -> float:
    return float(sums_of(sums_of(table)))
