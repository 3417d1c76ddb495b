"""What a golden set can see: the smallest drop that its queries can rule out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from berryeval.errors import ArgumentError
from berryeval.evaluation.comparing import compare
from berryeval.evaluation.detection import Detection, assumed_detection, detection_of
from berryeval.evaluation.evaluate import (
    JudgmentsSource,
    MeasureLike,
    RunSource,
    evaluate,
    read_measures,
)
from berryeval.evaluation.gate_rules import DEFAULT_RULES, POWER
from berryeval.evaluation.result import Evaluation, MeasureResult
from berryeval.evaluation.sampling import PLAIN
from berryeval.evaluation.slices import QueriesSource
from berryeval.measures import Measure

__all__ = ["ASSUMED_CORRELATIONS", "MARGINS", "Sensitivity", "Spread", "sensitivity"]

ASSUMED_CORRELATIONS = (0.5, 0.7, 0.9)
"""How the scores of two systems may go together, where only one is known."""

MARGINS = (0.01, 0.02, 0.05, 0.1)

_Detections: TypeAlias = "tuple[tuple[float | None, Detection], ...]"
"""What can be detected, after the correlation that is assumed, if any."""

_CURVE = (10, 20, 30, 50, 75, 100, 150, 200, 300, 500, 750, 1000)


@dataclass(frozen=True)
class Spread:
    """How much differences vary from query to query, and what follows."""

    sd: float
    """The standard deviation of the differences."""
    correlation: float | None
    """What was assumed; None if the differences were measured."""
    smallest_drop: float | None
    """What these queries can rule out; None without any spread, or of one query."""
    needed: tuple[tuple[float, int | None], ...]
    """For each margin the queries it needs."""
    needed_ranges: tuple[tuple[int, int | None] | None, ...]
    """For each margin between which numbers that lies; None if differences were not measured, an
    upper end of None if it is beyond what anybody judges."""
    curve: tuple[tuple[int, float], ...]
    """For numbers of queries the smallest drop they can rule out."""

    @property
    def is_assumed(self) -> bool:
        """Whether a second run was lacking."""
        return self.correlation is not None


@dataclass(frozen=True)
class Sensitivity:
    """What a golden set can see in one measure."""

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
    """How many queries of equal weight are worth as much (Kish); None without weights. The queries
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
    """Return what drops a golden set can rule out, before it is relied upon.

    A drop can be ruled out if an equally good candidate passes a margin of that size with the
    probability `power`.

    Parameters
    ----------
    judgments, run, measures
        As `evaluate` takes them.
    against : run, optional
        A second system: how its scores differ from those of `run` is measured. Without it the
        spread of differences follows from that of the scores and from correlations that are
        assumed: `ASSUMED_CORRELATIONS`.
    queries : path or Query objects, optional
        Their weights count; their groups too, with `against`: then every number of queries is one
        of groups.
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
    for margin in margins:
        if not 0 < margin < math.inf:
            raise ArgumentError("margins", "numbers above 0", repr(margin))
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
    """Return how many queries at least one of the runs lacks."""
    columns = (evaluation.scores.is_missing for evaluation in evaluations)
    return len([row for row in zip(*columns, strict=True) if any(row)])


def _assumed(result: MeasureResult, **asked: float) -> Iterator[tuple[float, Detection]]:
    """Return what can be detected, for each correlation that is assumed."""
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
