"""What a set of queries can detect, before relying on it.

The question is that of a margin guard: a candidate passes if a one-sided test shows that its mean
is not below the baseline's by the margin or more. Power is the probability that a candidate passes
that is in fact as good as the baseline.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache, lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri, stdtrit

from berryeval.errors import ArgumentError
from berryeval.stats.hall import hall_inverse
from berryeval.stats.moments import are_equal, means_of, sums_of, variances_of
from berryeval.stats.sample_mean import UNSEEN, cautious, skewness_error
from berryeval.stats.validation import as_values, check_amount, check_share

__all__ = [
    "MAX_QUERIES",
    "MIN_ALPHA",
    "check_power_option",
    "power_at",
    "queries_needed",
    "sd_interval",
    "sd_of_differences",
    "smallest_drop",
]

MAX_QUERIES = 100_000_000
"""Larger numbers are not reported: a margin that needs more has no number of queries."""

MIN_ALPHA = 1e-12
"""Smaller levels are rejected where a user enters them; early looks of a gate use less."""

_SMALLEST, _LARGEST = 1e-100, 1e100  # spread or margin: their squares are normal numbers
_LEAST = 2  # queries without which there is no spread
_MIN_FOR_KURTOSIS = 5
_HUGE = 1e9  # no margin has more standard deviations


def power_at(
    sd: float,
    n_queries: int,
    margin: float,
    alpha: float = 0.05,
    *,
    skewness: float | None = None,
    loss: float = 0.0,
) -> float:
    """Return the probability that an equally good candidate passes.

    Exact for differences that are normally distributed and tested by Student's t. With a skewness
    it is the power of a guard, whose test assumes more skewness than it observes.

    Parameters
    ----------
    sd : float
        The standard deviation of the differences.
    n_queries : int
        The number of queries; with fewer than two, no candidate passes.
    margin : float
        The largest drop that is accepted, 0 or more.
    alpha : float
        The level of the test.
    skewness : float, optional
        Skewness of the differences, for the test of `SampleMean.p_above` with the cautious
        skewness. Default: Student's t alone.
    loss : float
        The most that a query can lose, as `SampleMean.p_above` takes it.

    Returns
    -------
    float
        From 0 to 1. It is 1 without any spread, if there is a margin.

    Examples
    --------
    >>> round(power_at(sd=0.1, n_queries=50, margin=0.05), 3)
    0.967
    >>> round(power_at(sd=0.1, n_queries=50, margin=0.05, skewness=0.0), 3)
    0.951
    """
    _check(sd, alpha, skewness, loss)
    check_amount("margin", margin)
    if n_queries < _LEAST:
        return 0.0
    if sd == 0:
        return 1.0 if margin > UNSEEN * loss / (n_queries + UNSEEN) else 0.0
    return _power(sd, n_queries, margin, alpha, skewness, loss)


def smallest_drop(
    sd: float,
    n_queries: int,
    alpha: float = 0.05,
    power: float = 0.8,
    *,
    skewness: float | None = None,
    loss: float = 0.0,
) -> float | None:
    """Return the smallest margin that an equally good candidate passes with this probability.

    The inverse of `power_at`. A drop of this size is what the queries can rule out.

    Parameters
    ----------
    sd, n_queries, alpha, skewness, loss
        As for `power_at`.
    power : float
        Probability that it passes, between 0 and 1.

    Returns
    -------
    float or None
        None for fewer than two queries, and without any spread, since nothing is known then.

    Examples
    --------
    >>> round(smallest_drop(sd=0.1, n_queries=50), 4)
    0.0357
    """
    _check(sd, alpha, skewness, loss)
    check_power_option("alpha", alpha)
    check_share("power", power)
    if n_queries < _LEAST or sd == 0:
        return None
    return smallest_margin(
        lambda margin: _power(sd, n_queries, margin, alpha, skewness, loss) >= power, sd
    )


def smallest_margin(passes: Callable[[float], bool], scale: float) -> float:
    """Return the smallest margin that passes, if all larger ones do, too; infinite if none passes.

    The search starts at `scale`.
    """
    low, high = 0.0, scale
    while not passes(high):
        low, high = high, 4 * high
        if not high <= _HUGE * scale < math.inf:
            return math.inf
    while low < (middle := low + (high - low) / 2) < high:
        if high - low <= 1e-12 * high:
            break
        low, high = (low, middle) if passes(middle) else (middle, high)
    return high


def queries_needed(
    sd: float,
    margin: float,
    alpha: float = 0.05,
    power: float = 0.8,
    *,
    skewness: float | None = None,
    loss: float = 0.0,
) -> int | None:
    """Return how many queries a margin needs: the fewest at which `power_at` reaches the power.

    Parameters
    ----------
    sd, margin, alpha, skewness, loss
        As for `power_at`.
    power : float
        Probability that an equally good candidate passes, between 0 and 1.

    Returns
    -------
    int or None
        At least 2. None if `MAX_QUERIES` are not enough, as for a margin of 0, and without any
        spread.

    Examples
    --------
    >>> queries_needed(sd=0.1, margin=0.05)
    27
    """
    _check(sd, alpha, skewness, loss)
    check_power_option("alpha", alpha)
    check_amount("margin", margin)
    check_share("power", power)
    if margin == 0 or sd == 0:
        return None
    return fewest_queries(lambda n: _power(sd, n, margin, alpha, skewness, loss) >= power)


def fewest_queries(is_enough: Callable[[int], bool]) -> int | None:
    """Return the fewest queries, from 2, that are enough; None if `MAX_QUERIES` are not."""
    low, high = _LEAST - 1, _LEAST
    while not is_enough(high):
        if high >= MAX_QUERIES:
            return None
        low, high = high, min(2 * high, MAX_QUERIES)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def sd_interval(values: ArrayLike, level: float = 0.95) -> tuple[float, float] | None:
    """Return the confidence interval of the standard deviation.

    Long tails make it wider, by their kurtosis.

    Parameters
    ----------
    values : sequence of float
        One finite number per query.
    level : float
        The confidence, between 0 and 1.

    Returns
    -------
    tuple of float or None
        None for fewer than five values, and for values that are all equal.

    References
    ----------
    Bonett (2006), Computational Statistics and Data Analysis 50(3), 775-782.

    Examples
    --------
    >>> low, high = sd_interval([0.1, 0.0, 0.2, -0.4, 0.1, 0.1, 0.0, 0.2])
    >>> round(low, 3), round(high, 3)  # around 0.192
    (0.07, 0.701)
    """
    found = as_values(values, "values")
    check_share("level", level)
    n = len(found)
    quantile = float(ndtri((1 + level) / 2))
    if n < _MIN_FOR_KURTOSIS or n <= quantile or are_equal(found):
        return None
    variance = float(variances_of(found))
    cut = int(n / (2 * math.sqrt(n - 4)))
    middle = float(means_of(np.sort(found)[cut : n - cut]))
    squares = float(sums_of((found - means_of(found)) ** 2))
    from_middle = (found - middle) ** 2
    kurtosis = n * float(sums_of(from_middle * from_middle)) / squares**2
    widening = n / (n - quantile)
    error = widening * math.sqrt(max(0.0, kurtosis - (n - 3) / n) / (n - 1))
    centre = math.log(widening * variance)
    low, high = (math.exp((centre + sign * quantile * error) / 2) for sign in (-1, 1))
    return low, high


def sd_of_differences(sd_scores: float, correlation: float) -> float:
    """Return the standard deviation of differences between scores of equal spread.

    Parameters
    ----------
    sd_scores : float
        The standard deviation of either system's scores.
    correlation : float
        Correlation of the two systems' scores, from -1 to 1.

    Examples
    --------
    >>> sd_of_differences(0.3, correlation=0.5)
    0.3
    """
    check_amount("sd_scores", sd_scores)
    if not -1 <= correlation <= 1:
        raise ArgumentError("correlation", "a number from -1 to 1", repr(correlation))
    return math.sqrt(2 * (1 - correlation)) * sd_scores


def check_power_option(name: str, value: float) -> None:
    """Check ``alpha``, ``power``, ``margin`` or ``sd`` as a user enters it.

    Raises
    ------
    ArgumentError
        For an alpha below `MIN_ALPHA` or from 1 on, a power that is not between 0 and 1, and a
        margin or standard deviation whose square is not a normal floating-point number.
    """
    if name == "power":
        check_share(name, value)
    elif name == "alpha":
        check_share(name, value)
        if value < MIN_ALPHA:
            raise ArgumentError(name, f"a number of at least {MIN_ALPHA:g}", repr(value))
    elif not _SMALLEST <= value <= _LARGEST:
        expected = f"a number from {_SMALLEST:g} to {_LARGEST:g}"
        raise ArgumentError(name, expected, repr(value))


def _check(sd: float, alpha: float, skewness: float | None, loss: float) -> None:
    check_amount("sd", sd)
    check_share("alpha", alpha)
    check_amount("loss", loss)
    if skewness is not None and not math.isfinite(skewness):
        raise ArgumentError("skewness", "a finite number", repr(skewness))


def _power(
    sd: float, n_queries: int, margin: float, alpha: float, skewness: float | None, loss: float
) -> float:
    """Return the probability that the lower bound of the mean lies above minus the margin.

    Given the estimated spread, u times the true one, the probability follows from the normal
    distribution; it is averaged over u. Where two lost queries decide, u has no influence.
    """
    critical = _critical(n_queries, alpha, skewness)
    if math.isinf(critical):
        return 0.0
    u, chances = _spreads(n_queries)
    root = math.sqrt(n_queries)
    room = margin / sd * root - critical * u
    if loss > 0:
        after_losses = (margin * (n_queries + UNSEEN) - UNSEEN * loss) / n_queries
        room = np.minimum(room, after_losses / sd * root)
    return min(1.0, max(0.0, float(sums_of(chances * ndtr(room)))))


@lru_cache(maxsize=4096)
def _critical(n_queries: int, alpha: float, skewness: float | None) -> float:
    """Return by how many standard errors the mean has to exceed minus the margin."""
    critical = -float(stdtrit(n_queries - 1, alpha))
    if skewness is None or math.isinf(critical):
        return critical
    assumed = cautious(skewness, skewness_error(n_queries))
    return max(critical, float(hall_inverse(critical, assumed, n_queries)))


@lru_cache(maxsize=512)
def _spreads(n_queries: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return possible estimates of the spread, relative to the true one, with probabilities."""
    freedom = n_queries - 1
    nodes, weights = _quadrature()
    reach = 9 / math.sqrt(freedom)  # around 1; the rest is negligible
    low, high = max(0.0, 1 - reach), 1 + reach
    u = low + (high - low) * (nodes + 1) / 2
    log_density = (freedom - 1) * np.log(u) - freedom * (u * u - 1) / 2
    chances = weights * np.exp(log_density)
    return u, chances / sums_of(chances)


@cache
def _quadrature() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return np.polynomial.legendre.leggauss(200)
