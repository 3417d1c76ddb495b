"""How certain it is that two measures, or two judgments, rank systems in the same order.

Queries are resampled with replacement, and systems are ordered again by their means over each
resample. Resampling adds noise to the order of systems that are close together, so intervals tend
to reach too low rather than too high.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from berryeval.errors import ArgumentError
from berryeval.stats.interval import Interval
from berryeval.stats.validation import as_columns, check_resampling, check_share

__all__ = ["order_intervals"]

_DIGITS = 12
"""Means that differ only in later digits count as equal."""

_AT_A_TIME = 2_000_000
"""Pairs of systems in memory at a time, over all resamples."""


def order_intervals(
    x: ArrayLike,
    y: ArrayLike,
    level: float = 0.95,
    *,
    weights: Sequence[float] | None = None,
    groups: Sequence[Hashable] | None = None,
    strata: Sequence[Hashable] | None = None,
    n_resamples: int = 1000,
    seed: int = 0,
) -> tuple[Interval | None, Interval | None]:
    """Return bootstrap intervals of Kendall's tau-b and of tau_AP between two orders of systems.

    Parameters
    ----------
    x, y : matrix of float
        Scores of the same queries and systems by two measures: one row per query, one column per
        system; higher is better.
    level : float
        Confidence level, between 0 and 1.
    weights : sequence of float, optional
        How much each query counts.
    groups : sequence, optional
        For each query, the label of its group, which is drawn as a whole; None is a group of its
        own.
    strata : sequence, optional
        For each query, the label of its stratum; as many queries are drawn from each as it has.
    n_resamples, seed : int
        Number of resamples, and their random seed.

    Returns
    -------
    tuple of two Intervals or None
        Percentiles of tau and of tau_AP. None for fewer than two queries or systems, and where all
        systems tie in every resample.

    References
    ----------
    Efron and Tibshirani (1993), An Introduction to the Bootstrap, Chapman and Hall, chapter 13.

    Examples
    --------
    >>> x = [[0.9, 0.5, 0.1], [0.8, 0.6, 0.2], [0.7, 0.8, 0.1], [1.0, 0.4, 0.3]]
    >>> tau, _ = order_intervals(x, x)
    >>> tau.low, tau.high
    (1.0, 1.0)
    """
    check_share("level", level)
    check_resampling(n_resamples, seed)
    one, other = as_columns(x, "x"), as_columns(y, "y")
    if one.shape != other.shape:
        raise ArgumentError("y", f"the shape of x, {one.shape}", str(other.shape))
    n_queries, n_systems = one.shape
    if n_queries < 2 or n_systems < 2:  # noqa: PLR2004 - one query or system has no order
        return None, None
    counts = _draw(n_queries, groups, strata, n_resamples, seed)
    if weights is not None:
        counts = counts * np.asarray(weights, np.float64)
    size = max(1, _AT_A_TIME // n_systems**2)
    taus, tau_aps = [], []
    for start in range(0, n_resamples, size):
        part = counts[start : start + size]
        means = _means(part, one), _means(part, other)
        taus.append(kendall_taus(*means))
        tau_aps.append(tau_aps_of(*means))
    return _percentiles(np.concatenate(taus), level), _percentiles(np.concatenate(tau_aps), level)


def _draw(
    n_queries: int,
    groups: Sequence[Hashable] | None,
    strata: Sequence[Hashable] | None,
    n_resamples: int,
    seed: int,
) -> NDArray[np.float64]:
    """Return resamples x queries: how often each query is drawn."""
    random = np.random.default_rng(seed)
    units: dict[Hashable, dict[Hashable, list[int]]] = {}
    for row in range(n_queries):
        group = None if groups is None else groups[row]
        stratum = None if strata is None else strata[row]
        unit = (row,) if group is None else group
        units.setdefault(stratum, {}).setdefault(unit, []).append(row)
    counts = np.zeros((n_resamples, n_queries))
    for of_stratum in units.values():
        members = list(of_stratum.values())
        drawn = random.integers(0, len(members), (n_resamples, len(members)))
        for number, rows in enumerate(members):
            counts[:, rows] = np.count_nonzero(drawn == number, axis=1)[:, None]
    return counts


def _means(counts: NDArray[np.float64], scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return resamples x systems; one query is added after the other, as everywhere."""
    total = np.zeros((len(counts), scores.shape[1]))
    weight = np.zeros((len(counts), 1))
    for row in range(len(scores)):
        total += counts[:, row, None] * scores[row]
        weight += counts[:, row, None]
    means: NDArray[np.float64] = np.round(total / weight, _DIGITS)
    return means


def kendall_taus(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return Kendall's tau-b of each row; NaN where all items of one side tie."""
    first, second = np.triu_indices(x.shape[1], 1)
    one, other = (np.sign(side[:, first] - side[:, second]).astype(np.int64) for side in (x, y))
    n_same = np.count_nonzero(one * other > 0, axis=1)
    n_swapped = np.count_nonzero(one * other < 0, axis=1)
    n_pairs = [np.count_nonzero(side, axis=1).astype(np.float64) for side in (one, other)]
    with np.errstate(invalid="ignore"):  # no pair: 0 / 0
        found: NDArray[np.float64] = (n_same - n_swapped) / np.sqrt(n_pairs[0] * n_pairs[1])
    return found


def tau_aps_of(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return tau_AP of each row, in both directions as `berryeval.stats.tau_ap` does."""
    found: NDArray[np.float64] = (_one_way(x, y) + _one_way(y, x)) / 2
    return found


def _one_way(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    shares, n_items = np.zeros(len(x)), np.zeros(len(x))
    for item in range(x.shape[1]):
        is_above = x > x[:, item, None]
        n_above = np.count_nonzero(is_above, axis=1)
        n_both = np.count_nonzero(is_above & (y > y[:, item, None]), axis=1)
        shares += n_both / np.maximum(n_above, 1)
        n_items += n_above > 0
    with np.errstate(invalid="ignore"):  # all items tie: 0 / 0
        found: NDArray[np.float64] = 2 * shares / n_items - 1
    return found


def _percentiles(values: NDArray[np.float64], level: float) -> Interval | None:
    known = values[~np.isnan(values)]
    if not len(known):
        return None
    low, high = np.quantile(known, ((1 - level) / 2, (1 + level) / 2)).tolist()
    return Interval(low, high, level, "bootstrap")
