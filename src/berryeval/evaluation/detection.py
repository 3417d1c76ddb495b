"""What a number of queries can detect, given how much differences vary from query to query.

The gate, `berryeval.evaluation.power` and the workbench all ask it here, so that a margin requires
the same number of queries everywhere.
"""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial, reduce
from operator import add
from typing import Any, Literal, TypeAlias

import numpy as np
from scipy.special import bdtr

from berryeval.evaluation.deciding import MIN_CHANGED, Column
from berryeval.evaluation.findings import ROUNDING
from berryeval.evaluation.gate_rules import DEFAULT_RULES, POWER
from berryeval.evaluation.margins import judge_margin
from berryeval.evaluation.result import MeasureResult, averaged, change_of_mean
from berryeval.evaluation.sampling import Sampling
from berryeval.evaluation.weighting import weights_of
from berryeval.measures import Measure
from berryeval.stats import power_at, sd_interval, sd_of_differences
from berryeval.stats.power import fewest_queries, smallest_margin
from berryeval.stats.validation import check_share

__all__ = [
    "ASSUMED_CORRELATION",
    "Detection",
    "Sufficiency",
    "assumed_detection",
    "detection_in",
    "detection_of",
    "largest_loss",
    "loss_of_few",
    "margin_of_averaged",
    "range_of",
]

ASSUMED_CORRELATION = 0.7
"""Correlation of the scores of two versions of a system, assumed where only one is known."""

Sufficiency: TypeAlias = Literal["enough", "too few", "too few changed", "no spread"]
"""Whether queries can rule out a drop of the margin."""

_FEWEST, _MOST = 5, 200_000
_POINTS_PER_DECADE = 16


@dataclass(frozen=True)
class Detection:
    """What a number of queries can detect, and how many a margin needs.

    It follows the rules of a gate, for a candidate that truly equals the baseline: by the
    test of `berryeval.evaluation.margins` if `MIN_CHANGED` queries or more change, and by the
    share of queries that change if fewer do.
    """

    n_queries: int
    sd: float
    """How much differences vary from query to query, in the form that is averaged."""
    alpha: float = DEFAULT_RULES.alpha
    power: float = POWER
    margin: float = 0.0
    """The largest drop that is accepted; 0 if no margin is considered."""
    n_changed: int | None = None
    """Queries whose score differs; None if differences were not measured."""
    measure: Measure | None = None
    """The measure, if its geometric mean is considered; None or any other for a plain mean."""
    baseline_mean: float = 0.0
    loss: float = 0.0
    """The most that a query can lose, in the form that is averaged."""
    skewness: float = 0.0
    """Skewness of the differences."""
    sd_range: tuple[float, float] | None = None
    """The 95% confidence interval of the standard deviation; None if differences were not measured,
    or on too few queries."""
    score_range: float | None = None
    """Largest distance of two scores, in the form that is averaged. Default: the range of the
    measure, or unlimited without one."""
    fewest_changed: int = MIN_CHANGED
    """Number of queries that must change before a gate tests them: more than ten if weights
    differ."""
    effective_queries: float | None = None
    """Equivalent number of queries of equal weight (Kish); None without weights."""

    def __post_init__(self) -> None:
        """Check the fields."""
        check_share("alpha", self.alpha)
        check_share("power", self.power)

    @cached_property
    def smallest_drop(self) -> float | None:
        """The smallest drop these queries can rule out; None without a spread, or for one query."""
        return self.drop_at(self.n_queries)

    @cached_property
    def needed(self) -> int | None:
        """Number of queries that the margin requires; None without a margin or a spread."""
        return self.needed_for(self.margin)

    @cached_property
    def needed_range(self) -> tuple[int, int | None] | None:
        """The range of `needed`, since the spread is estimated from few queries.

        None if it is unknown, or the spread makes no difference; an upper end of None is beyond any
        practical number.
        """
        if self.sd_range is None or self.needed is None:
            return None
        low, high = (replace(self, sd=sd).needed for sd in self.sd_range)
        return None if low == high else (low or self.needed, high)

    @property
    def is_enough(self) -> bool:
        """Whether the available queries can rule the margin out."""
        return self.is_enough_for(self.margin)

    @property
    def missing(self) -> int:
        """How many more queries the margin requires."""
        return max(0, (self.needed or 0) - self.n_queries)

    @property
    def has_few_changes(self) -> bool:
        """Whether too few queries differ for a gate to test them."""
        is_known = self._has_spread and self.n_changed is not None
        return is_known and self.n_changed < self.fewest_changed  # type: ignore[operator]

    @property
    def sufficiency(self) -> Sufficiency:
        """Whether the queries are enough for the margin, and if not, why."""
        if not self._has_spread:
            return "no spread"
        if self.is_enough:
            return "enough"
        return "too few changed" if self.has_few_changes else "too few"

    def drop_at(self, n_queries: int) -> float | None:
        """Return the smallest drop that a number of queries can rule out; None if there is none."""
        if n_queries < 2 or not self._has_spread:  # noqa: PLR2004
            return None
        found = smallest_margin(
            lambda margin: self._passing(n_queries, margin) >= self.power, self.sd
        )
        if math.isinf(found):
            return None
        if self.measure is None:
            return found
        return 0.0 - change_of_mean(self.measure, -found, self.baseline_mean)

    def needed_for(self, margin: float) -> int | None:
        """Return how many queries another margin requires."""
        averaged = margin
        if self.measure is not None:
            averaged = margin_of_averaged(self.measure, margin, self.baseline_mean)
        is_unknown = self.sd == 0 and self.n_changed is None
        if math.isinf(averaged) or margin == 0 or is_unknown:  # no mean falls by as much
            return None
        tested = fewest_queries(lambda n: self._tested(n, averaged) >= self.power)
        options = [tested, *self._harmless_numbers(averaged)]
        return min((n for n in options if n is not None), default=None)

    def _harmless_numbers(self, margin: float) -> Iterator[int]:
        """Iterate over numbers of queries at which few changes pass, however much they lose."""
        for n_changed in range(self.fewest_changed if self._share < 1 else 0):
            found = fewest_queries(partial(self._is_harmless, n_changed, margin=margin))
            if found is not None and self._passing(found, margin) >= self.power:
                yield found

    @property
    def _has_spread(self) -> bool:
        """Whether the spread of differences is known."""
        return self.sd > 0 and self.n_queries > 1

    @property
    def _share(self) -> float:
        """Share of the queries that change; 1 if unknown."""
        return 1.0 if self.n_changed is None else self.n_changed / self.n_queries

    def _passing(self, n_queries: int, margin: float) -> float:
        """Return the probability that n queries pass, tested or not."""
        found = self._tested(n_queries, margin)
        if self._at_most(self.fewest_changed - 1, n_queries) > 0:
            few = range(self.fewest_changed)
            harmless = [k for k in few if self._is_harmless(k, n_queries, margin)]
            if harmless:
                found += self._at_most(harmless[-1], n_queries)
        return found

    def _tested(self, n_queries: int, margin: float) -> float:
        """Return the probability that n queries have enough changes and pass the test."""
        tested = 1 - self._at_most(self.fewest_changed - 1, n_queries)
        if tested < self.power / 2:  # no power could make up for that
            return 0.0
        return tested * power_at(
            self.sd, n_queries, margin, self.alpha, skewness=self.skewness, loss=self.loss
        )

    def _at_most(self, n_changed: int, n_queries: int) -> float:
        """Return the probability that at most a given number of the queries change."""
        return 1.0 if n_changed >= n_queries else float(bdtr(n_changed, n_queries, self._share))

    def _is_harmless(self, n_changed: int, n_queries: int, margin: float) -> bool:
        """Return whether a gate passes this few changes, regardless of how much they lose."""
        score_range = self.score_range
        if score_range is None:
            score_range = math.inf if self.measure is None else range_of(self.measure)
        verdict = judge_margin(None, None, n_changed, n_queries, margin, score_range, self.alpha)
        return verdict == "pass"

    def is_enough_for(self, margin: float) -> bool:
        """Return whether the available queries can rule out a drop of another margin."""
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


def detection_in(columns: Sequence[Column], **asked: Any) -> Detection:  # noqa: ANN401 - of Detection
    """Return what queries can detect, given measured differences of one or several pairs of runs.

    All columns have the same queries. The pair that differs in most queries determines how many
    change. Numbers are of groups if queries come in groups; of queries whose weights differ as much
    if they have weights; and of queries in the same proportions if they come from strata. `asked`
    are other fields of `Detection`.
    """
    chosen = max(columns, key=lambda column: column.n_changed)
    sample = chosen.sample
    is_plain = len(columns) == 1 and chosen.sampling.is_plain
    return Detection(
        chosen.n_units,
        _pooled([_sd_of(column) for column in columns]),
        n_changed=chosen.n_changed,
        skewness=0.0 if sample is None else sample.skewness,
        sd_range=sd_interval(chosen.noisy) if is_plain else None,
        **asked | _weighted(chosen, asked.get("loss", 0.0)),
    )


def _weighted(column: Column, loss: float) -> dict[str, Any]:
    """Return the effect of weights: a heavy query can lose more than others, but is only one."""
    effective = column.sampling.effective_queries
    if effective is None:
        return {}
    fewest = MIN_CHANGED
    if column.worth_changed > 0:
        fewest = math.ceil(MIN_CHANGED * column.n_changed / column.worth_changed - ROUNDING)
    return {
        "loss": loss * column.n_units / min(column.n_units, effective),
        "score_range": math.inf,
        "fewest_changed": fewest,
        "effective_queries": effective,
    }


def detection_of(
    columns: Sequence[Column],
    baseline: MeasureResult,
    **asked: Any,  # noqa: ANN401 - of Detection
) -> Detection:
    """Return what `detection_in` does, for differences from the scores of a baseline."""
    measure = baseline.measure
    if not measure.higher_is_better:
        columns = [replace(column, values=-column.values) for column in columns]
    return detection_in(
        columns,
        measure=measure,
        baseline_mean=baseline.mean,
        loss=largest_loss(measure, baseline.values),
        **asked,
    )


def assumed_detection(
    baseline: MeasureResult,
    correlation: float = ASSUMED_CORRELATION,
    **asked: Any,  # noqa: ANN401 - of Detection
) -> Detection:
    """Return what queries can detect if only one run is known, and all queries change.

    The correlation of the scores of both systems determines how much differences vary. `asked` are
    other fields of `Detection`.
    """
    measure = baseline.measure
    values = np.fromiter(averaged(measure, baseline.values), np.float64)
    weights = weights_of(baseline.queries, baseline.scores.query_ids)
    # Not by strata: both systems share the differences between them, so these are part of the
    # assumed correlation.
    column = Column(values, sampling=Sampling(weights=weights))
    loss = largest_loss(measure, baseline.values)
    return Detection(
        len(values),
        sd_of_differences(_sd_of(column), correlation),
        measure=measure,
        baseline_mean=baseline.mean,
        **{"loss": loss} | asked | _weighted(column, loss),
    )


def largest_loss(measure: Measure, scores: Sequence[float]) -> float:
    """Return the most that one query can lose: from the best score in the set to the worst.

    It is in the form that is averaged. For a measure without a lowest score, the range of the
    scores is used.
    """
    if len(scores) == 0:
        return 0.0
    best, worst = max(scores), measure.bounds[0]
    if not measure.higher_is_better:
        best, worst = min(scores), measure.bounds[1]
    if math.isinf(worst):
        worst = min(scores) if measure.higher_is_better else max(scores)
    start, end = averaged(measure, array("d", (best, worst)))
    return abs(start - end)


def loss_of_few(column: Column, measure: Measure) -> float:
    """Return the most that each changed query can lose, if too few changed to test.

    Without weights it is the range of scores. With weights it has no bound: how many queries change
    says nothing about how much traffic does, so few changes are never treated as harmless.
    """
    return math.inf if column.is_weighted else range_of(measure)


def range_of(measure: Measure) -> float:
    """Return how far apart two scores can be, in the form that is averaged."""
    low, high = averaged(measure, array("d", measure.bounds))
    return high - low


def margin_of_averaged(measure: Measure, margin: float, baseline_mean: float) -> float:
    """Return a margin in the form that is averaged: for a geometric mean, in logarithms.

    Infinite if a geometric mean cannot fall that much.
    """
    if measure.aggregate != "geometric":
        return margin
    return -math.log1p(-margin / baseline_mean) if margin < baseline_mean else math.inf


def _sd_of(column: Column) -> float:
    """Return how much differences vary from unit to unit; differences due to rounding are 0."""
    sample = column.sample
    sd = 0.0 if sample is None else sample.standard_error * math.sqrt(sample.n)
    return sd if sd > ROUNDING else 0.0


def _pooled(deviations: Sequence[float]) -> float:
    """Return the root of the mean variance."""
    if len(deviations) == 1:
        return deviations[0]
    return math.sqrt(reduce(add, (sd * sd for sd in deviations), 0.0) / len(deviations))
