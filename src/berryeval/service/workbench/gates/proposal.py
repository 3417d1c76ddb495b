"""A first gate that makes sense for what the archive holds."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from berryeval.archive import Archive
from berryeval.errors import BerryEvalError
from berryeval.evaluation.detection import assumed_sd
from berryeval.evaluation.gate_rules import GateRules
from berryeval.evaluation.result import Evaluation, averaged
from berryeval.evaluation.trials import POWER
from berryeval.service.references import find_run
from berryeval.service.workbench.scoring import Scoring
from berryeval.stats import smallest_drop

__all__ = ["propose"]

_SMALLEST, _LARGEST, _STEP = 0.02, 0.05, 0.005
_THRESHOLD_STEP = 0.05


def propose(archive: Archive, scoring: Scoring) -> dict[str, Any]:
    """Return settings: a margin on the measure that leads, and a floor under another one.

    The margin is the smallest from 0.02 to 0.05 that these queries can see; the floor is somewhat
    below what the baseline reaches. The baseline is ``main``, or else the first there is.
    """
    names = [baseline.name for baseline in archive.baselines.page(limit=1000).items]
    if not names:
        return {"guards": [{"measure": str(scoring.measures[0]), "at_least": 0.5}]}
    name = "main" if "main" in names else names[0]
    try:
        evaluation = scoring.evaluation(find_run(archive, name).run_id)
    except BerryEvalError:
        evaluation = None
    leading = str(scoring.measures[0])
    margin = _SMALLEST if evaluation is None else _visible(evaluation, leading)
    guards: list[Mapping[str, Any]] = [{"measure": leading, "margin": margin}]
    floor = None if evaluation is None else _floor(evaluation)
    if floor is not None:
        guards.append(floor)
    return {"guards": guards, "baseline": name}


def _visible(evaluation: Evaluation, measure: str) -> float:
    result = evaluation[measure]
    values = np.fromiter(averaged(result.measure, result.values), np.float64)
    seen = smallest_drop(assumed_sd(values), len(values), alpha=GateRules().alpha, power=POWER)
    if seen is None:
        return _SMALLEST
    steps = math.ceil(min(max(seen, _SMALLEST), _LARGEST) / _STEP - 1e-9)
    return round(steps * _STEP, 3)


def _floor(evaluation: Evaluation) -> Mapping[str, Any] | None:
    """Return a threshold that the baseline reaches, on the second measure if there is one."""
    measures = [m for m in evaluation.measures if m.higher_is_better and m.aggregate == "mean"]
    if not measures:
        return None
    measure = measures[min(1, len(measures) - 1)]
    steps = math.floor(evaluation[str(measure)].mean / _THRESHOLD_STEP - 0.2)
    return {"measure": str(measure), "at_least": round(max(0, steps) * _THRESHOLD_STEP, 2)}
