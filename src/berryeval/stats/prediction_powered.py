"""Prediction-powered inference: means from labels by people for some queries and a model's for all.

A model's scores f are known for all N queries, those of people Y for n of them that were drawn at
random. The mean over all queries is estimated by::

    theta = lambda mean_N(f) + mean_n(Y - lambda f)

The second term corrects the first, so the model's error has no influence on what is estimated, only
on how precisely. Its variance, with nested samples, is S2_Y / N + (1/n - 1/N) S2_(Y - lambda f):
the spread between queries, and what people did not label. Labels are drawn stratum by stratum,
each of which has a correction of its own. A stratum in which everything is labelled needs none:
queries that were labelled because they decide, and those whose labels tuned the model's prompt,
form such strata. They count for themselves and do not correct other queries.

Angelopoulos, Bates, Fannjiang, Jordan and Zrnic (2023), Prediction-powered inference, Science 382,
669-674. Särndal, Swensson and Wretman (1992), Model Assisted Survey Sampling, Springer, chapters 6
and 9.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from berryeval.errors import ArgumentError, InputTypeError
from berryeval.stats.moments import means_of, sums_of, variances_of
from berryeval.stats.sample_mean import SampleMean, skewness_error
from berryeval.stats.validation import as_values, check_choice

__all__ = [
    "MIN_DIFFERING",
    "MIN_LABELLED",
    "PoweredMean",
    "n_differing",
    "powered_mean",
]

MIN_DIFFERING = 10
"""With fewer labelled units on which people and model differ, only people's labels count:
otherwise, rare errors of a model would go unseen."""

MIN_LABELLED = 10
"""Minimum number of labelled queries in a stratum whose queries are not all labelled."""

_ROUNDING = 1e-12
_LEAST = 2  # one label has no spread, and two have no skewness

_Floats: TypeAlias = "NDArray[np.float64]"


@dataclass(frozen=True)
class PoweredMean:
    """A mean based on labels by people and, if they can be trusted, on those of a model."""

    sample: SampleMean
    """The mean with its error; units are labelled queries."""
    weight: float
    """Lambda, how much the model counts: from 0, not at all, to 1, as much as people."""
    n_labelled: int
    n_queries: int
    n_differing: int
    """Randomly drawn labelled queries on which people and model differ."""
    reason: str | None = None
    """Why the model does not count at all; None if it does, or if people labelled everything."""


class _Part(NamedTuple):
    """A stratum of queries, some of them labelled."""

    rows: NDArray[np.intp]
    labelled: NDArray[np.intp]

    @property
    def is_sampled(self) -> bool:
        """Whether people have not labelled all of it."""
        return len(self.labelled) < len(self.rows)

    @property
    def unseen(self) -> float:
        """The factor of the variance that remains: 1/n - 1/N."""
        return 1 / len(self.labelled) - 1 / len(self.rows)


def powered_mean(
    people: ArrayLike,
    model: ArrayLike,
    *,
    strata: Sequence[Hashable] | None = None,
    weight: float | None = None,
    inference: Literal["population", "set"] = "population",
) -> PoweredMean | None:
    """Return the mean over all queries, with what is needed to test and bound it.

    Parameters
    ----------
    people : sequence of float
        One number per query by the grades of people; NaN for a query that they did not label.
    model : sequence of float
        The same by the grades of a model, for every query.
    strata : sequence, optional
        For each query, the label of the stratum in which it was drawn for labelling. All queries of
        a stratum have the same probability of being drawn. Default: one stratum.
    weight : float, optional
        Lambda, from 0 to 1, used unchanged. With 1, the estimate is unbiased by design.
        Default: the one with the smallest estimated variance, or 0 if fewer than
        `MIN_DIFFERING` labelled queries show how the model errs. Its bias vanishes faster than
        its error.
    inference : {"population", "set"}
        Whether the queries are a sample of many, or all that matter. For a set, only the queries
        that people did not label add uncertainty, not the spread between queries.

    Returns
    -------
    PoweredMean or None
        None for fewer than two labelled queries. Without a weight, and with fewer than
        `MIN_DIFFERING` labelled queries on which people and model differ, the result is that of
        people's labels alone.

    Raises
    ------
    ArgumentError
        For different lengths, numbers that are not finite, a weight out of range, and a stratum
        with fewer than `MIN_LABELLED` labelled queries but not all of its queries labelled.

    Examples
    --------
    >>> model = [0.3, 0.5, 0.4, 0.7] * 25
    >>> people = [score - 0.1 * (i % 3) for i, score in enumerate(model[:40])] + [float("nan")] * 60
    >>> found = powered_mean(people, model)
    >>> round(found.sample.mean, 4), round(found.weight, 2), found.n_differing
    (0.3775, 1.0, 26)
    >>> alone = powered_mean(people, model, weight=0.0)
    >>> round(found.sample.standard_error, 4), round(alone.sample.standard_error, 4)
    (0.0202, 0.0274)
    """
    check_choice("inference", inference, ("population", "set"))
    f = as_values(model, "model")
    y = _labels(people, len(f))
    if weight is not None and not 0 <= weight <= 1:
        raise ArgumentError("weight", "a number from 0 to 1", repr(weight))
    parts = _parts(y, strata)
    n_labelled = int(sum(len(part.labelled) for part in parts))
    if n_labelled < _LEAST:
        return None
    sampled = [part for part in parts if part.is_sampled]
    _check_parts(sampled)
    n_seen = sum(n_differing(y[part.labelled], f[part.labelled]) for part in sampled)
    reason, is_fitted = None, False
    if weight is None and sampled and n_seen < MIN_DIFFERING:
        reason = (
            f"people and model differ on {n_seen} of the labelled queries; "
            f"at least {MIN_DIFFERING} are needed"
        )
        weight = 0.0
    elif weight is None:
        weight = _best_weight(parts, y, f)
        is_fitted = weight > 0
    sample = _sample(parts, y, f, weight, inference, is_fitted=is_fitted)
    return PoweredMean(sample, weight, n_labelled, len(f), n_seen, reason)


def _sample(
    parts: Sequence[_Part],
    y: _Floats,
    f: _Floats,
    weight: float,
    inference: str,
    *,
    is_fitted: bool,
) -> SampleMean:
    n_queries, n_labelled = len(f), sum(len(part.labelled) for part in parts)
    shares = np.array([len(part.rows) / n_queries for part in parts])
    residuals = [y[part.labelled] - weight * f[part.labelled] for part in parts]
    corrections = [float(means_of(own)) for own in residuals]
    means = np.array(
        [
            weight * float(means_of(f[part.rows])) + correction
            if part.is_sampled
            # Where all is labelled, the mean is that of people to the last digit.
            else float(means_of(y[part.labelled]))
            for part, correction in zip(parts, corrections, strict=True)
        ]
    )
    mean = float(sums_of(shares * means))
    freedoms = np.array([len(part.labelled) - 1.0 for part in parts])
    spreads = np.array([_variance(own) for own in residuals])
    unseen = shares**2 * np.array([part.unseen for part in parts]) * spreads
    freedom = float(sums_of(freedoms))
    if is_fitted:  # the weight is one more parameter
        unseen = unseen * freedom / (freedom - 1)
        freedom -= 1
    variances = unseen
    if inference == "population":
        within = np.array([_variance(y[part.labelled]) for part in parts])
        variances = unseen + shares * within / n_queries
        third = (
            _third_moment_of_queries(parts, y, f, weight, mean, corrections)
            / n_queries**2
            / n_queries
        )
    else:
        third = _third_moment_of_set(parts, residuals, shares)
    variance = float(sums_of(variances))
    if variance > 0:
        # Satterthwaite: the strata with few labels and much weight decide.
        spread = float(sums_of(variances**2 / np.maximum(1.0, freedoms)))
        freedom = min(freedom, variance**2 / spread)
    if inference == "population":
        variance += _variance_between(parts, y, shares) / n_queries
    scale = math.sqrt(n_labelled / variance) / variance if variance > 0 else 0.0
    return SampleMean(
        mean,
        math.sqrt(variance),
        max(1.0, freedom),
        n_labelled,
        third * scale if n_labelled > _LEAST else 0.0,
        skewness_error(n_labelled),
        float(n_labelled),
        _sample(parts, y, f, 0.0, inference, is_fitted=False) if weight > 0 else None,
    )


def _variance(values: _Floats) -> float:
    return float(variances_of(values)) if len(values) >= _LEAST else 0.0


def _variance_between(parts: Sequence[_Part], y: _Floats, shares: _Floats) -> float:
    """Return the part of S2_Y that lies between strata."""
    means = np.array([float(means_of(y[part.labelled])) for part in parts])
    around = means - float(sums_of(shares * means))
    return float(sums_of(shares * around**2))


def _third_moment_of_queries(
    parts: Sequence[_Part],
    y: _Floats,
    f: _Floats,
    weight: float,
    mean: float,
    corrections: Sequence[float],
) -> float:
    """Return the sum of the cubed contributions of queries to N times the mean.

    A query contributes its expected value, lambda f plus its stratum's correction; a labelled one
    also its deviation from that, as often as there are queries for each label.
    """
    cubes = 0.0
    for part, correction in zip(parts, corrections, strict=True):
        n = len(part.labelled)
        expected = weight * f + correction - mean
        unlabelled = np.setdiff1d(part.rows, part.labelled, assume_unique=True)
        residuals = y[part.labelled] - weight * f[part.labelled] - correction
        labelled = expected[part.labelled] + len(part.rows) / n * residuals
        bias = n * n / ((n - 1) * (n - 2)) if n > _LEAST else 1.0
        cubes += bias * _sum_of_cubes(labelled) + _sum_of_cubes(expected[unlabelled])
    return cubes


def _third_moment_of_set(
    parts: Sequence[_Part], residuals: Sequence[_Floats], shares: _Floats
) -> float:
    """Return the third central moment of the mean if queries are drawn without replacement."""
    third = 0.0
    for part, own, share in zip(parts, residuals, shares.tolist(), strict=True):
        n, size = len(own), len(part.rows)
        if n > _LEAST and part.is_sampled:
            cubes = _sum_of_cubes(own - means_of(own)) * n / ((n - 1) * (n - 2))
            third += share * share * share * cubes * (size - n) * (size - 2 * n) / (n * size) ** 2
    return third


def _sum_of_cubes(values: _Floats) -> float:
    return float(sums_of(values * values * values)) if len(values) else 0.0


def _best_weight(parts: Sequence[_Part], y: _Floats, f: _Floats) -> float:
    """Return the lambda of the smallest variance, the same for all strata, within 0 and 1."""
    covariance = variance = 0.0
    for part in parts:
        if part.is_sampled:
            factor = len(part.rows) ** 2 * part.unseen / (len(part.labelled) - 1)
            own = f[part.labelled] - means_of(f[part.labelled])
            covariance += factor * float(sums_of(own * y[part.labelled]))
            variance += factor * float(sums_of(own * own))
    return min(1.0, max(0.0, covariance / variance)) if variance > 0 else 0.0


def n_differing(y: _Floats, f: _Floats) -> int:
    """Return how many scores by people and by a model differ by more than rounding."""
    largest = max(1.0, float(np.abs(y).max()), float(np.abs(f).max()))
    return int(np.count_nonzero(np.abs(y - f) > _ROUNDING * largest))


def _labels(people: ArrayLike, n_queries: int) -> _Floats:
    try:
        found = np.asarray(people, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputTypeError("people", "numbers", type(people).__name__) from None
    if found.shape != (n_queries,):
        expected = f"one number per query, {n_queries}"
        raise ArgumentError("people", expected, " x ".join(map(str, found.shape)) or "one number")
    if np.isinf(found).any():
        raise ArgumentError("people", "finite numbers, or NaN for no label", "infinity")
    return found


def _parts(y: _Floats, strata: Sequence[Hashable] | None) -> list[_Part]:
    if strata is not None and len(strata) != len(y):
        raise ArgumentError("strata", f"one label per query, {len(y)}", str(len(strata)))
    rows: dict[Hashable, list[int]] = {}
    for row in range(len(y)):
        rows.setdefault(None if strata is None else strata[row], []).append(row)
    is_labelled = ~np.isnan(y)
    return [
        _Part(own, own[is_labelled[own]])
        for own in (np.array(several, dtype=np.intp) for several in rows.values())
    ]


def _check_parts(sampled: Sequence[_Part]) -> None:
    for part in sampled:
        n = len(part.labelled)
        if n < min(MIN_LABELLED, len(part.rows)):
            expected = f"at least {MIN_LABELLED} labelled queries per stratum, or all of them"
            raise ArgumentError("people", expected, f"{n} of {len(part.rows)} in one stratum")
