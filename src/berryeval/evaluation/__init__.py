"""From scores to what people read: means, and what stands behind them."""

from berryeval.evaluation.evaluate import evaluate
from berryeval.evaluation.result import Evaluation, MeasureResult

__all__ = ["Evaluation", "MeasureResult", "evaluate"]
