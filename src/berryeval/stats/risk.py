"""The risk of a system compared with a baseline: losses weigh more than gains."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from berryeval.errors import ArgumentError
from berryeval.stats.moments import are_equal, deviations_of, means_of, sums_of
from berryeval.stats.validation import as_columns, as_values

__all__ = ["geo_risk", "robustness_index", "t_risk", "u_risk", "weigh_losses"]

MAX_ALPHA = 1e6
"""Larger weights of losses are rejected: only losses would count."""


def weigh_losses(differences: ArrayLike, alpha: float = 1.0) -> NDArray[np.float64]:
    """Return differences, with those below 0 multiplied by 1 + alpha.

    Parameters
    ----------
    differences : sequence of float
        One finite number per query: how much better than the baseline it is.
    alpha : float
        How much more a loss counts than a gain, from 0 to a million. With 0, both count equally.

    Examples
    --------
    >>> weigh_losses([0.25, -0.5], alpha=2).tolist()
    [0.25, -1.5]
    """
    values = as_values(differences)
    if not 0.0 <= alpha <= MAX_ALPHA:
        raise ArgumentError("alpha", f"a number from 0 to {MAX_ALPHA:g}", repr(alpha))
    return np.where(values < 0.0, (1.0 + alpha) * values, values)


def u_risk(differences: ArrayLike, alpha: float = 1.0) -> float | None:
    """Return the risk-sensitive utility: the mean of gains minus weighted losses.

    U_risk = (sum of gains - (1 + alpha) * sum of losses) / number of queries.

    Parameters
    ----------
    differences, alpha
        As `weigh_losses` takes them.

    Returns
    -------
    float or None
        Below 0, the losses outweigh the gains. The mean difference if alpha is 0. None without
        queries.

    References
    ----------
    Wang, Bennett and Collins-Thompson (2012), SIGIR, 761-770.

    Examples
    --------
    >>> u_risk([0.5, 0.25, -0.125, 0.0], alpha=1)
    0.125
    """
    values = weigh_losses(differences, alpha)
    return float(means_of(values)) if len(values) else None


def t_risk(differences: ArrayLike, alpha: float = 1.0) -> float | None:
    """Return `u_risk` in units of its standard error.

    T_risk = U_risk / (s / sqrt(number of queries)), where s is the standard deviation of the
    weighted differences. Below about -2, the risk is more than chance; above 2, the gain is.

    Parameters
    ----------
    differences, alpha
        As `weigh_losses` takes them.

    Returns
    -------
    float or None
        None for fewer than two queries, and where all weighted differences are equal.

    References
    ----------
    Dinçer, Macdonald and Ounis (2014), SIGIR, 23-32.

    Examples
    --------
    >>> round(t_risk([0.4, 0.2, -0.1, 0.0], alpha=1), 4)
    0.7746
    """
    values = weigh_losses(differences, alpha)
    if len(values) < 2 or are_equal(values):  # noqa: PLR2004 - one query has no spread
        return None
    deviation = float(deviations_of(values))
    if deviation == 0.0:  # the squares of differences below 1e-154 are 0
        return None
    return float(means_of(values)) / deviation * math.sqrt(len(values))


def robustness_index(differences: ArrayLike) -> float | None:
    """Return the share of queries that gain minus the share of those that lose.

    It is also known as the reliability of improvement (Kuzi, Shtok and Kurland 2016): queries that
    gain minus queries that lose, divided by all.

    Parameters
    ----------
    differences : sequence of float
        One finite number per query: how much better than the baseline it is.

    Returns
    -------
    float or None
        From -1, every query loses, to 1, every query gains. None without queries.

    References
    ----------
    Sakai, Manabe and Koyama (2005), ACM Transactions on Asian Language Information Processing
    4(2), 111-135.
    Collins-Thompson (2009), CIKM, 837-846.
    Kuzi, Shtok and Kurland (2016), CIKM, 1929-1932.

    Examples
    --------
    >>> robustness_index([0.4, 0.2, -0.1, 0.0])
    0.25
    """
    values = as_values(differences)
    if not len(values):
        return None
    return (int(np.count_nonzero(values > 0)) - int(np.count_nonzero(values < 0))) / len(values)


def geo_risk(scores: ArrayLike, alpha: float = 1.0) -> list[float]:
    """Return the geometric risk of each of several systems, against all of them together.

    A system is expected to score S * T / N for a query, where S is the sum of its own scores, T
    that of all systems for the query, and N that of all scores. z is the difference of its score
    from that, divided by the square root of what is expected; z below 0 counts 1 + alpha times. The
    geometric risk is the square root of the system's mean score times Phi(mean z), where Phi is the
    standard normal distribution function.

    Parameters
    ----------
    scores : matrix of float
        One row per query and one column per system, the baselines among them; 0 or more, higher
        is better.
    alpha : float
        How much more a loss counts than a gain; 0 or more.

    Returns
    -------
    list of float
        One number per system, 0 or more; higher is better. Queries for which every system scores 0
        contribute 0.

    References
    ----------
    Dinçer, Macdonald and Ounis (2016), SIGIR, 483-492.

    Examples
    --------
    >>> [round(value, 4) for value in geo_risk([[0.5, 0.7], [0.5, 0.3]])]
    [0.4899, 0.481]
    """
    values = as_columns(scores, "scores")
    if (values < 0).any():
        raise ArgumentError("scores", "numbers of at least 0", repr(float(values.min())))
    by_system, by_query = sums_of(values), sums_of(values.T)
    total = float(sums_of(by_system))
    if total == 0.0:
        return [0.0] * values.shape[1]
    expected = by_query[:, None] * (by_system / total)
    is_expected = expected > 0.0
    root = np.sqrt(np.where(is_expected, expected, 1.0))
    found = []
    for system in range(values.shape[1]):
        z = np.where(is_expected, (values - expected) / root, 0.0)[:, system]
        risk = float(means_of(weigh_losses(z, alpha)))
        mean = float(by_system[system]) / len(values)
        found.append(math.sqrt(mean * 0.5 * math.erfc(-risk / math.sqrt(2.0))))
    return found
