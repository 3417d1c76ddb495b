"""What a number of queries can detect, given how much differences vary from query to query.

`berryeval.evaluation.power` scores runs first; here the scores are at hand, and one measure and
one slice are asked for at a time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from berryeval.evaluation.findings import ROUNDING
from berryeval.evaluation.margins import Floats
from berryeval.stats import (
    deviations_of,
    queries_needed,
    sd_of_differences,
    smallest_drop,
)

__all__ = [
    "ASSUMED_CORRELATION",
    "Detection",
    "Positions",
    "SliceDetection",
    "assumed_sd",
    "curve",
    "detection",
    "detection_by_slice",
    "pooled_sd",
]

Positions: TypeAlias = NDArray[np.int64]

ASSUMED_CORRELATION = 0.7
"""Correlation of the scores of two versions of a system, assumed where only one is known."""

_FEWEST, _MOST = 5, 200_000
_POINTS_A_DECADE = 16


@dataclass(frozen=True)
class Detection:
    """What a number of queries can detect, and how many a margin needs."""

    n_queries: int
    sd: float
    alpha: float
    power: float
    margin: float
    smallest_drop: float | None
    """None without any spread, or of one query."""
    needed: int | None
    """Queries that the margin needs; None without any spread."""
    curve: tuple[tuple[int, float], ...]
    """For numbers of queries, the smallest drop that they can rule out."""

    @property
    def is_enough(self) -> bool:
        """Whether the queries at hand can rule the margin out."""
        return self.smallest_drop is not None and self.smallest_drop <= self.margin

    @property
    def missing(self) -> int:
        """How many queries more the margin needs."""
        return max(0, (self.needed or 0) - self.n_queries)


@dataclass(frozen=True)
class SliceDetection:
    """What the queries of one slice can detect."""

    name: str
    n_queries: int
    n_changed: int
    """Queries whose score differs."""
    sd: float
    smallest_drop: float | None
    needed: int | None


def detection(n_queries: int, sd: float, margin: float, alpha: float, power: float) -> Detection:
    """Return what queries can detect whose differences vary by `sd`."""
    needed = queries_needed(sd, margin, alpha, power)
    return Detection(
        n_queries,
        sd,
        alpha,
        power,
        margin,
        smallest_drop(sd, n_queries, alpha, power),
        needed,
        curve(sd, alpha, power, reach=max(n_queries, needed or 0)),
    )


def curve(sd: float, alpha: float, power: float, *, reach: int) -> tuple[tuple[int, float], ...]:
    """Return points of a curve from few queries to twice as many as `reach`."""
    if sd == 0:
        return ()
    last = min(_MOST, max(100, 2 * reach))
    n_points = math.ceil(_POINTS_A_DECADE * math.log10(last / _FEWEST))
    steps = (_FEWEST * 10 ** (step / _POINTS_A_DECADE) for step in range(n_points))
    numbers = dict.fromkeys([*map(round, steps), last])
    drops = ((n, smallest_drop(sd, n, alpha, power)) for n in numbers)
    return tuple((n, drop) for n, drop in drops if drop is not None)


def detection_by_slice(
    spread_of: Callable[[Positions], tuple[float, int]],
    slices: Mapping[str, Sequence[int]],
    margin: float,
    alpha: float,
    power: float,
) -> list[SliceDetection]:
    """Return what each slice can detect, the one that detects least first.

    Parameters
    ----------
    spread_of : callable
        Returns how much differences vary among the queries at some positions, and how many of
        them differ.
    slices : mapping of str to positions
        Where the queries of each slice stand.
    """
    found = []
    for name, positions in slices.items():
        sd, n_changed = spread_of(np.asarray(positions, dtype=np.int64))
        drop = smallest_drop(sd, len(positions), alpha, power)
        needed = queries_needed(sd, margin, alpha, power)
        found.append(SliceDetection(name, len(positions), n_changed, sd, drop, needed))
    return sorted(found, key=lambda part: (-(part.smallest_drop or math.inf), part.name))


def pooled_sd(differences: Sequence[Floats]) -> float:
    """Return the standard deviation of differences, together over several pairs of runs.

    That is the root of their mean variance. What only rounding made is none.
    """
    deviations = [float(deviations_of(values)) for values in differences if len(values) > 1]
    if len(deviations) == 1:
        sd = deviations[0]
    else:
        total = reduce(add, (one * one for one in deviations), 0.0)
        sd = math.sqrt(total / len(deviations)) if deviations else 0.0
    return sd if sd > ROUNDING else 0.0


def assumed_sd(values: Floats) -> float:
    """Return what differences may vary by where only one run is known."""
    return sd_of_differences(pooled_sd([values]), ASSUMED_CORRELATION)
