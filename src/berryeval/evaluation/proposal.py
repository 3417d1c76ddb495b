"""Guards to begin with: what fits the queries and the scores that are there."""

from __future__ import annotations

import math

from berryeval.evaluation.detection import assumed_detection
from berryeval.evaluation.guards import Guard, Margin, MarginGuard, ThresholdGuard
from berryeval.evaluation.result import Evaluation
from berryeval.measures import Measure

__all__ = ["SMALLEST_MARGIN", "propose_guards"]

SMALLEST_MARGIN = 0.02
_LARGEST_MARGIN, _MARGIN_STEP = 0.05, 0.005
_THRESHOLD_STEP = 0.05


def propose_guards(baseline: Evaluation) -> tuple[Guard, ...]:
    """Propose a margin on the measure that leads, and a threshold on the next one.

    The margin is the smallest from 0.02 to 0.05 that these queries can detect, as far as one run
    shows it. The threshold is somewhat below what the baseline reaches.
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
