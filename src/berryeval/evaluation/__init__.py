"""From scores to what people read: means, comparisons, verdicts, and what stands behind them."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from berryeval.evaluation.evaluate import evaluate
from berryeval.evaluation.result import Evaluation, MeasureResult

if TYPE_CHECKING:
    from berryeval.evaluation.baseline import Baseline
    from berryeval.evaluation.comparing import compare
    from berryeval.evaluation.comparison import Comparison, Difference
    from berryeval.evaluation.gate_rules import GateRules
    from berryeval.evaluation.gating import gate
    from berryeval.evaluation.guards import LatencyGuard, Margin, MarginGuard, ThresholdGuard
    from berryeval.evaluation.power import Sensitivity, sensitivity
    from berryeval.evaluation.quality import (
        CategoryMetrics,
        QualityReport,
        QueryResult,
        TestQuery,
        quality_report,
    )
    from berryeval.evaluation.verdict import GateResult, GuardResult

__all__ = [
    "Baseline",
    "CategoryMetrics",
    "Comparison",
    "Difference",
    "Evaluation",
    "GateResult",
    "GateRules",
    "GuardResult",
    "LatencyGuard",
    "Margin",
    "MarginGuard",
    "MeasureResult",
    "QualityReport",
    "QueryResult",
    "Sensitivity",
    "TestQuery",
    "ThresholdGuard",
    "compare",
    "evaluate",
    "gate",
    "quality_report",
    "sensitivity",
]

# What needs numpy is imported when it is asked for.
_HOME = {
    "Baseline": "baseline",
    "CategoryMetrics": "quality",
    "Comparison": "comparison",
    "Difference": "comparison",
    "GateResult": "verdict",
    "GateRules": "gate_rules",
    "GuardResult": "verdict",
    "LatencyGuard": "guards",
    "Margin": "guards",
    "MarginGuard": "guards",
    "QualityReport": "quality",
    "QueryResult": "quality",
    "Sensitivity": "power",
    "TestQuery": "quality",
    "ThresholdGuard": "guards",
    "compare": "comparing",
    "gate": "gating",
    "quality_report": "quality",
    "sensitivity": "power",
}


def __getattr__(name: str) -> object:
    if name in _HOME:
        return getattr(importlib.import_module(f"berryeval.evaluation.{_HOME[name]}"), name)
    raise AttributeError(f"module 'berryeval.evaluation' has no attribute {name!r}")
