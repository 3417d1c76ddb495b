"""What a golden set can detect: the smallest drop that its queries can rule out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from berryeval.evaluation.comparing import compare
from berryeval.evaluation.detection import Detection, assumed_detection, detection_of
from berryeval.evaluation.evaluate import MeasureLike, evaluate, read_measures
from berryeval.evaluation.gate_rules import DEFAULT_RULES, POWER
from berryeval.evaluation.guards import Guard, Margin, MarginGuard, ThresholdGuard
from berryeval.evaluation.result import Evaluation, MeasureResult
from berryeval.evaluation.sampling import PLAIN
from berryeval.evaluation.slices import QueriesSource
from berryeval.evaluation.sources import JudgmentsSource, RunSource
from berryeval.measures import Measure
from berryeval.stats.power import check_power_option

__all__ = [
    "ASSUMED_CORRELATIONS",
    "MARGINS",
    "SMALLEST_MARGIN",
    "Sensitivity",
    "Spread",
    "propose_guards",
    "sensitivity",
]

ASSUMED_CORRELATIONS = (0.5, 0.7, 0.9)
"""Correlations of the scores of two systems, assumed where only one is known."""

MARGINS = (0.01, 0.02, 0.05, 0.1)

SMALLEST_MARGIN = 0.02
_LARGEST_MARGIN, _MARGIN_STEP = 0.05, 0.005
_THRESHOLD_STEP = 0.05

_Detections: TypeAlias = "tuple[tuple[float | None, Detection], ...]"
"""The assumed correlation, if any, and what can be detected."""

_CURVE = (10, 20, 30, 50, 75, 100, 150, 200, 300, 500, 750, 1000)


@dataclass(frozen=True)
class Spread:
    """How much differences vary from query to query, and what follows."""

    sd: float
    """The standard deviation of the differences."""
    correlation: float | None
    """The assumed correlation; None if the differences were measured."""
    smallest_drop: float | None
    """The smallest drop these queries can rule out; None without a spread, or for one query."""
    needed: tuple[tuple[float, int | None], ...]
    """For each margin, the number of queries that it needs."""
    needed_ranges: tuple[tuple[int, int | None] | None, ...]
    """For each margin, the range of that number; None if differences were not measured, an upper
    end of None if it is beyond any practical set."""
    curve: tuple[tuple[int, float], ...]
    """The smallest drop that each number of queries can rule out."""

    @property
    def is_assumed(self) -> bool:
        """Whether there was no second run to measure differences."""
        return self.correlation is not None


@dataclass(frozen=True)
class Sensitivity:
    """What a golden set can detect in one measure."""

    measure: Measure
    n_queries: int
    alpha: float
    power: float
    spreads: tuple[Spread, ...]
    """One if differences were measured, else one for each correlation that is assumed."""
    n_missing: int = 0
    """Queries that are missing from a run and scored as 0, which widens the spread."""
    n_groups: int | None = None
    """Groups of queries: then the queries needed, and those of the curve, are groups. None if
    queries stand alone."""
    effective_queries: float | None = None
    """Equivalent number of queries of equal weight (Kish); None without weights. The queries
    needed, and those of the curve, are queries whose weights differ as much as these do."""


def sensitivity(
    judgments: JudgmentsSource,
    run: RunSource,
    measures: Iterable[MeasureLike] | MeasureLike = "nDCG@10",
    *,
    against: RunSource | None = None,
    queries: QueriesSource | None = None,
    margins: Sequence[float] = MARGINS,
    alpha: float = DEFAULT_RULES.alpha,
    power: float = POWER,
) -> list[Sensitivity]:
    """Return the drops that a golden set can rule out, before relying on it.

    A drop can be ruled out if an equally good candidate passes a margin of that size with the
    probability `power`.

    Parameters
    ----------
    judgments, run, measures
        As `evaluate` takes them.
    against : run, optional
        A second system, to measure how its scores differ from those of `run`. Without it the
        spread of differences follows from that of the scores and `ASSUMED_CORRELATIONS`.
    queries : path or Query objects, optional
        Their weights count. With `against` their groups do, too: then every number of queries is a
        number of groups.
    margins : sequence of float
        Margins for which the number of queries is reported.
    alpha, power : float
        Between 0 and 1.

    Examples
    --------
    >>> judgments = {f"q{i}": {"d": 1} for i in range(10)}
    >>> run = {f"q{i}": ["x"] * (i % 2) + ["d"] for i in range(10)}
    >>> [found] = sensitivity(judgments, run, "RR")
    >>> found.n_queries, [round(spread.smallest_drop, 3) for spread in found.spreads]
    (10, [0.282, 0.227, 0.193])
    """
    check_power_option("alpha", alpha)
    check_power_option("power", power)
    for margin in margins:
        check_power_option("margin", margin)
    chosen = read_measures(measures)
    measured: list[tuple[MeasureResult, _Detections]]
    if against is not None:
        runs = {"run": run, "against": against}
        comparison = compare(judgments, runs, chosen, queries=queries)
        evaluations = [*comparison.evaluations.values()]
        measured = [
            (one, ((None, detection_of([d.column_of(d.values)], one, alpha=alpha, power=power)),))
            for d in comparison.differences
            for one in [evaluations[0][str(d.measure)]]
        ]
    else:
        evaluations = [evaluate(judgments, run, chosen, queries=queries)]
        measured = [
            (one, tuple(_assumed(one, alpha=alpha, power=power))) for one in evaluations[0].values()
        ]
    n_missing = _count_missing(evaluations)
    sampling = comparison.sampling if against is not None else PLAIN
    n_groups = None
    if sampling.groups is not None:
        n_groups = sampling.count(np.ones(len(sampling.groups), dtype=bool))
    return [
        Sensitivity(
            one.measure,
            one.n_queries,
            alpha,
            power,
            tuple(_spread(found, correlation, margins) for correlation, found in detections),
            n_missing,
            n_groups,
            evaluations[0].effective_queries,
        )
        for one, detections in measured
    ]


def _count_missing(evaluations: Iterable[Evaluation]) -> int:
    """Count the queries that are missing from at least one of the runs."""
    columns = (evaluation.scores.is_missing for evaluation in evaluations)
    return len([row for row in zip(*columns, strict=True) if any(row)])


def _assumed(result: MeasureResult, **asked: float) -> Iterator[tuple[float, Detection]]:
    for correlation in ASSUMED_CORRELATIONS:
        yield correlation, assumed_detection(result, correlation, **asked)


def _spread(found: Detection, correlation: float | None, margins: Sequence[float]) -> Spread:
    numbers = sorted({*_CURVE, found.n_queries} - {1}) if found.sd > 0 else []
    drops = ((n, found.drop_at(n)) for n in numbers)
    return Spread(
        sd=found.sd,
        correlation=correlation,
        smallest_drop=found.smallest_drop,
        needed=tuple((margin, found.needed_for(margin)) for margin in margins),
        needed_ranges=tuple(replace(found, margin=margin).needed_range for margin in margins),
        curve=tuple((n, drop) for n, drop in drops if drop is not None),
    )


def propose_guards(baseline: Evaluation) -> tuple[Guard, ...]:
    """Propose a margin on the lead measure, and a threshold on the next one.

    The margin is the smallest from 0.02 to 0.05 that these queries can detect, judged by one run.
    The threshold is somewhat below the mean of the baseline.
    """
    lead = MarginGuard(baseline.measures[0], Margin(_detectable(baseline, baseline.measures[0])))
    floor = _floor(baseline)
    return (lead,) if floor is None else (lead, floor)


def _detectable(baseline: Evaluation, measure: Measure) -> float:
    result = baseline[str(measure)]
    found = assumed_detection(result).smallest_drop
    if found is None:
        return SMALLEST_MARGIN
    within = min(max(found, SMALLEST_MARGIN), _LARGEST_MARGIN)
    return round(math.ceil(within / _MARGIN_STEP - 1e-9) * _MARGIN_STEP, 3)


def _floor(baseline: Evaluation) -> ThresholdGuard | None:
    """Return a threshold that the baseline reaches, on the second measure if there is one."""
    measures = [m for m in baseline.measures if m.higher_is_better and m.aggregate == "mean"]
    if not measures:
        return None
    measure = measures[min(1, len(measures) - 1)]
    steps = math.floor(baseline[str(measure)].mean / _THRESHOLD_STEP - 0.2)
    return ThresholdGuard(measure, round(max(0, steps) * _THRESHOLD_STEP, 2))
