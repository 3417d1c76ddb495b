"""The array metrics in plain Python: the specification, and the twin without a compiler."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import DTypeLike

from berryeval.kernels.average_precision import average_precision
from berryeval.kernels.f1 import harmonic_mean
from berryeval.kernels.hit_rate import hit_rate
from berryeval.kernels.ndcg import ndcg
from berryeval.kernels.precision import precision_over
from berryeval.kernels.recall import recall
from berryeval.kernels.reciprocal_rank import reciprocal_rank
from berryeval.metrics._validation import (
    PADDING_ID,
    Denominator,
    GradeArray,
    MetricResult,
    QueryDocArray,
    RelevanceArray,
)

__all__ = ["score"]


def score(
    retrieved: QueryDocArray,
    relevant: RelevanceArray,
    grades: GradeArray | None,
    ks: tuple[int, ...],
    metrics: tuple[str, ...],
    denominator: Denominator,
    dtype: DTypeLike = np.float32,
) -> MetricResult:
    """Return scores[metric, k, query] of validated arrays."""
    # A matrix has no plain rows.
    retrieved, relevant = np.asarray(retrieved), np.asarray(relevant)
    grades = None if grades is None else np.asarray(grades)
    scores = np.empty((len(metrics), len(ks), len(retrieved)), dtype)
    for query in range(len(retrieved)):
        row = _Row.of(
            retrieved[query].tolist(),
            relevant[query].tolist(),
            None if grades is None else grades[query].tolist(),
        )
        for i_metric, metric in enumerate(metrics):
            for i_k, k in enumerate(ks):
                scores[i_metric, i_k, query] = row.score(metric, k, denominator)
    return scores


@dataclass(frozen=True)
class _Row:
    """One query as the kernels expect it: grades in rank order, and all judged ones."""

    is_document: list[bool]
    hits: list[float]
    """Binary grades in rank order."""
    relevant: list[float]
    gains: list[float]
    """Grades in rank order; the same as `hits` unless grades were given."""
    judged: list[float]

    @classmethod
    def of(cls, retrieved: list[int], relevant: list[int], grades: list[float] | None) -> _Row:
        grade_of: dict[int, float] = {}
        for cell, doc_id in enumerate(relevant):
            if doc_id != PADDING_ID and doc_id not in grade_of:
                grade_of[doc_id] = 1.0 if grades is None else grades[cell]
        hits, gains = [], []
        seen = set()
        for doc_id in retrieved:
            earns = doc_id in grade_of and doc_id not in seen
            seen.add(doc_id)
            hits.append(1.0 if earns else 0.0)
            gains.append(grade_of[doc_id] if earns else 0.0)
        return cls(
            is_document=[doc_id != PADDING_ID for doc_id in retrieved],
            hits=hits,
            relevant=[1.0] * len(grade_of),
            gains=gains,
            judged=sorted(grade_of.values(), reverse=True),
        )

    def score(  # noqa: PLR0911 - one for each metric
        self, metric: str, k: int, denominator: Denominator
    ) -> float:
        divide_by = k if denominator == "k" else self.is_document[:k].count(True)
        match metric:
            case "recall":
                return recall(self.hits, self.relevant, k)
            case "precision":
                return precision_over(self.hits, k, divide_by)
            case "f1":
                return harmonic_mean(
                    precision_over(self.hits, k, divide_by), recall(self.hits, self.relevant, k)
                )
            case "hit_rate":
                return hit_rate(self.hits, self.relevant, k)
            case "mrr":
                return reciprocal_rank(self.hits, self.relevant, k)
            case "ndcg":
                return ndcg(self.gains, self.judged, k)
            case _:
                assert metric == "average_precision"
                return average_precision(self.hits, self.relevant, k)
