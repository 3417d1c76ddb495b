"""What each independent unit, a query or a group of them, contributes to a mean and its error.

With shares s_i = w_i / sum(w) and residuals e_i = y_i - mean, a unit's influence on the mean is the
sum of its s_i e_i. CR2 estimates the variance of the mean by a sum of squares, one per unit, of
v' e with v = A s. The matrix A is the inverse root of B, the covariance of the unit's residuals if
all values were independent and of equal variance::

    B = I - 1 s' - s 1' + Q 1 1',    Q = the sum of s_i^2 over all queries

A therefore is the identity except on the plane of 1 and s, where B acts as a 2 x 2 matrix, whose
inverse root is known in closed form: no group is too large. Without weights v is s / sqrt(1 - S),
where S is the group's share; without groups either the estimate is Student's.

Strata are sampled separately. Each has influences of its own, on its own mean, and the overall mean
is the mean of the strata, weighted by their shares of the total weight.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from berryeval.errors import ArgumentError
from berryeval.stats.moments import are_equal, deviations_of, means_of, slack_of, sums_of

__all__ = ["Influence", "Stratum", "mean_over", "strata_of", "stratify", "units_of"]

_LEAST = 2  # one unit has no spread
_NEARLY_ALL = 0.999  # share of the weight; the rest is lost in rounding


class Influence(NamedTuple):
    """A mean as the sum of the contributions of its units."""

    mean: float
    standard_error: float
    degrees_of_freedom: float
    effective_n: float
    totals: NDArray[np.float64]
    """One number per unit: its influence on the mean. They add up to 0."""
    adjusted: NDArray[np.float64]
    """One number per unit, v' e: the sum of their squares is the variance of the mean."""
    reach: NDArray[np.float64]
    """One number per unit, v' 1: by how much `adjusted` falls if the mean rises by 1."""


class Stratum(NamedTuple):
    """Queries that are drawn separately from all others; without strata, all queries."""

    rows: NDArray[np.intp]
    """The positions of its queries, ascending."""
    share: float
    """The share of the weight of all queries."""
    influence: Influence
    """The influence of its units on its own mean."""


def stratify(
    values: NDArray[np.float64],
    weights: NDArray[np.float64] | None = None,
    units: NDArray[np.intp] | None = None,
    strata: NDArray[np.intp] | None = None,
) -> list[Stratum]:
    """Return the strata of queries; none if the spread of their mean cannot be estimated.

    A stratum with fewer than two units, or one that has nearly all its weight, has no spread of its
    own. All such strata are taken together, and as long as what results has none either, the
    stratum with the fewest units joins it. That is cautious: what lies between strata that are
    taken together counts as chance.
    """

    def stratum_of(rows: NDArray[np.intp]) -> Stratum | None:
        own_weights = None if weights is None else weights[rows]
        influence = influence_of(values[rows], own_weights, None if units is None else units[rows])
        if influence is None:
            return None
        if weights is None or own_weights is None:
            return Stratum(rows, len(rows) / len(values), influence)
        return Stratum(rows, float(sums_of(own_weights) / sums_of(weights)), influence)

    found: list[Stratum] = []
    without_spread: list[NDArray[np.intp]] = []
    for rows in _rows_by_stratum(len(values), strata):
        stratum = stratum_of(rows)
        if stratum is None:
            without_spread.append(rows)
        else:
            found.append(stratum)
    if not without_spread:
        return found
    rows = np.sort(np.concatenate(without_spread))
    joined = stratum_of(rows)
    largest_first = sorted(found, key=lambda one: (-len(one.influence.totals), -one.share))
    while joined is None and largest_first:
        rows = np.sort(np.concatenate([rows, largest_first.pop().rows]))
        joined = stratum_of(rows)
    return [] if joined is None else [*largest_first, joined]


def _rows_by_stratum(n_queries: int, strata: NDArray[np.intp] | None) -> list[NDArray[np.intp]]:
    if strata is None:
        return [np.arange(n_queries)]
    order = np.argsort(strata, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(strata[order])) + 1)


def influence_of(
    values: NDArray[np.float64],
    weights: NDArray[np.float64] | None = None,
    units: NDArray[np.intp] | None = None,
) -> Influence | None:
    """Return the influence of each unit, ascending by its number; None for fewer than two.

    One unit with nearly all the weight counts as the only one. Without `units` each query is one.
    Weights are above 0.
    """
    found, places = (None, None) if units is None else np.unique(units, return_inverse=True)
    n_units = len(values) if found is None else len(found)
    if n_units < _LEAST:
        return None
    if n_units == len(values) and weights is None:
        return _of_equal_queries(values if places is None else values[np.argsort(places)])
    return _of_groups(values, weights, np.arange(n_units) if places is None else places, n_units)


def units_of(groups: Sequence[Hashable], n_queries: int) -> NDArray[np.intp]:
    """Return the number of each query's group, by first appearance; None is a separate group."""
    if len(groups) != n_queries:
        raise ArgumentError("groups", f"one label per query, {n_queries}", str(len(groups)))
    numbers: dict[Hashable, int] = {}
    own, shared = object(), object()
    units = [
        numbers.setdefault((own, query) if label is None else (shared, label), len(numbers))
        for query, label in enumerate(groups)
    ]
    return np.array(units, dtype=np.intp)


def strata_of(
    strata: Sequence[Hashable], n_queries: int, groups: Sequence[Hashable] | None = None
) -> NDArray[np.intp]:
    """Return the number of each query's stratum, by first appearance; None is one stratum.

    Raises `ArgumentError` if there is not one label per query, or a group is in two strata.
    """
    if len(strata) != n_queries:
        raise ArgumentError("strata", f"one label per query, {n_queries}", str(len(strata)))
    homes: dict[Hashable, Hashable] = {}
    for group, label in zip(groups or (), strata, strict=False):
        home = label if group is None else homes.setdefault(group, label)
        if home != label:
            one, other = (home, label) if home is not None else (label, home)
            place = "outside of all strata" if other is None else f"in {other!r}"
            got = f"group {group!r} in {one!r} and {place}"
            raise ArgumentError("groups", "each group within one stratum", got)
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(one, len(numbers)) for one in strata], dtype=np.intp)


def mean_over(values: NDArray[np.float64], weights: NDArray[np.float64] | None = None) -> float:
    """Return the weighted mean, which lies within the values; of equal ones, their value."""
    if weights is None:
        return float(means_of(values))
    mean = sums_of(weights * values) / sums_of(weights)
    return float(np.clip(mean, values.min(), values.max()))


def _of_equal_queries(values: NDArray[np.float64]) -> Influence:
    n = len(values)
    mean = mean_over(values)
    residuals = values - mean
    error = 0.0 if are_equal(values) else float(deviations_of(values)) / math.sqrt(n)
    reach = np.full(n, 1 / math.sqrt(n * (n - 1)))
    return Influence(mean, error, n - 1.0, float(n), residuals / n, residuals * reach, reach)


def _of_groups(
    values: NDArray[np.float64],
    weights: NDArray[np.float64] | None,
    units: NDArray[np.intp],
    n_units: int,
) -> Influence | None:
    n = len(values)
    mean = mean_over(values, weights)
    shares = np.full(n, 1 / n) if weights is None else weights / sums_of(weights)
    residuals = values - mean

    def by_unit(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """Add up within each unit, in the order of the queries."""
        added: NDArray[np.float64] = np.bincount(units, weights=numbers, minlength=n_units)  # type: ignore[assignment]
        return added

    size, share, square = by_unit(np.ones(n)), by_unit(shares), by_unit(shares * shares)
    if share.max() > _NEARLY_ALL:
        return None
    totals = by_unit(shares * residuals)
    squares = float(sums_of(square))
    # v = on_shares s + on_ones 1, by the inverse root of B on their plane: adj(B + root I) divided
    # by root * scale, where root^2 is the determinant and scale^2 the trace + 2 root.
    root = np.sqrt((1 - share) ** 2 + size * np.maximum(0.0, squares - square))
    scale = np.sqrt(2 * (1 - share) + squares * size + 2 * root)
    on_shares = (1 - share + squares * size + root) / (root * scale)
    on_ones = (square - squares * share) / (root * scale)
    adjusted = on_shares * totals + on_ones * by_unit(residuals)
    reach = on_shares * share + on_ones * size
    # Satterthwaite: the variance is a quadratic form with covariances G; under the working model
    # its mean is tr G = Q and its variance 2 tr G^2.
    length = on_shares**2 * square + 2 * on_shares * on_ones * share + on_ones**2 * size
    along = on_shares * square + on_ones * share
    form = _traced_square(length, along, reach, squares)
    error = math.sqrt(float(sums_of(adjusted * adjusted)))
    if np.abs(totals).max() * n <= float(slack_of(values)):  # the units' means differ by rounding
        error = 0.0
    effective_n = float(n) if weights is None else 1 / squares
    freedom = max(1.0, squares**2 / form)  # never less for a sum of squares
    return Influence(mean, error, freedom, effective_n, totals, adjusted, reach)


def _traced_square(
    length: NDArray[np.float64],
    along: NDArray[np.float64],
    reach: NDArray[np.float64],
    squares: float,
) -> float:
    """Return tr G^2, where G = diag(length) + R and R = Q b b' - b c' - c b'.

    Here b is the reach, c the product v' s, and the length v' v of each unit.
    """
    bb, bc = float(sums_of(reach * reach)), float(sums_of(reach * along))
    cc = float(sums_of(along * along))
    diagonal = reach * (squares * reach - 2 * along)
    of_rest = squares**2 * bb**2 - 4 * squares * bb * bc + 2 * bc**2 + 2 * bb * cc
    return float(sums_of(length * (length + 2 * diagonal))) + of_rest
