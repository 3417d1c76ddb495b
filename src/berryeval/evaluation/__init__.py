"""From scores to results: means, comparisons, verdicts, and the policies behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from berryeval._lazy import loader_of
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

# Modules that require NumPy are imported when their names are first used.
_NAMES = {
    "baseline": ("Baseline",),
    "comparing": ("compare",),
    "comparison": ("Comparison", "Difference"),
    "gate_rules": ("GateRules",),
    "gating": ("gate",),
    "guards": ("LatencyGuard", "Margin", "MarginGuard", "ThresholdGuard"),
    "power": ("Sensitivity", "sensitivity"),
    "quality": ("CategoryMetrics", "QualityReport", "QueryResult", "TestQuery", "quality_report"),
    "verdict": ("GateResult", "GuardResult"),
}
__getattr__ = loader_of(
    __name__, {name: f"{__name__}.{home}" for home, names in _NAMES.items() for name in names}
)
