"""Trials of margin guards, each over all queries or a slice."""

from __future__ import annotations

import math
from array import array
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from berryeval.errors import ArgumentError
from berryeval.evaluation.comparison import Comparison, Difference
from berryeval.evaluation.deciding import Column, Floats
from berryeval.evaluation.detection import (
    detection_in,
    largest_loss,
    loss_of_few,
    margin_of_averaged,
)
from berryeval.evaluation.findings import ROUNDING
from berryeval.evaluation.gate_rules import POWER, GateRules
from berryeval.evaluation.guards import MarginGuard
from berryeval.evaluation.labelled import Labelled
from berryeval.evaluation.margins import (
    MarginPValues,
    equivalence_p_values,
    margin_interval,
    margin_p_values,
)
from berryeval.evaluation.memory import Levels, levels_of
from berryeval.evaluation.percentiles import (
    Spread,
    few_queries,
    fewest_queries,
    percentile_in,
    resampled,
)
from berryeval.evaluation.result import aggregated, change_of_mean
from berryeval.evaluation.sampling import Sampling
from berryeval.evaluation.slices import Slice, find_slices
from berryeval.measures import Measure
from berryeval.stats import Interval, SampleMean

__all__ = ["Trial", "find_trials"]


@dataclass(frozen=True, eq=False)
class Trial:
    """A margin guard over all queries or a slice, with its numbers."""

    guard: MarginGuard
    slice: Slice | None
    differences: Floats
    """Candidate minus baseline, turned so that below 0 is worse."""
    extremes: tuple[Floats, Floats] | None
    """The same at their lowest and highest, by the grades of unjudged documents."""
    margin: float
    """Margin, in the form that is averaged, like the differences."""
    means: tuple[float, float]
    """Means of baseline and candidate."""
    loss: float
    """The most that a query can lose, in the form that is averaged."""
    is_unchanged: bool
    noise_sd: float | None
    """Noise of the mean difference between repeated runs; None if no system was run again."""
    sampling: Sampling
    """The groups, weights and strata of the queries."""
    shift: Floats
    """An amount that is added to the differences before they are tested, 0 on average. A margin
    that is a share of the baseline's mean varies with it, so the candidate is tested against that
    share of the baseline, query by query."""
    rules: GateRules
    """Rules of the gate, with the treatment of holes settled for this guard."""
    levels: Levels
    """The level that p-values are compared with."""
    baseline: str | None
    """The name of the baseline; None if the gate has one only."""
    labelled: Labelled | None
    """What is tested, by people and by a model, if the verdict is based on both: the differences,
    with `shift` added, turned so that below 0 is worse."""

    @property
    def n_queries(self) -> int:
        """The number of queries."""
        return len(self.differences)

    @property
    def mean(self) -> float:
        """The mean difference; 0 if it differs from 0 by rounding only."""
        mean = self.sampling.mean_over(self.differences)
        if self.column.powered is not None:
            mean = self.column.powered.sample.mean
        return 0.0 if abs(mean) < ROUNDING else mean

    def in_units(self, gain: float) -> float:
        """Return a gain of what is averaged as a change of the mean, in the measure's own sense.

        Where lower is better, a gain is a change below 0.
        """
        measure = self.guard.measure
        change = gain if measure.higher_is_better else 0.0 - gain
        return change_of_mean(measure, change, self.means[0])

    @property
    def is_watched(self) -> bool:
        """Whether it is only reported, being a small slice."""
        return self.slice is not None and self.column.n_units < self.rules.smallest_slice

    @property
    def is_testable(self) -> bool:
        """Whether enough queries changed, in enough groups, and they represent others.

        Queries that people labelled stand for those that only a model judged, even if the queries
        are all that matters.
        """
        is_sample = self.rules.inference == "population" or self.labelled is not None
        return self.column.is_testable and is_sample

    @cached_property
    def column(self) -> Column:
        """What is tested: the differences, and the noise that they share."""
        noise_sd = self.noise_sd or 0.0
        return Column(
            self.differences, noise_sd=noise_sd, sampling=self.sampling, labelled=self.labelled
        )

    @cached_property
    def sample(self) -> SampleMean:
        """The mean difference with its error, for a trial that can be tested."""
        if self.labelled is not None:
            assert self.column.sample is not None  # enough queries changed
            return self.column.sample
        shifted = replace(self.column, values=self.differences + self.shift)
        assert shifted.sample is not None  # enough queries changed
        return shifted.sample

    @cached_property
    def p_values(self) -> MarginPValues:
        """P-values of what can be tested."""
        test = equivalence_p_values if self.guard.is_equivalence else margin_p_values
        return test(self.sample, self.margin, self.loss)

    @property
    def is_better(self) -> bool:
        """Whether the test shows that the candidate is better than the baseline."""
        if not self.is_testable:
            return False
        skewness = self.sample.cautious_skewness
        return self.sample.p_above(skewness=skewness, loss=self.loss) <= self.levels.better

    def interval_at(self, alpha: float) -> Interval:
        """Return the interval that goes with the tests; of what can be tested."""
        is_equivalence = self.guard.is_equivalence
        return margin_interval(self.sample, alpha, self.loss, is_equivalence=is_equivalence)

    @property
    def needed(self) -> tuple[int | None, tuple[int, int | None] | None]:
        """About how many queries a verdict requires, and the range of that number."""
        found = detection_in(
            [self.column],
            alpha=self.levels.ahead,
            # Both sides have to pass.
            power=(1 + POWER) / 2 if self.guard.is_equivalence else POWER,
            margin=self.margin,
            loss=self.loss,
            score_range=loss_of_few(self.column, self.guard.measure),
        )
        is_early = self.levels.verdict < self.levels.ahead
        if is_early and found.needed is not None and found.needed <= self.column.n_units:
            return None, None  # more alpha is needed, not queries; later looks get more
        return found.needed, found.needed_range

    @property
    def untested(self) -> str | None:
        """Why nothing is tested, other than too few changed queries or groups."""
        return None

    @cached_property
    def by_holes(self) -> tuple[Trial, ...]:
        """The trial with unjudged documents graded least, and most, favourably to the candidate."""
        if self.extremes is None or self.is_unchanged:
            return ()
        if all(np.array_equal(extreme, self.differences) for extreme in self.extremes):
            return ()
        return tuple(replace(self, differences=extreme, extremes=None) for extreme in self.extremes)


@dataclass(frozen=True, eq=False)
class PercentileTrial(Trial):
    """A margin guard of a percentile, which is tested by resampling queries."""

    columns: tuple[Floats, Floats]
    """The values of baseline and candidate, one number per query."""
    seed: int

    @property
    def mean(self) -> float:
        """How far apart the percentiles are, turned so that below 0 is worse."""
        before, after = self.means
        return after - before if self.guard.measure.higher_is_better else before - after

    @property
    def untested(self) -> str | None:
        """Why there are too few queries, if there are."""
        percentile = percentile_in(self.guard.measure)
        return few_queries(percentile, self.column.n_units, self.sampling.units)

    @property
    def is_testable(self) -> bool:
        """Whether there are enough queries, and they represent others."""
        return self.untested is None and self.rules.inference == "population"

    @cached_property
    def spread(self) -> Spread:
        """What the gain could be, with a margin that is a share of the baseline's percentile.

        Such a margin varies with the baseline: it is added for each resample, and its mean is taken
        away again.
        """
        percentile = percentile_in(self.guard.measure)
        before, after = resampled(self.columns, percentile, self.sampling, self.seed)
        gains = after - before if self.guard.measure.higher_is_better else before - after
        if self.guard.margin.is_relative and self.slice is None:
            gains = gains + self.guard.margin.amount * (before - self.means[0])
        return Spread(gains).widened(self.noise_sd or 0.0)

    @cached_property
    def p_values(self) -> MarginPValues:
        """P-values of what can be tested."""
        spread, margin = self.spread, self.margin
        passing, failing = spread.p_above(-margin), spread.p_below(-margin)
        if self.guard.is_equivalence:
            passing = max(passing, spread.p_below(margin))
            failing = min(1.0, 2 * min(failing, spread.p_above(margin)))
        return MarginPValues(passing, failing)

    @property
    def is_better(self) -> bool:
        """Whether the percentile of the candidate is clearly better."""
        return self.is_testable and self.spread.p_above(0.0) <= self.levels.better

    def interval_at(self, alpha: float) -> Interval:
        """Return the interval that goes with the tests."""
        return self.spread.interval(1 - 2 * alpha)

    @property
    def needed(self) -> tuple[int | None, tuple[int, int | None] | None]:
        """The number of queries that the percentile needs; more than that is not known."""
        if self.untested is None:
            return None, None
        return fewest_queries(percentile_in(self.guard.measure)), None


def find_trials(
    guard: MarginGuard,
    comparison: Comparison,
    system: str,
    rules: GateRules,
    among: Collection[str] | None = None,
    *,
    levels: Levels | None = None,
    is_one_of_several: bool = False,
) -> list[Trial]:
    """Return the trial of a guard over all queries, and those over its slices.

    `among` omits all other queries; a slice without any left has no trial. `levels` are those of
    the rules by default. `is_one_of_several` means that the candidate is compared with other
    baselines, too. Raises `ArgumentError` if the measure was not compared, or its margin is a share
    of nothing.
    """
    try:
        difference = comparison.difference(system, guard.measure)
    except KeyError:
        raise ArgumentError(str(guard), "a measure that was compared", str(guard.measure)) from None
    margin = _margin(guard, difference.baseline_mean)
    parts: list[tuple[Slice | None, Sequence[int]]] = [(None, range(comparison.n_queries))]
    for label in guard.slices:
        parts += find_slices(comparison.queries, label, comparison.query_ids).items()
    if among is not None:
        ids = comparison.query_ids
        parts = [(part, [i for i in positions if ids[i] in among]) for part, positions in parts]
    settled = levels or levels_of(rules, None)
    baseline = comparison.baseline if is_one_of_several else None
    return [
        _trial(guard, part, positions, difference, comparison, margin, rules, settled, baseline)
        for part, positions in parts
        if positions
    ]


def _margin(guard: MarginGuard, baseline_mean: float) -> float:
    """Return the margin in the form that is averaged: for a geometric mean, in logarithms."""
    margin = guard.margin.of(baseline_mean)
    if margin == 0.0:
        got = f"{guard.margin} of a baseline whose mean is 0"
        raise ArgumentError(str(guard), "a margin above 0", got)
    found = margin_of_averaged(guard.measure, margin, baseline_mean)
    if math.isinf(found):
        expected = f"a margin below the baseline's mean, {baseline_mean:.4f}"
        raise ArgumentError(str(guard), expected, str(guard.margin))
    return found


def _mean(
    comparison: Comparison,
    system: str,
    measure: Measure,
    positions: Sequence[int],
    sampling: Sampling,
) -> float:
    by_query = comparison.evaluations[system][str(measure)].by_query
    scores = array("d", (by_query[comparison.query_ids[position]] for position in positions))
    return aggregated(measure, scores, sampling.weights)


def _trial(
    guard: MarginGuard,
    part: Slice | None,
    positions: Sequence[int],
    difference: Difference,
    comparison: Comparison,
    margin: float,
    rules: GateRules,
    levels: Levels,
    name: str | None,
) -> Trial:
    sign = 1.0 if guard.measure.higher_is_better else -1.0
    places = np.asarray(positions)
    differences = sign * difference.values[places]
    extremes = None
    if difference.extremes is not None:
        low, high = (sign * column[places] for column in difference.extremes)
        extremes = (low, high) if sign > 0 else (high, low)
    is_unchanged = not differences.any() and comparison.is_unchanged(
        difference.system, guard.measure.depth, [comparison.query_ids[i] for i in positions]
    )
    sampling = comparison.sampling.take(positions)
    before, after = (
        _mean(comparison, system, guard.measure, positions, sampling)
        for system in (comparison.baseline, difference.system)
    )
    labelled = _labelled(guard, part, difference, comparison, places, rules)
    if labelled is not None:
        before, after = _powered_means(difference, comparison, places, sampling)
    baseline, candidate = (
        comparison.evaluations[run][str(guard.measure)].values
        for run in (comparison.baseline, difference.system)
    )
    shift = _shift(guard, part, np.array([baseline[i] for i in positions]), sampling)
    common = (
        guard,
        part,
        differences,
        extremes,
        margin,
        (before, after),
        largest_loss(guard.measure, baseline),
        is_unchanged,
        difference.noise_sd,
        sampling,
        shift,
        rules,
        levels,
        name,
        labelled,
    )
    if guard.measure.aggregate != "percentile":
        return Trial(*common)
    columns = np.asarray(baseline)[places], np.asarray(candidate)[places]
    return PercentileTrial(*common, columns, comparison.statistics.seed)


def _shift(guard: MarginGuard, part: Slice | None, baseline: Floats, sampling: Sampling) -> Floats:
    """Return by how much the margin of each query differs from the mean one; 0 for a percentile.

    The margin of a slice is a share of the mean over all queries, and so the same for each. That of
    a geometric mean is a factor, which is the same for each, too.
    """
    is_shared = part is not None or guard.measure.aggregate in ("geometric", "percentile")
    if not guard.margin.is_relative or is_shared or baseline.min() < 0:
        return np.zeros(len(baseline))
    return guard.margin.amount * (baseline - sampling.mean_over(baseline))


def _labelled(
    guard: MarginGuard,
    part: Slice | None,
    difference: Difference,
    comparison: Comparison,
    places: NDArray[np.intp],
    rules: GateRules,
) -> Labelled | None:
    """Return what is tested by people and by a model, if the verdict is based on both."""
    if difference.labelled is None:
        return None
    rows = places.tolist()
    found = difference.labelled.take(rows)
    if not guard.measure.higher_is_better:
        found = -found
    baseline = comparison.evaluations[comparison.baseline][str(guard.measure)]
    is_shared = part is not None or guard.measure.aggregate == "geometric"
    if guard.margin.is_relative and not is_shared and baseline.labelled is not None:
        # Like `_shift`: the candidate is compared with this share of the baseline.
        before = baseline.labelled.take(rows)
        centred = before.above(baseline.mean)
        found = found.plus(centred, guard.margin.amount)
    return replace(found, inference=rules.inference)


def _powered_means(
    difference: Difference, comparison: Comparison, places: NDArray[np.intp], sampling: Sampling
) -> list[float]:
    """Return the means of baseline and candidate by people and a model."""
    means = []
    for run in (comparison.baseline, difference.system):
        own = comparison.evaluations[run][str(difference.measure)].labelled
        found = None if own is None else own.take(places.tolist()).powered(sampling)
        assert found is not None  # a comparison of fewer labels is rejected
        is_geometric = difference.measure.aggregate == "geometric"
        means.append(math.exp(found.sample.mean) if is_geometric else found.sample.mean)
    return means
