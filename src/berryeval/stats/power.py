"""What a set of queries can see, before it is relied upon.

The question is that of a margin guard: a candidate passes if a one-sided test shows that its mean
is not below the baseline's by the margin or more. Power is how often a candidate passes that in
truth equals the baseline.
"""

from __future__ import annotations

import math
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtrit

from berryeval.errors import ArgumentError
from berryeval.stats._moments import sums_of
from berryeval.stats._validation import check_amount, check_share

__all__ = ["power_at", "queries_needed", "sd_of_differences", "smallest_drop"]

_LEAST = 2  # queries without which there is no spread
_MANY = 10_000  # queries from which on the t distribution is the normal one


def power_at(sd: float, n_queries: int, margin: float, alpha: float = 0.05) -> float:
    """Return how often a candidate that equals the baseline passes.

    Exact for differences that are normally distributed, by the noncentral t distribution.

    Parameters
    ----------
    sd : float
        The standard deviation of the differences.
    n_queries : int
        How many queries there are; with fewer than two none passes.
    margin : float
        The largest drop that is accepted, 0 or more.
    alpha : float
        The level of the test.

    Returns
    -------
    float
        From 0 to 1. Without any spread 1, if there is a margin.

    Examples
    --------
    >>> round(power_at(sd=0.1, n_queries=50, margin=0.05), 3)
    0.967
    """
    check_amount("sd", sd)
    check_amount("margin", margin)
    check_share("alpha", alpha)
    if n_queries < _LEAST:
        return 0.0
    if sd == 0:
        return 1.0 if margin > 0 else 0.0
    return _power(margin / sd * math.sqrt(n_queries), n_queries, alpha)


def smallest_drop(
    sd: float, n_queries: int, alpha: float = 0.05, power: float = 0.8
) -> float | None:
    """Return the smallest margin that a candidate which equals the baseline passes so often.

    The inverse of `power_at`, by the noncentral t distribution. A drop of this size is what the
    queries can rule out.

    Parameters
    ----------
    sd, n_queries, alpha
        As those of `power_at`.
    power : float
        How often it should pass, between 0 and 1.

    Returns
    -------
    float or None
        None for fewer than two queries, and without any spread: nothing is known then.

    Examples
    --------
    >>> round(smallest_drop(sd=0.1, n_queries=50), 4)
    0.0357
    """
    check_amount("sd", sd)
    check_share("alpha", alpha)
    check_share("power", power)
    if n_queries < _LEAST or sd == 0:
        return None
    return _noncentrality(n_queries, alpha, power) * sd / math.sqrt(n_queries)


@lru_cache(maxsize=4096)
def _noncentrality(n_queries: int, alpha: float, power: float) -> float:
    """Return the margin over its standard error at which the power is reached."""
    low, high = 0.0, 1.0
    while _power(high, n_queries, alpha) < power:
        low, high = high, 2 * high
    while low < (middle := (low + high) / 2) < high:
        if _power(middle, n_queries, alpha) < power:
            low = middle
        else:
            high = middle
    return high


def queries_needed(sd: float, margin: float, alpha: float = 0.05, power: float = 0.8) -> int | None:
    """Return how many queries a margin needs: the fewest at which `power_at` reaches the power.

    N = ((z(1 - alpha) + z(power)) sd / margin)^2, by the normal distribution, is a lower bound;
    one or two more are needed because the spread is estimated. Beyond 10,000 queries it is exact
    enough.

    Parameters
    ----------
    sd, margin, alpha
        As those of `power_at`.
    power : float
        How often a candidate that equals the baseline should pass, between 0 and 1.

    Returns
    -------
    int or None
        At least 2. None for a margin of 0, which no number of queries is enough for, and
        without any spread.

    Examples
    --------
    >>> queries_needed(sd=0.1, margin=0.05)
    27
    """
    check_amount("sd", sd)
    check_amount("margin", margin)
    check_share("alpha", alpha)
    check_share("power", power)
    if margin == 0 or sd == 0:
        return None
    quantiles = max(0.0, float(ndtri(1 - alpha) + ndtri(power)))
    found = max(_LEAST, math.ceil((quantiles * sd / margin) ** 2))
    while found < _MANY and power_at(sd, found, margin, alpha) < power:
        found += 1
    return found


def sd_of_differences(sd_scores: float, correlation: float) -> float:
    """Return the standard deviation of differences between scores of equal spread.

    Parameters
    ----------
    sd_scores : float
        The standard deviation of either system's scores.
    correlation : float
        That of the two systems' scores, from -1 to 1.

    Examples
    --------
    >>> sd_of_differences(0.3, correlation=0.5)
    0.3
    """
    check_amount("sd_scores", sd_scores)
    if not -1 <= correlation <= 1:
        raise ArgumentError("correlation", "a number from -1 to 1", repr(correlation))
    return math.sqrt(2 * (1 - correlation)) * sd_scores


def _power(noncentrality: float, n_queries: int, alpha: float) -> float:
    """Return the chance that a noncentral t exceeds the critical value.

    Given the estimated spread, u times the true one, the chance is the normal distribution's; it
    is averaged over u. SciPy has the same as nctdtr, which is NaN for some noncentralities.
    """
    freedom = n_queries - 1
    critical = -float(stdtrit(freedom, alpha))
    nodes, weights = _quadrature()
    reach = 9 / math.sqrt(freedom)  # of u around 1; what is beyond cannot be seen
    low, high = max(0.0, 1 - reach), 1 + reach
    u = low + (high - low) * (nodes + 1) / 2
    log_density = (freedom - 1) * np.log(u) - freedom * (u * u - 1) / 2
    chances = weights * np.exp(log_density)
    passing = float(sums_of(chances * ndtr(noncentrality - critical * u)) / sums_of(chances))
    return min(1.0, max(0.0, passing))


@cache
def _quadrature() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return np.polynomial.legendre.leggauss(200)
