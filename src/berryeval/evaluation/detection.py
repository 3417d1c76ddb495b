"""What a number of queries can detect, given how much differences vary from query to query.

The gate, `berryeval.evaluation.power` and the workbench all ask it here, so that a margin needs
the same number of queries wherever it is asked.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import add
from typing import Literal, TypeAlias

from berryeval.evaluation.deciding import FEWEST_CHANGED, Floats
from berryeval.evaluation.findings import ROUNDING
from berryeval.evaluation.gate_rules import DEFAULT_RULES, POWER
from berryeval.evaluation.result import change_of_mean
from berryeval.measures import Measure
from berryeval.stats import (
    deviations_of,
    queries_needed,
    sd_of_differences,
    smallest_drop,
)

__all__ = [
    "ASSUMED_CORRELATION",
    "Detection",
    "Sufficiency",
    "assumed_sd",
    "margin_of_averaged",
    "pooled_sd",
]

ASSUMED_CORRELATION = 0.7
"""Correlation of the scores of two versions of a system, assumed where only one is known."""

Sufficiency: TypeAlias = Literal["enough", "too few", "too few changed", "no spread"]
"""Whether queries can rule out a drop of the margin."""

_FEWEST, _MOST = 5, 200_000
_POINTS_PER_DECADE = 16


@dataclass(frozen=True)
class Detection:
    """What a number of queries can detect, and how many a margin needs."""

    n_queries: int
    sd: float
    """How much differences vary from query to query, in what the mean is taken of."""
    alpha: float = DEFAULT_RULES.alpha
    power: float = POWER
    margin: float = 0.0
    """The largest drop that is accepted; 0 if none is asked about."""
    n_changed: int | None = None
    """Queries whose score differs; None if differences were not measured."""
    measure: Measure | None = None
    """Whose geometric mean is considered; None or any other for a plain mean."""
    baseline_mean: float = 0.0

    @cached_property
    def smallest_drop(self) -> float | None:
        """The smallest drop that these queries can rule out; None without any spread, or of one."""
        return self.drop_at(self.n_queries)

    @cached_property
    def needed(self) -> int | None:
        """Queries that the margin needs; None without a margin, or any spread."""
        return self.needed_for(self.margin)

    @property
    def is_enough(self) -> bool:
        """Whether the queries at hand can rule the margin out."""
        return self.is_enough_for(self.margin)

    @property
    def missing(self) -> int:
        """How many more queries the margin needs."""
        return max(0, (self.needed or 0) - self.n_queries)

    @property
    def has_few_changes(self) -> bool:
        """Whether so few queries differ that a gate would not test them."""
        is_known = self.n_changed is not None and self.smallest_drop is not None
        return is_known and (self.n_changed or 0) < FEWEST_CHANGED

    @property
    def sufficiency(self) -> Sufficiency:
        """Whether the queries are enough for the margin, and if not, why."""
        if self.smallest_drop is None:
            return "no spread"
        if self.has_few_changes:
            return "too few changed"
        return "enough" if self.is_enough else "too few"

    def drop_at(self, n_queries: int) -> float | None:
        """Return the smallest drop that so many queries can rule out."""
        found = smallest_drop(self.sd, n_queries, self.alpha, self.power)
        if found is None or self.measure is None:
            return found
        return 0.0 - change_of_mean(self.measure, -found, self.baseline_mean)

    def needed_for(self, margin: float) -> int | None:
        """Return how many queries another margin needs."""
        averaged = margin
        if self.measure is not None:
            averaged = margin_of_averaged(self.measure, margin, self.baseline_mean)
        if math.isinf(averaged):  # a geometric mean cannot fall by as much
            return None
        return queries_needed(self.sd, averaged, self.alpha, self.power)

    def is_enough_for(self, margin: float) -> bool:
        """Return whether the queries at hand can rule out a drop of another margin."""
        return self.smallest_drop is not None and self.smallest_drop <= margin

    @cached_property
    def curve(self) -> tuple[tuple[int, float], ...]:
        """For numbers of queries, from few to twice as many as matter, the smallest drop."""
        last = min(_MOST, max(100, 2 * max(self.n_queries, self.needed or 0)))
        n_points = math.ceil(_POINTS_PER_DECADE * math.log10(last / _FEWEST))
        steps = (_FEWEST * 10 ** (step / _POINTS_PER_DECADE) for step in range(n_points))
        numbers = dict.fromkeys([*map(round, steps), last])
        drops = ((n, self.drop_at(n)) for n in numbers)
        return tuple((n, drop) for n, drop in drops if drop is not None)


def margin_of_averaged(measure: Measure, margin: float, baseline_mean: float) -> float:
    """Return a margin in what the mean is taken of: for a geometric mean, in logarithms.

    Infinite if a geometric mean cannot fall by as much.
    """
    if measure.aggregate != "geometric":
        return margin
    return -math.log1p(-margin / baseline_mean) if margin < baseline_mean else math.inf


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


def assumed_sd(values: Floats, correlation: float = ASSUMED_CORRELATION) -> float:
    """Return what differences may vary by where only one run is known."""
    return sd_of_differences(pooled_sd([values]), correlation)
