"""Differences between finished evaluations, query by query, over all queries and by slice."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from berryeval.errors import ArgumentError
from berryeval.evaluation.bounds import Bounds
from berryeval.evaluation.deciding import Column, Estimate, estimate_family
from berryeval.evaluation.findings import ROUNDING, Finding, finding_of
from berryeval.evaluation.labelled import Labelled, RestsOn
from berryeval.evaluation.percentiles import few_queries, percentile_in, percentile_of, spread_of
from berryeval.evaluation.result import Evaluation, averaged, change_of_mean
from berryeval.evaluation.sampling import PLAIN, Sampling
from berryeval.evaluation.slices import Slice
from berryeval.measures import Measure
from berryeval.stats import Interval, TestResult, cohens_dz, paired_test, rank_biserial
from berryeval.stats.paired_tests import TestName
from berryeval.stats.validation import check_resamples

__all__ = [
    "BLIND_TO_NOISE",
    "Difference",
    "Pair",
    "Statistics",
    "SystemPair",
    "describe",
    "describe_common",
    "describe_slices",
    "find_pairs",
]

BLIND_TO_NOISE = ("wilcoxon", "sign")
"""Tests of ranks and signs, which a larger variance does not change."""


TESTS: tuple[str, ...] = get_args(TestName)
"""Tests that can be reported besides; none of them decides."""


@dataclass(frozen=True)
class Statistics:
    """Options of the statistics of a comparison; `berryeval.evaluation.deciding` has the policy.

    Raises
    ------
    ArgumentError
        For an invalid level, an unknown test, and too few or too many draws.
    """

    level: float = 0.95
    """Confidence level of two-sided intervals, simultaneous over each family."""
    tests: tuple[str, ...] = ()
    """Further tests whose p-values are reported and never decide: ``"t"``, ``"wilcoxon"``,
    ``"sign"``, ``"randomisation"``."""
    n_resamples: int = 10_000
    """Draws of signs: for families of several differences, and for the randomisation test."""
    seed: int = 0
    """Random seed for these draws."""

    def __post_init__(self) -> None:
        for test in self.tests:
            if test not in TESTS:
                raise ArgumentError("tests", " or ".join(map(repr, TESTS)), repr(test))
        if not 0 < self.level < 1:
            raise ArgumentError("level", "a number between 0 and 1", repr(self.level))
        check_resamples(self.n_resamples)


@dataclass(frozen=True, eq=False)
class Difference:
    """How far a candidate is from the baseline in one measure, over all queries or a slice."""

    system: str
    measure: Measure
    slice: Slice | None
    baseline_mean: float
    candidate_mean: float
    values: NDArray[np.float64]
    """Candidate minus baseline, one number per query in the order of ids as bytes. Differences due
    to rounding are 0. For a geometric mean these are differences of logarithms."""
    interval: Interval | None
    """Interval of the mean difference, simultaneous over its family; None for a stated `reason`."""
    p_value: float | None
    """Two-sided, for a mean difference of 0, from the same construction as the interval."""
    reason: str | None
    """Why there is neither interval nor p-value, such as fewer than ten queries changed."""
    tests: tuple[TestResult, ...]
    """Additional tests that were requested; not adjusted, and never decisive."""
    cohens_dz: float | None
    rank_biserial: float | None
    bounds: Bounds | None = None
    """Bounds of the mean difference over all grades of unjudged documents; None if the measure has
    no bounds, or they were not requested."""
    extremes: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None
    """The bounds of each query's difference, lowest and highest."""
    noise_sd: float | None = None
    """Standard deviation of the mean difference due to noise that all queries of a run share,
    between runs of the same systems; interval and p-value include it. None if no system was run
    again."""
    rows: Sequence[int] | None = None
    """The positions of the queries among all that are compared; None for all of them."""
    sampling: Sampling = PLAIN
    """The groups, weights and strata of the queries."""
    labelled: Labelled | None = None
    """The differences by people and by a model, if the mean is based on both."""

    @cached_property
    def rests_on(self) -> RestsOn | None:
        """The judgments that the mean difference is based on; None if all are by people."""
        if self.labelled is None:
            return None
        return self.labelled.rests_on(self.labelled.powered(self.sampling))

    def column_of(self, values: NDArray[np.float64]) -> Column:
        """Return what an interval is estimated from if these were the differences."""
        labelled = self.labelled if values is self.values else None
        return Column(values, self.rows, self.noise_sd or 0.0, self.sampling, labelled)

    @cached_property
    def mean(self) -> float:
        """The mean difference, or how far apart two geometric means or percentiles are."""
        if self.measure.aggregate == "percentile":
            return self.candidate_mean - self.baseline_mean
        found = None if self.labelled is None else self.labelled.powered(self.sampling)
        if found is not None:
            return change_of_mean(self.measure, found.sample.mean, self.baseline_mean)
        return change_of_mean(
            self.measure, self.sampling.mean_over(self.values), self.baseline_mean
        )

    @property
    def n_queries(self) -> int:
        """The number of queries compared."""
        return len(self.values)

    @property
    def wins(self) -> int:
        """Queries for which the candidate is better."""
        return int(np.count_nonzero(self._gains > 0))

    @property
    def ties(self) -> int:
        """Queries for which both are equal."""
        return int(np.count_nonzero(self.values == 0))

    @property
    def losses(self) -> int:
        """Queries for which the candidate is worse."""
        return int(np.count_nonzero(self._gains < 0))

    @property
    def finding(self) -> Finding:
        """Whether the candidate is better, worse, not clearly different, or untested."""
        return finding_of(self.interval, higher_is_better=self.measure.higher_is_better)

    @property
    def is_same(self) -> bool:
        """Whether the score of every query is the same."""
        return not self.values.any()

    @property
    def _gains(self) -> NDArray[np.float64]:
        return self.values if self.measure.higher_is_better else -self.values


@dataclass(frozen=True, eq=False)
class SystemPair:
    """How far two systems are apart in one measure."""

    first: str
    second: str
    difference: Difference
    """Difference of the second from the first, as in a comparison; its interval and p-value hold
    for all pairs of the measure together."""


@dataclass(frozen=True, eq=False)
class Pair:
    """The scores of baseline and candidate in one measure, in the form that is averaged."""

    system: str
    measure: Measure
    baseline: NDArray[np.float64]
    candidate: NDArray[np.float64]
    noise_sd: float | None = None
    slice: Slice | None = None
    rows: Sequence[int] | None = None
    """The positions of the queries among all that are compared; None for all of them."""
    sampling: Sampling = PLAIN
    """The groups, weights and strata of the queries."""
    labelled: tuple[Labelled, Labelled] | None = None
    """Scores of baseline and candidate by people and by a model, if the result is based on both."""

    @property
    def labelled_differences(self) -> Labelled | None:
        """Candidate minus baseline by people and by a model."""
        if self.labelled is None:
            return None
        before, after = self.labelled
        return replace(after.minus(before), weight=None)

    @property
    def differences(self) -> NDArray[np.float64]:
        """Candidate minus baseline; differences due to rounding are 0."""
        found = self.candidate - self.baseline
        found[np.abs(found) < ROUNDING] = 0.0
        return found

    @property
    def column(self) -> Column:
        """What is estimated."""
        noise_sd = self.noise_sd or 0.0
        labelled = self.labelled_differences
        return Column(self.differences, self.rows, noise_sd, self.sampling, labelled)

    def take(self, positions: Sequence[int], part: Slice | None = None) -> Pair:
        """Return the scores of some of the queries; only for pairs over all queries."""
        baseline, candidate = self.baseline[positions], self.candidate[positions]
        return replace(
            self,
            baseline=baseline,
            candidate=candidate,
            slice=part,
            rows=positions,
            sampling=self.sampling.take(positions),
            labelled=None
            if self.labelled is None
            else (self.labelled[0].take(positions), self.labelled[1].take(positions)),
        )


def find_pairs(
    reference: Evaluation,
    candidates: Mapping[str, Evaluation],
    measures: Iterable[Measure],
    query_ids: Sequence[str],
    sampling: Sampling = PLAIN,
) -> list[Pair]:
    """Return the scores of each candidate with those of the reference, measure by measure.

    The candidates of the first measure come first, as `describe` expects them.
    """
    return [
        Pair(
            name,
            measure,
            _column(reference, measure, query_ids),
            _column(candidate, measure, query_ids),
            sampling=sampling,
            labelled=_labelled(reference, candidate, measure),
        )
        for measure in measures
        for name, candidate in candidates.items()
    ]


def _labelled(
    reference: Evaluation, candidate: Evaluation, measure: Measure
) -> tuple[Labelled, Labelled] | None:
    before, after = (one[str(measure)].labelled for one in (reference, candidate))
    return None if before is None or after is None else (before, after)


def _column(
    evaluation: Evaluation, measure: Measure, query_ids: Sequence[str]
) -> NDArray[np.float64]:
    values = np.fromiter(averaged(measure, evaluation[str(measure)].values), np.float64)
    if len(values) == len(query_ids):
        return values
    place_of = {query_id: i for i, query_id in enumerate(evaluation.scores.query_ids)}
    return values[[place_of[query_id] for query_id in query_ids]]


def describe(
    pairs: Sequence[Pair], how: Statistics, sampling: Sampling = PLAIN
) -> list[Difference]:
    """Describe pairs over the same queries: the first measure alone, the others together."""
    lead = [pair for pair in pairs if pair.measure == pairs[0].measure]
    return [*_family(lead, how, sampling), *_family(pairs[len(lead) :], how, sampling)]


def describe_slices(
    pairs: Sequence[Pair],
    parts: Iterable[tuple[Slice, Sequence[int]]],
    how: Statistics,
    sampling: Sampling = PLAIN,
) -> list[Difference]:
    """Describe pairs over slices; the slices of one label in one measure are a family."""
    found = []
    for _, same_label in groupby(parts, key=lambda item: item[0].label):
        several = list(same_label)
        for measure in dict.fromkeys(pair.measure for pair in pairs):
            members = [
                pair.take(positions, part)
                for part, positions in several
                for pair in pairs
                if pair.measure == measure
            ]
            found += _family(members, how, sampling)
    return found


def describe_common(
    pairs: Sequence[Pair],
    evaluations: Iterable[Evaluation],
    how: Statistics,
    sampling: Sampling = PLAIN,
) -> list[Difference]:
    """Describe pairs over the queries that every run has, in the families of `describe`.

    Empty if no run lacks any query, and if no query is in every run.
    """
    is_missing = np.any([one.scores.is_missing for one in evaluations], axis=0)
    if is_missing.all() or not is_missing.any():
        return []
    positions = np.flatnonzero(~is_missing).tolist()
    return describe([pair.take(positions) for pair in pairs], how, sampling)


def _family(pairs: Sequence[Pair], how: Statistics, sampling: Sampling) -> list[Difference]:
    """Describe one family; percentiles, which are not means, are estimated separately."""
    means = [pair for pair in pairs if pair.measure.aggregate != "percentile"]
    estimates = iter(
        estimate_family(
            [pair.column for pair in means],
            how.level,
            sampling=sampling,
            n_flips=how.n_resamples,
            seed=how.seed,
        )
    )
    n_percentiles = len(pairs) - len(means)
    return [
        _difference(
            pair,
            _estimate_percentile(pair, how, n_percentiles)
            if pair.measure.aggregate == "percentile"
            else next(estimates),
            how,
        )
        for pair in pairs
    ]


def _estimate_percentile(pair: Pair, how: Statistics, n_percentiles: int) -> Estimate:
    """Estimate how far apart two percentiles are, by Bonferroni over those of the family."""
    column = pair.column
    percentile = percentile_in(pair.measure)
    reason = few_queries(percentile, column.n_units, pair.sampling.units)
    if reason is None and column.n_changed == 0:
        reason = "no time changed"
    if reason is not None:
        return Estimate(None, None, reason)
    spread = spread_of(pair.baseline, pair.candidate, percentile, pair.sampling, how.seed)
    spread = spread.widened(pair.noise_sd or 0.0)
    level = 1 - (1 - how.level) / n_percentiles
    found = replace(spread.interval(level), level=how.level)
    return Estimate(found, min(1.0, n_percentiles * spread.p_value()))


def _difference(pair: Pair, estimate: Estimate, how: Statistics) -> Difference:
    column = pair.column
    values = column.values
    means = [_mean_of(pair, pair.baseline), _mean_of(pair, pair.candidate)]
    if pair.labelled is not None:
        means = [_powered_mean(pair, own) for own in pair.labelled]
    before = means[0]
    return Difference(
        system=pair.system,
        measure=pair.measure,
        slice=pair.slice,
        baseline_mean=before,
        candidate_mean=means[1],
        values=values,
        interval=_of_mean(estimate.interval, pair.measure, before),
        p_value=estimate.p_value,
        reason=estimate.reason,
        tests=tuple(_test(name, column, how) for name in how.tests),
        # Effect sizes of single queries would treat the model's grades as those of people.
        cohens_dz=cohens_dz(values) if pair.labelled is None else None,
        rank_biserial=rank_biserial(values) if pair.labelled is None else None,
        noise_sd=pair.noise_sd,
        rows=pair.rows,
        sampling=pair.sampling,
        labelled=column.labelled,
    )


def _test(name: str, column: Column, how: Statistics) -> TestResult:
    tested = column.values if name in BLIND_TO_NOISE else column.noisy
    return paired_test(name, tested, n_resamples=how.n_resamples, seed=how.seed)


def _mean_of(pair: Pair, values: NDArray[np.float64]) -> float:
    if pair.measure.aggregate == "percentile":
        return percentile_of(values, percentile_in(pair.measure))
    mean = pair.sampling.mean_over(values)
    return math.exp(mean) if pair.measure.aggregate == "geometric" else mean


def _powered_mean(pair: Pair, own: Labelled) -> float:
    """Return the mean of one system by people and a model, which counts as in the difference."""
    difference = pair.column.powered
    weight = own.weight if difference is None else difference.weight
    found = replace(own, weight=weight).powered(pair.sampling)
    assert found is not None  # evaluations of fewer labels are rejected
    mean = found.sample.mean
    return math.exp(mean) if pair.measure.aggregate == "geometric" else mean


def _of_mean(interval: Interval | None, measure: Measure, before: float) -> Interval | None:
    if interval is None:
        return None
    low, high = (change_of_mean(measure, end, before) for end in (interval.low, interval.high))
    return replace(interval, low=low, high=high)
