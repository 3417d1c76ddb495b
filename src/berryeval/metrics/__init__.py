"""Metrics over arrays of ids: one row per query, a whole test set in one call.

Ids are int32, rows are padded with ``PADDING_ID``, and every function returns one float32
per query. For ids of any kind and one ranked list at a time there is `berryeval.ranking`.

Examples
--------
>>> import numpy as np
>>> from berryeval.metrics import ndcg, recall_at_k
>>> retrieved = np.array([[1, 4, 2, 5, 3], [7, 6, -1, -1, -1]], dtype=np.int32)
>>> relevant = np.array([[1, 2, 3], [6, -1, -1]], dtype=np.int32)
>>> recall_at_k(retrieved, relevant, 3)
array([0.6666667, 1.       ], dtype=float32)
>>> ndcg(retrieved, relevant, 5)
array([0.8854599 , 0.63092977], dtype=float32)
"""

from berryeval.metrics._functions import (
    BACKEND,
    ArrayMetrics,
    average_precision,
    compute_all,
    f1_at_k,
    hit_rate,
    mrr,
    ndcg,
    precision_at_k,
    recall_at_k,
)
from berryeval.metrics._validation import (
    PADDING_ID,
    Denominator,
    GradeArray,
    MetricResult,
    QueryDocArray,
    RelevanceArray,
    validate_inputs,
    validate_score_inputs,
)

__all__ = [
    "BACKEND",
    "PADDING_ID",
    "ArrayMetrics",
    "Denominator",
    "GradeArray",
    "MetricResult",
    "QueryDocArray",
    "RelevanceArray",
    "average_precision",
    "compute_all",
    "f1_at_k",
    "hit_rate",
    "mrr",
    "ndcg",
    "precision_at_k",
    "recall_at_k",
    "validate_inputs",
    "validate_score_inputs",
]
