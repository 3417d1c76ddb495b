"""The types of the array metrics, and the words they share."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "METRICS",
    "PADDING_ID",
    "Denominator",
    "GradeArray",
    "MetricResult",
    "QueryDocArray",
    "RelevanceArray",
]

PADDING_ID: Final[int] = -1
"""The id that fills cells without a document."""

QueryDocArray: TypeAlias = NDArray[np.int32]
"""Retrieved ids: one row a query, best first, filled up with PADDING_ID."""

RelevanceArray: TypeAlias = NDArray[np.int32]
"""Relevant ids: one row a query, in any order, filled up with PADDING_ID."""

GradeArray: TypeAlias = NDArray[np.float64]
"""The grade of each cell of a RelevanceArray."""

MetricResult: TypeAlias = NDArray[np.float32]
"""One value a query."""

Denominator: TypeAlias = Literal["returned", "k"]
"""What precision divides by: the documents returned in the first k cells, or k itself."""

METRICS = ("recall", "precision", "f1", "hit_rate", "mrr", "ndcg", "average_precision")
"""The metrics, in the order of native/arrays/score.hpp."""
