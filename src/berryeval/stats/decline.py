"""Whether scores over time have declined: a step down, or a creep.

For each query, every way to split the series in two has a contrast, the mean before minus the mean
after, and so has the slope. What is the same throughout, such as how hard a query is, drops out.
The statistic is the largest studentised mean of a contrast over the queries. Without a change the
sign of a query's contrasts is chance; flipping it turns the query's whole series round, so that
any dependence of one day on the next is preserved. If one kind of queries declines and others
do not, the difference between them is no chance: with strata it is removed before signs are drawn.

The test finds whether scores declined, not where: a step of a few queries is as clear a few entries
off, as its spread over the queries shrinks with it. The place is that of the step, or the slope,
that fits the series of means best by least squares.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from berryeval.errors import ArgumentError
from berryeval.stats._influence import strata_of, stratify, units_of
from berryeval.stats.moments import means_of, slack_of, sums_of
from berryeval.stats.resampling import farthest_sums
from berryeval.stats.validation import as_columns, as_weights, check_resampling, check_share

__all__ = ["HORIZON", "Decline", "alarm_level", "find_decline"]

HORIZON = 52
"""Entries over which a daily alarm is watched before it starts again."""

_ROUNDING = 1e-9  # statistics that differ by less than this share are equal
_LEAST = 2  # entries that have a before and an after


@dataclass(frozen=True)
class Decline:
    """The strongest sign that scores have declined."""

    p_value: float
    """P-value of H0: nothing has declined. It takes all splits and the slope into account; never
    0."""
    split: int | None
    """Entries before the step; None if a steady slope fits the means better than any step."""
    change: float
    """The mean after the step minus the mean before; along a slope, from the first entry to the
    last. Below 0 for a decline. As the best fit of many, it is somewhat too large."""


def find_decline(
    scores: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    groups: Sequence[Hashable] | None = None,
    strata: Sequence[Hashable] | None = None,
    n_flips: int = 10_000,
    seed: int = 0,
) -> Decline | None:
    """Test whether scores have declined somewhere in a series, and find where.

    Compare the p-value with 0.05 for a series that is looked at once. For an alarm after every
    entry compare it with `alarm_level`.

    Parameters
    ----------
    scores : array of queries x entries
        One finite score per query and entry, the oldest entry first. Higher is better.
    weights, groups, strata : optional
        As for `mean_of`; the sign of a group is flipped as a whole.
    n_flips : int
        Number of random draws of signs, at least 1. If there are no more ways than that to choose
        the signs, all of them are used instead.
    seed : int
        Random seed, from 0 to 2**64 - 1.

    Returns
    -------
    Decline or None
        None for fewer than two entries or no query. The p-value is 1 where no score changes.

    Examples
    --------
    >>> noise = np.random.default_rng(0).normal(0, 0.1, size=(50, 12))
    >>> noise[:, 8:] -= 0.05
    >>> found = find_decline(0.6 + noise)
    >>> found.split, round(found.change, 3), found.p_value < 0.05
    (8, -0.071, True)
    """
    columns = as_columns(scores, "scores", least=0)
    check_resampling(n_flips, seed, "n_flips")
    weight = np.ones(len(columns)) if weights is None else as_weights(weights, len(columns))
    units = None if groups is None else units_of(groups, len(columns))
    numbers = None if strata is None else strata_of(strata, len(columns), groups)
    if columns.shape[1] < _LEAST or not weight.any():
        return None
    contrasts = _contrasts(columns)
    rows = _by_unit(contrasts * weight[:, None], units)
    if numbers is not None:
        parts = _units_by_stratum(columns, weight, units, numbers)
        rows = _without_strata(rows, _by_unit(weight[:, None], units), parts)
    sizes = np.sqrt(sums_of(rows * rows))
    has_changed = sizes > len(rows) * slack_of(columns).max() * weight.max()
    if not has_changed.any():
        return Decline(1.0, None, 0.0)
    rows = np.where(has_changed, rows / np.where(has_changed, sizes, 1.0), 0.0)
    highest = float(sums_of(rows).max())
    found = farthest_sums(rows, n_flips, seed)
    n_as_high = int(np.count_nonzero(found >= highest - _ROUNDING * math.sqrt(len(rows))))
    falls = sums_of(contrasts * weight[:, None]) / sums_of(weight)
    best = int((falls * _fits(columns.shape[1])).argmax())
    return Decline(
        (n_as_high + 1) / (len(found) + 1),
        best + 1 if best < columns.shape[1] - 1 else None,
        -float(falls[best]),
    )


def alarm_level(alpha: float = 0.05, horizon: int = HORIZON) -> float:
    """Return the level at which to test after every entry, up to a horizon.

    Parameters
    ----------
    alpha : float
        Probability of a false alarm within the horizon, between 0 and 1.
    horizon : int
        The number of entries after which the series starts again; at least 2.

    Examples
    --------
    >>> round(alarm_level(), 5)  # 51 tests, as the first entry has none
    0.00098
    """
    check_share("alpha", alpha)
    if horizon < _LEAST:
        raise ArgumentError("horizon", f"a whole number of at least {_LEAST}", repr(horizon))
    return alpha / (horizon - 1)


def _by_unit(rows: NDArray[np.float64], units: NDArray[np.intp] | None) -> NDArray[np.float64]:
    """Add up the rows of each unit."""
    if units is None:
        return rows
    return np.stack([np.bincount(units, weights=column, minlength=1) for column in rows.T], axis=1)


def _units_by_stratum(
    columns: NDArray[np.float64],
    weights: NDArray[np.float64],
    units: NDArray[np.intp] | None,
    strata: NDArray[np.intp],
) -> list[NDArray[np.intp]]:
    """Return the positions of the units of each stratum; units without weight are in none."""
    counted = np.flatnonzero(weights > 0)
    found = stratify(
        columns[counted, 0],
        weights[counted],
        None if units is None else units[counted],
        strata[counted],
    )
    places = [counted[one.rows] for one in found]
    return places if units is None else [np.unique(units[rows]) for rows in places]


def _without_strata(
    rows: NDArray[np.float64], weights: NDArray[np.float64], parts: Sequence[NDArray[np.intp]]
) -> NDArray[np.float64]:
    """Move the mean of each stratum to the overall mean, which does not change.

    The residuals of n units around their own mean have n - 1 degrees of freedom. They are stretched
    to the variance that the units would have as part of all.
    """
    if len(parts) < 2:  # noqa: PLR2004 - nothing lies between
        return rows
    n_units = sum(map(len, parts))
    mean = sums_of(rows) / sums_of(weights)
    moved = rows.copy()
    for places in parts:
        n, own = len(places), weights[places]
        around = rows[places] - own * (sums_of(rows[places]) / sums_of(own))
        moved[places] = own * mean + around * math.sqrt(n / (n - 1) * (n_units - 1) / n_units)
    return moved


def _contrasts(columns: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return queries x contrasts: before minus after for each split, then the fall of the slope."""
    n_entries = columns.shape[1]
    centred = columns - means_of(columns.T)[:, None]
    before = np.add.accumulate(centred, axis=1)[:, :-1]
    # The sum before is minus the sum after.
    sizes = np.arange(1, n_entries)
    steps = before * (1 / sizes + 1 / (n_entries - sizes))
    times = _times(n_entries)
    slope = sums_of((centred * times).T) / float(sums_of(times * times))
    return np.column_stack([steps, -slope * (n_entries - 1)])


def _fits(n_entries: int) -> NDArray[np.float64]:
    """Return what a contrast of 1 explains of the means: the root of its sum of squares."""
    sizes, times = np.arange(1, n_entries), _times(n_entries)
    fits = np.empty(n_entries)
    fits[:-1] = np.sqrt(sizes * (n_entries - sizes) / n_entries)
    fits[-1] = math.sqrt(float(sums_of(times * times))) / (n_entries - 1)
    return fits


def _times(n_entries: int) -> NDArray[np.float64]:
    return np.arange(n_entries, dtype=np.float64) - (n_entries - 1) / 2
