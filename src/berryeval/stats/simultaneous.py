"""Many means at once: simultaneous intervals.

Each draw of signs, one per query, applies to the centred values of every member of the family.
Correlations are preserved, so measures that are nearly the same cost hardly more than one. The
largest studentised mean of each draw shows how far the means stray by chance.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtr

from berryeval.errors import ArgumentError
from berryeval.stats._influence import Stratum, mean_over, strata_of, stratify, units_of
from berryeval.stats.interval import Interval
from berryeval.stats.moments import sums_of
from berryeval.stats.resampling import flipped_sums
from berryeval.stats.sample_mean import SampleMean, sample_mean_of
from berryeval.stats.validation import as_columns, as_weights, check_resampling, check_share

__all__ = ["FamilyMember", "simultaneous_intervals"]

_ROUNDING = 1e-9  # smaller differences of T and of its tail are due to rounding
_SMALLEST = math.ulp(0.0)

# How many flipped means are held at a time; 8 bytes each.
_AT_A_TIME = 2_000_000


@dataclass(frozen=True)
class FamilyMember:
    """One of several means, with an interval and a p-value that hold for all of them at once."""

    sample: SampleMean
    interval: Interval
    """Interval of the true mean; with the stated confidence, all intervals of the family contain
    their means."""
    p_value: float
    """P-value of H0: the true mean is 0, adjusted for the family; never 0. It is at most 1 - level
    if and only if the interval does not contain 0."""


def simultaneous_intervals(
    values: ArrayLike,
    level: float = 0.95,
    *,
    present: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    groups: Sequence[Hashable] | None = None,
    strata: Sequence[Hashable] | None = None,
    n_flips: int = 10_000,
    seed: int = 0,
) -> list[FamilyMember | None]:
    """Return simultaneous intervals of the mean of each column: the single-step max-t.

    Each draw gives the values of a query, with the means removed, one sign for all columns, and
    studentises the means of the result. Groups are flipped as a whole. Each stratum is centred on
    its own mean, and the means of the strata are added up by their shares. The smallest tail
    probability among the members, under Student's t, shows how often chance alone goes that far
    somewhere in the family; therefore, a small slice widens its own interval and not those of the
    large ones. The intervals are then those of `SampleMean`, Student's and Hall's taken together,
    at the tail probability that gives the family as a whole the stated confidence.

    A member with few queries still widens the others: its studentised means have long tails.
    Leave out those that are too small to decide on.

    Parameters
    ----------
    values : array of queries x members
        Finite numbers: differences per measure, slice or pair of systems.
    level : float
        The confidence that all intervals hold at once, between 0 and 1.
    present : array of bool, queries x members, optional
        Which values count. Default: all. For slices, only the values of their own queries count.
    weights, groups, strata : optional
        As for `mean_of`; the strata of a column are those of its queries.
    n_flips : int
        Number of draws, at least 1. If there are no more ways than that to choose the signs, all of
        them are used instead.
    seed : int
        Random seed, from 0 to 2**64 - 1.

    Returns
    -------
    list of FamilyMember or None
        One per column. None for a column with fewer than two queries, or groups, which does not
        count in the family. One whose values are all equal has an interval of no width.

    Raises
    ------
    ArgumentError
        As `mean_of`, and if the shape of `present` is not that of the values.

    References
    ----------
    Westfall and Young (1993), Resampling-Based Multiple Testing, Wiley.
    Cameron, Gelbach and Miller (2008), Review of Economics and Statistics 90(3), 414-427, for the
    signs on whole groups.

    Examples
    --------
    >>> first = [0.3, 0.1, 0.2, 0.4, 0.2, 0.1, 0.3, 0.2]
    >>> second = [0.1, -0.2, 0.3, 0.0, -0.1, 0.2, 0.1, -0.3]
    >>> members = simultaneous_intervals(list(zip(first, second)))
    >>> [(round(m.interval.low, 2), round(m.interval.high, 2)) for m in members]
    [(0.11, 0.37), (-0.24, 0.25)]
    >>> [m.p_value <= 0.05 for m in members]
    [True, False]
    """
    columns = as_columns(values, least=0)
    check_share("level", level)
    check_resampling(n_flips, seed, "n_flips")
    n_queries = len(columns)
    counts = np.ones(columns.shape, dtype=bool) if present is None else _as_mask(present, columns)
    weight = None if weights is None else as_weights(weights, n_queries)
    if weight is not None:
        counts = counts & (weight > 0)[:, None]
    units = None if groups is None else units_of(groups, n_queries)
    numbers = None if strata is None else strata_of(strata, n_queries, groups)
    family = [
        _mean_of(column[rows], rows, weight, units, numbers)
        for column, rows in zip(columns.T, map(np.flatnonzero, counts.T), strict=True)
    ]
    varying = [mean for mean in family if mean is not None and mean.sample.standard_error > 0]
    n_units = n_queries if units is None else int(units.max(initial=-1)) + 1
    is_plain = weight is None and units is None
    tails = np.sort(_smallest_tails(varying, n_units, is_plain, n_flips, seed))
    return [None if mean is None else _member(mean.sample, tails, level) for mean in family]


class _Mean(NamedTuple):
    sample: SampleMean
    parts: list[_Part]
    """One per stratum."""


class _Part(NamedTuple):
    """What a stratum contributes to the mean of a member."""

    stratum: Stratum
    rows: NDArray[np.intp]
    """The queries or groups that count, as positions among all."""


def _mean_of(
    values: NDArray[np.float64],
    rows: NDArray[np.intp],
    weights: NDArray[np.float64] | None,
    units: NDArray[np.intp] | None,
    strata: NDArray[np.intp] | None,
) -> _Mean | None:
    """Return the mean of one member, whose values are those of some rows among all queries."""
    own_weights = None if weights is None else weights[rows]
    own_units = None if units is None else units[rows]
    found = stratify(values, own_weights, own_units, None if strata is None else strata[rows])
    if not found:
        return None
    parts = [
        _Part(one, rows[one.rows] if own_units is None else np.unique(own_units[one.rows]))
        for one in found
    ]
    return _Mean(sample_mean_of(found, mean_over(values, own_weights)), parts)


def _as_mask(present: ArrayLike, columns: NDArray[np.float64]) -> NDArray[np.bool_]:
    mask = np.asarray(present)
    if mask.dtype != np.bool_ or mask.shape != columns.shape:
        expected = f"one bool per value, {' x '.join(map(str, columns.shape))}"
        raise ArgumentError("present", expected, f"{mask.dtype} of shape {mask.shape}")
    return mask


def _smallest_tails(
    family: Sequence[_Mean], n_units: int, is_plain: bool, n_flips: int, seed: int
) -> NDArray[np.float64]:
    """Return, for each draw of signs, the smallest tail probability among the members."""
    n_parts = max((len(mean.parts) for mean in family), default=1)
    size = max(1, _AT_A_TIME // (n_flips * n_parts))
    smallest = np.full(min(n_flips, 2 ** min(n_units, 63)), 0.5)
    for start in range(0, len(family), size):
        block = family[start : start + size]
        t = _flipped_t(block, n_units, is_plain, n_flips, seed)
        freedoms = np.array([mean.sample.degrees_of_freedom for mean in block])
        for freedom in np.unique(freedoms):
            farthest = np.abs(t[:, freedoms == freedom]).max(axis=1)
            np.minimum(smallest, stdtr(freedom, -farthest), out=smallest)
    return smallest


def _flipped_t(
    family: Sequence[_Mean], n_units: int, is_plain: bool, n_flips: int, seed: int
) -> NDArray[np.float64]:
    """Return draws x members: the studentised means of values whose signs are drawn.

    With signs x, the mean of a stratum becomes m = x' totals, and its variance the sum of the
    squares of x * adjusted - m * reach. The first squares do not depend on the signs. All are
    multiplied by the share of the stratum, and added up over the strata of a member.
    """
    parts = [part for mean in family for part in mean.parts]
    totals, cross = np.zeros((n_units, len(parts))), np.zeros((n_units, len(parts)))
    for place, ((_, share, influence), rows) in enumerate(parts):
        totals[rows, place] = share * influence.totals
        cross[rows, place] = share * influence.adjusted * influence.reach
    if is_plain:  # the products are the totals over n - 1
        means = flipped_sums(totals, n_flips, seed)
        products = means / [part.stratum.influence.degrees_of_freedom for part in parts]
    else:
        sums = flipped_sums(np.hstack([totals, cross]), n_flips, seed)
        means, products = sums[:, : len(parts)], sums[:, len(parts) :]
    reaches = np.array([float(sums_of(part.stratum.influence.reach**2)) for part in parts])
    errors = np.array([s.share * s.influence.standard_error for s, _ in parts])
    variances = errors**2 + means * (means * reaches - 2 * products)
    if len(parts) > len(family):
        ends = [0, *accumulate(len(mean.parts) for mean in family)]
        means, variances, squares = (
            np.column_stack([sums_of(column[start:end]) for start, end in pairwise(ends)])
            for column in (means.T, variances.T, (errors**2)[:, None])
        )
        errors = np.sqrt(squares[0])
    is_spread = variances > _ROUNDING * errors**2
    with np.errstate(divide="ignore", invalid="ignore"):
        t: NDArray[np.float64] = np.where(
            is_spread, means / np.sqrt(np.where(is_spread, variances, 1.0)), np.inf
        )
    return t


def _member(sample: SampleMean, tails: NDArray[np.float64], level: float) -> FamilyMember:
    alone = sample.p_value()
    n_as_far = int(np.searchsorted(tails, alone / 2 * (1 + _ROUNDING), side="right"))
    # Never more certain than alone: where few units have most of the weight, flips of signs stray
    # less than Student's t with its few degrees of freedom.
    p_value = max(alone, (n_as_far + 1) / (len(tails) + 1))
    n_allowed = math.floor((1 - level) * (len(tails) + 1)) - 1
    tail = min((1 - level) / 2, float(tails[n_allowed])) if n_allowed >= 0 else 0.0
    if tail > 0 or sample.standard_error == 0.0:
        tail = tail or 0.5  # a mean without an error, whose bounds are the mean anyway
        low, high = sample.lower_bound(tail), sample.upper_bound(tail)
    else:
        low, high = -math.inf, math.inf
    # The p-value decides; an end that rounding put on the wrong side of 0 follows it.
    if p_value > 1 - level:
        low, high = min(low, 0.0), max(high, 0.0)
    elif sample.mean > 0:
        low = max(low, _SMALLEST)
    else:
        high = min(high, -_SMALLEST)
    return FamilyMember(sample, Interval(low, high, level, "max t"), p_value)
