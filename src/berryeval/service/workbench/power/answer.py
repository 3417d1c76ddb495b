"""What a golden set can see, from scores that are at hand.

`berryeval.evaluation.sensitivity` scores runs first; a page has their scores already, wants one
measure and one slice at a time, and a curve that is smooth.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from berryeval.evaluation.comparison import ROUNDING
from berryeval.stats import power_at, queries_needed, sd_of_differences, smallest_drop

__all__ = [
    "ASSUMED_CORRELATION",
    "Answer",
    "Floats",
    "Part",
    "Positions",
    "answer",
    "curve",
    "parts_of",
    "pooled_sd",
    "queries_for",
    "sd_assumed",
    "visible_drop",
]

Floats: TypeAlias = NDArray[np.float64]
Positions: TypeAlias = NDArray[np.int64]

ASSUMED_CORRELATION = 0.7
"""How the scores of two versions of a system may go together, where only one is known."""

_FEWEST, _MOST = 5, 200_000
_POINTS_A_DECADE = 16


@dataclass(frozen=True)
class Answer:
    """What a number of queries can see, and how many a margin needs."""

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
class Part:
    """What the queries of one slice can see."""

    name: str
    n_queries: int
    n_changed: int
    """Queries whose score differs."""
    sd: float
    smallest_drop: float | None
    needed: int | None


def answer(n_queries: int, sd: float, margin: float, alpha: float, power: float) -> Answer:
    """Return what queries can see, whose differences vary by `sd`."""
    needed = queries_for(sd, margin, alpha, power)
    return Answer(
        n_queries,
        sd,
        alpha,
        power,
        margin,
        visible_drop(sd, n_queries, alpha, power),
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
    return tuple((n, sd * _unit_drop(n, alpha, power)) for n in numbers)


def parts_of(
    spread_of: Callable[[Positions], tuple[float, int]],
    slices: Mapping[str, Sequence[int]],
    margin: float,
    alpha: float,
    power: float,
) -> list[Part]:
    """Return what each slice can see, the one that sees least first.

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
        drop = visible_drop(sd, len(positions), alpha, power)
        needed = queries_for(sd, margin, alpha, power)
        found.append(Part(name, len(positions), n_changed, sd, drop, needed))
    return sorted(found, key=lambda part: (-(part.smallest_drop or math.inf), part.name))


def pooled_sd(differences: Sequence[Floats]) -> float:
    """Return the standard deviation of differences, together over several pairs of runs.

    That is the root of their mean variance. What only rounding made is none.
    """
    variances = [float(values.var(ddof=1)) for values in differences if len(values) > 1]
    sd = math.sqrt(sum(variances) / len(variances)) if variances else 0.0
    return sd if sd > ROUNDING else 0.0


def sd_assumed(values: Floats) -> float:
    """Return what differences may vary by where only one run is known."""
    return sd_of_differences(pooled_sd([values]), ASSUMED_CORRELATION)


def queries_for(sd: float, margin: float, alpha: float, power: float) -> int | None:
    """Return how many queries a margin needs, by the t distribution that `visible_drop` goes by.

    `queries_needed` is a normal approximation, and may be one or two queries short.
    """
    found = queries_needed(sd, margin, alpha, power)
    if found is None:
        return None
    while power_at(sd, found, margin, alpha) < power:
        found += 1
    return found


def visible_drop(sd: float, n_queries: int, alpha: float, power: float) -> float | None:
    """Return the smallest drop that queries can rule out; None without any spread, or of one."""
    if sd == 0 or n_queries < 2:  # noqa: PLR2004
        return None
    return sd * _unit_drop(n_queries, alpha, power)


@lru_cache(maxsize=4096)
def _unit_drop(n_queries: int, alpha: float, power: float) -> float:
    """Return what can be ruled out where the standard deviation is 1; it scales with that."""
    found = smallest_drop(1.0, n_queries, alpha, power)
    assert found is not None
    return found
