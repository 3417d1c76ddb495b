"""How much of alpha each look at a growing set, and each try on one set, may use.

A test at alpha that is repeated until it rejects is wrong more often than alpha. Here every look
has a level of its own, chosen so that all looks together are wrong at most alpha of the time.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from berryeval.errors import ArgumentError
from berryeval.stats.moments import sums_of
from berryeval.stats.validation import check_count, check_share

__all__ = ["level_at_look", "level_at_try", "look_levels"]

_FAR = 8.0  # standard deviations beyond which nothing is integrated
_NODES = 16  # per panel of two standard deviations of a step
_CLOSEST = 0.03  # standard deviations of the whole path; a look that soon is not integrated over

_Values: TypeAlias = "NDArray[np.float64]"


def look_levels(fractions: Sequence[float], alpha: float = 0.05) -> list[float]:
    """Return the level of each look at a set that grows to a size declared beforehand.

    The levels spend alpha by the function of Lan and DeMets that resembles O'Brien and Fleming's
    boundaries: 2 - 2 Phi(z(1 - alpha / 2) / sqrt(t)) at the share t of all information. Early looks
    get nearly nothing and the last one nearly all. The level of a look depends only on those before
    it, so the times of the later ones need not be known.

    Parameters
    ----------
    fractions : sequence of float
        The share of the declared number of queries at each look so far, ascending, up to 1.
    alpha : float
        Probability that any look rejects falsely, one-sided, between 0 and 1.

    Returns
    -------
    list of float
        One per look: reject if the one-sided p-value is at most this. A level may be 0 where the
        share is very small.

    Raises
    ------
    ArgumentError
        For shares that do not ascend from above 0 to at most 1.

    References
    ----------
    Lan and DeMets (1983), Biometrika 70(3), 659-663.
    Jennison and Turnbull (2000), Group Sequential Methods with Applications to Clinical Trials,
    Chapman and Hall, chapters 7 and 19.

    Examples
    --------
    >>> [round(level, 5) for level in look_levels([0.2, 0.4, 0.6, 0.8, 1.0], alpha=0.025)]
    [0.0, 0.00039, 0.00368, 0.01102, 0.02113]
    """
    check_share("alpha", alpha)
    times = [float(fraction) for fraction in fractions]
    steps = [after - before for before, after in zip([0.0, *times], times, strict=False)]
    if not all(step > 0 for step in steps) or (times and times[-1] > 1):
        expected = "ascending shares, above 0 and at most 1"
        raise ArgumentError("fractions", expected, repr(list(fractions)))
    levels: list[float] = []
    spent, start, places, masses = 0.0, 0.0, np.zeros(1), np.ones(1)
    for time, following in zip(times, [*steps[1:], 1.0], strict=False):
        step, share = math.sqrt(time - start), _spent(time, alpha) - spent
        spent += share
        if step < _CLOSEST:  # leaving a look out of the path only makes the later ones stricter
            levels.append(share)
            continue
        boundary = _boundary(places, masses, step, share)
        levels.append(float(ndtr(-boundary / math.sqrt(time))) if levels else share)
        reach = _FAR * math.sqrt(time)
        width = min(step, max(_CLOSEST, math.sqrt(following)))
        nodes, weights = _nodes(-reach, min(boundary, reach), width)
        masses = weights * _density(nodes, places, masses, step)
        start, places = time, nodes
    return levels


def level_at_look(look: int, alpha: float = 0.05) -> float:
    """Return the level of a look at a set that grows without a declared end: alpha / 2^look.

    Parameters
    ----------
    look : int
        1 for the first.
    alpha : float
        Probability that any look rejects falsely, between 0 and 1.

    Examples
    --------
    >>> [level_at_look(look, alpha=0.05) for look in (1, 2, 3)]
    [0.025, 0.0125, 0.00625]
    """
    check_count("look", look)
    check_share("alpha", alpha)
    return math.ldexp(alpha, -look)


def level_at_try(number: int, alpha: float = 0.05) -> float:
    """Return the level of a try among any number of them: 6 alpha / (pi number)^2.

    The levels of all tries add up to alpha, so at most this share of the histories of a set
    contains a false claim.

    Parameters
    ----------
    number : int
        1 for the first candidate that is tried, 2 for the second.
    alpha : float
        Probability that any try rejects falsely, between 0 and 1.

    Examples
    --------
    >>> [round(level_at_try(number), 4) for number in (1, 2, 10)]
    [0.0304, 0.0076, 0.0003]
    """
    check_count("number", number)
    check_share("alpha", alpha)
    return 6 * alpha / (math.pi * number) ** 2


def _spent(time: float, alpha: float) -> float:
    return alpha if time == 1.0 else 2 * float(ndtr(ndtri(alpha / 2) / math.sqrt(time)))


def _boundary(places: _Values, masses: _Values, step: float, share: float) -> float:
    """Return the value that a path exceeds after the step with the probability `share`."""

    def crossing(boundary: float) -> float:
        return float(sums_of(masses * ndtr((places - boundary) / step)))

    low, high = -_FAR, 5 * _FAR
    while low < (middle := (low + high) / 2) < high:
        if crossing(middle) > share:
            low = middle
        else:
            high = middle
    return high


def _density(nodes: _Values, places: _Values, masses: _Values, step: float) -> _Values:
    """Return the density of a path at the nodes after the step."""
    distances = (nodes - places[:, None]) / step
    bells = np.exp(-distances * distances / 2) / (step * math.sqrt(2 * math.pi))
    return sums_of(masses[:, None] * bells)


def _nodes(low: float, high: float, width: float) -> tuple[_Values, _Values]:
    """Return nodes and weights of a quadrature by panels, for features of this width."""
    nodes, weights = _quadrature()
    n_panels = math.ceil((high - low) / (2 * width))
    half = (high - low) / (2 * n_panels)
    middles = low + half * (2 * np.arange(n_panels) + 1)
    return (middles[:, None] + half * nodes).ravel(), np.tile(half * weights, n_panels)


@cache
def _quadrature() -> tuple[_Values, _Values]:
    return np.polynomial.legendre.leggauss(_NODES)
