"""Invented queries that look like real ones: pairs of score columns, fitted and drawn again.

A sample of 50 real queries shows only 50 differences, and a population made of them has no others.
Here a distribution is fitted to each of two systems, and a copula to how they go together, as in
Urbano and Nagler, "Stochastic Simulation of Test Collections: Evaluation Scores" (SIGIR 2018). New
queries are drawn from the fit, as many as are wanted, with losses that the real sample happens not
to have.

Queries that both systems score alike stay a share of their own: no copula has them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, stats

__all__ = ["draw_like"]

Floats = NDArray[np.float64]

MIN_FITTED = 15
"""Queries that differ, below which a copula is not worth fitting."""
FEW_VALUES = 25
"""No more different scores make a discrete measure, such as P@10: only they are drawn."""


def draw_like(
    worse: Floats, better: Floats, size: int, random: np.random.Generator
) -> tuple[Floats, Floats] | None:
    """Draw scores of two systems for new queries; None where too few differ to fit anything."""
    is_changed = np.abs(worse - better) > 1e-12  # noqa: PLR2004 - rounding
    if np.count_nonzero(is_changed) < MIN_FITTED:
        return None
    ranks = np.column_stack([_ranks(column[is_changed], random) for column in (worse, better)])
    uniforms = _best_copula(ranks).draw(size, random)
    drawn = [
        _margin(column[is_changed])(uniforms[:, place])
        for place, column in enumerate((worse, better))
    ]
    is_alike = random.random(size) >= is_changed.mean()
    return np.where(is_alike, drawn[1], drawn[0]), drawn[1]


def _ranks(values: Floats, random: np.random.Generator) -> Floats:
    """Return ranks between 0 and 1, ties in random order."""
    order = np.lexsort((random.random(len(values)), values))
    ranks = np.empty(len(values))
    ranks[order] = np.arange(1, len(values) + 1)
    scaled: Floats = ranks / (len(values) + 1)
    return scaled


def _margin(values: Floats) -> Callable[[Floats], Floats]:
    """Return the quantiles of a distribution fitted to scores from 0 to 1.

    Scores of exactly 0 and 1 keep their shares. Between them it is the better fit of a beta and a
    truncated normal distribution.
    """
    if len(np.unique(values)) <= min(FEW_VALUES, len(values) // 2):
        return lambda shares: np.quantile(values, shares, method="inverted_cdf")
    inner = values[(values > 0) & (values < 1)]
    low, high = np.mean(values <= 0), np.mean(values >= 1)
    fitted = max((_beta(inner), _truncated_normal(inner)), key=lambda fit: fit.logpdf(inner).sum())

    def quantiles(shares: Floats) -> Floats:
        within = np.clip((shares - low) / (1 - low - high), 0, 1)
        return np.where(shares < low, 0.0, np.where(shares > 1 - high, 1.0, fitted.ppf(within)))

    return quantiles


def _beta(values: Floats) -> stats.rv_frozen:
    mean, variance = values.mean(), values.var()
    together = mean * (1 - mean) / variance - 1
    return stats.beta(mean * together, (1 - mean) * together)


def _truncated_normal(values: Floats) -> stats.rv_frozen:
    def frozen(place: float, spread: float) -> stats.rv_frozen:
        return stats.truncnorm(-place / spread, (1 - place) / spread, loc=place, scale=spread)

    def loss(parameters: Floats) -> float:
        return -float(frozen(parameters[0], np.exp(parameters[1])).logpdf(values).sum())

    start = [values.mean(), np.log(values.std())]
    bounds = [(-2.0, 3.0), (np.log(0.02), np.log(5.0))]
    place, log_spread = optimize.minimize(loss, start, method="L-BFGS-B", bounds=bounds).x
    return frozen(place, np.exp(log_spread))


@dataclass(frozen=True)
class _Copula:
    """How two systems go together: a density on the unit square, and a way to draw from it."""

    log_density: Callable[[Floats, Floats], Floats]
    draw_second: Callable[[Floats, Floats], Floats]
    """Draws the second rank from the first and an independent uniform."""

    def likelihood(self, ranks: Floats) -> float:
        return float(self.log_density(ranks[:, 0], ranks[:, 1]).sum())

    def draw(self, size: int, random: np.random.Generator) -> Floats:
        first, other = random.random((2, size))
        return np.column_stack([first, self.draw_second(first, other)])


def _best_copula(ranks: Floats) -> _Copula:
    """Return the likeliest family; each has the same number of parameters, fitted by tau."""
    tau = float(np.clip(stats.kendalltau(ranks[:, 0], ranks[:, 1]).statistic, 0.02, 0.98))
    clayton = _clayton(2 * tau / (1 - tau))
    families = (_normal(np.sin(np.pi * tau / 2)), clayton, _rotated(clayton), _frank(tau))
    return max(families, key=lambda family: family.likelihood(ranks))


def _normal(correlation: float) -> _Copula:
    rest = 1 - correlation**2

    def log_density(first: Floats, second: Floats) -> Floats:
        x, y = stats.norm.ppf(first), stats.norm.ppf(second)
        joint = (correlation**2 * (x**2 + y**2) - 2 * correlation * x * y) / (2 * rest)
        found: Floats = -np.log(rest) / 2 - joint
        return found

    def draw_second(first: Floats, other: Floats) -> Floats:
        mixed = correlation * stats.norm.ppf(first) + np.sqrt(rest) * stats.norm.ppf(other)
        return np.asarray(stats.norm.cdf(mixed))

    return _Copula(log_density, draw_second)


def _clayton(theta: float) -> _Copula:
    """Systems that fail together: close for bad queries, apart for good ones."""

    def log_density(first: Floats, second: Floats) -> Floats:
        inside = first**-theta + second**-theta - 1
        alone = np.log1p(theta) - (1 + theta) * (np.log(first) + np.log(second))
        found: Floats = alone - (2 + 1 / theta) * np.log(inside)
        return found

    def draw_second(first: Floats, other: Floats) -> Floats:
        inside = 1 + first**-theta * (other ** (-theta / (1 + theta)) - 1)
        return np.power(inside, -1 / theta)

    return _Copula(log_density, draw_second)


def _rotated(copula: _Copula) -> _Copula:
    return _Copula(
        lambda first, second: copula.log_density(1 - first, 1 - second),
        lambda first, other: 1 - copula.draw_second(1 - first, other),
    )


def _frank(tau: float) -> _Copula:
    def debye(theta: float) -> float:
        points = np.linspace(1e-9, theta, 2001)
        return float(np.trapezoid(points / np.expm1(points), points)) / theta

    theta = optimize.brentq(lambda x: 1 - 4 / x * (1 - debye(x)) - tau, 1e-3, 300)
    most = -np.expm1(-theta)

    def log_density(first: Floats, second: Floats) -> Floats:
        inside = most - np.expm1(-theta * first) * np.expm1(-theta * second)
        found: Floats = np.log(theta * most) - theta * (first + second) - 2 * np.log(inside)
        return found

    def draw_second(first: Floats, other: Floats) -> Floats:
        decay = np.exp(-theta * first)
        found: Floats = -np.log1p(-other * most / (other + (1 - other) * decay)) / theta
        return found

    return _Copula(log_density, draw_second)
