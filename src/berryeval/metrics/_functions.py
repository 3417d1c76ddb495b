"""The public functions: validate the arguments, then call the twin in use."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from berryeval.backend import backend
from berryeval.core.cutoff import AtK
from berryeval.errors import BackendWarning
from berryeval.metrics._validation import (
    METRICS,
    Denominator,
    GradeArray,
    MetricResult,
    QueryDocArray,
    RelevanceArray,
    validate_cutoffs,
    validate_denominator,
    validate_inputs,
    validate_score_inputs,
)

__all__ = [
    "BACKEND",
    "ArrayMetrics",
    "average_precision",
    "compute_all",
    "f1_at_k",
    "hit_rate",
    "mrr",
    "ndcg",
    "precision_at_k",
    "recall_at_k",
]

BACKEND = backend().name
"""The twin in use: ``"native"`` or ``"python"``."""

_RETURNED: Denominator = "returned"

if TYPE_CHECKING or BACKEND == "python":
    from berryeval.metrics._python import score as _score
else:
    from berryeval.metrics._native import score as _score

if backend().is_fallback:
    # No line of the caller is at fault, so none is named.
    warnings.warn_explicit(
        f"berryeval computes in Python: {backend().reason}. Results are the same, only slower.",
        BackendWarning,
        filename="berryeval.metrics",
        lineno=1,
    )


def recall_at_k(retrieved: QueryDocArray, relevant: RelevanceArray, k: int) -> MetricResult:
    """Return, for each query, the share of its relevant documents in the first k cells.

    Parameters
    ----------
    retrieved : ndarray of int32, queries x columns
        Ids, best first. ``PADDING_ID`` (-1) marks cells without a document, in any place;
        they keep their rank. A repeated id counts once, at its first place.
    relevant : ndarray of int32, queries x columns
        Ids of the relevant documents, in any order, padded likewise. Repeats count once.
    k : int
        Number of cells of `retrieved` to consider: 1 to its number of columns.

    Returns
    -------
    ndarray of float32
        One value per query, computed in float64. A query with nothing relevant gets 0.

    Raises
    ------
    InputTypeError, InputError
        As `validate_inputs` raises them.

    Examples
    --------
    >>> import numpy as np
    >>> retrieved = np.array([[1, 2, 3, 4, 5]], dtype=np.int32)
    >>> relevant = np.array([[1, 3, 9, -1]], dtype=np.int32)
    >>> recall_at_k(retrieved, relevant, 5)
    array([0.6666667], dtype=float32)
    """
    return _one("recall", retrieved, relevant, k)


def precision_at_k(
    retrieved: QueryDocArray,
    relevant: RelevanceArray,
    k: int,
    *,
    denominator: Denominator = "returned",
) -> MetricResult:
    """Return, for each query, the share of relevant documents among the first k cells.

    Parameters
    ----------
    retrieved, relevant, k
        As for `recall_at_k`.
    denominator : {"returned", "k"}
        Divide by the documents in the first k cells, repeats included and padding not, or by
        k as trec_eval does. They differ if a query returned fewer than k documents; if it
        returned none, the value is 0.

    Returns
    -------
    ndarray of float32
        One value per query.

    Examples
    --------
    >>> import numpy as np
    >>> retrieved = np.array([[1, 2, -1, -1, -1]], dtype=np.int32)
    >>> relevant = np.array([[1]], dtype=np.int32)
    >>> precision_at_k(retrieved, relevant, 5)
    array([0.5], dtype=float32)
    >>> precision_at_k(retrieved, relevant, 5, denominator="k")
    array([0.2], dtype=float32)
    """
    return _one("precision", retrieved, relevant, k, denominator=denominator)


def f1_at_k(
    retrieved: QueryDocArray,
    relevant: RelevanceArray,
    k: int,
    *,
    denominator: Denominator = "returned",
) -> MetricResult:
    """Return, for each query, the harmonic mean of its precision and recall at k.

    Parameters are those of `precision_at_k`. If both are 0, so is the mean.

    Examples
    --------
    >>> import numpy as np
    >>> retrieved = np.array([[1, 2, 3, 4]], dtype=np.int32)
    >>> relevant = np.array([[1, 2]], dtype=np.int32)
    >>> f1_at_k(retrieved, relevant, 4)
    array([0.6666667], dtype=float32)
    """
    return _one("f1", retrieved, relevant, k, denominator=denominator)


def hit_rate(retrieved: QueryDocArray, relevant: RelevanceArray, k: int) -> MetricResult:
    """Return, for each query, 1 if a relevant document is in the first k cells, else 0.

    Parameters are those of `recall_at_k`.

    Examples
    --------
    >>> import numpy as np
    >>> retrieved = np.array([[8, 1], [8, 9]], dtype=np.int32)
    >>> relevant = np.array([[1], [1]], dtype=np.int32)
    >>> hit_rate(retrieved, relevant, 2)
    array([1., 0.], dtype=float32)
    """
    return _one("hit_rate", retrieved, relevant, k)


def mrr(retrieved: QueryDocArray, relevant: RelevanceArray, k: int) -> MetricResult:
    """Return, for each query, 1 / rank of its first relevant document in the first k cells.

    The mean of the values is the mean reciprocal rank, MRR@k. A query without a hit gets 0.
    Parameters are those of `recall_at_k`.

    Examples
    --------
    >>> import numpy as np
    >>> retrieved = np.array([[8, 1], [8, 9]], dtype=np.int32)
    >>> relevant = np.array([[1], [1]], dtype=np.int32)
    >>> mrr(retrieved, relevant, 2)
    array([0.5, 0. ], dtype=float32)
    """
    return _one("mrr", retrieved, relevant, k)


def average_precision(retrieved: QueryDocArray, relevant: RelevanceArray, k: int) -> MetricResult:
    """Return, for each query, its average precision over the first k cells.

    It is the sum of the precisions at the relevant documents found, divided by the number of
    relevant documents (not by min(k, that number)). Parameters are those of `recall_at_k`.

    Examples
    --------
    >>> import numpy as np
    >>> retrieved = np.array([[1, 8, 2, 9]], dtype=np.int32)
    >>> relevant = np.array([[1, 2]], dtype=np.int32)
    >>> average_precision(retrieved, relevant, 4)
    array([0.8333333], dtype=float32)
    """
    return _one("average_precision", retrieved, relevant, k)


def ndcg(
    retrieved: QueryDocArray, relevant: RelevanceArray, k: int, grades: GradeArray | None = None
) -> MetricResult:
    """Return, for each query, its normalised discounted cumulative gain over the first k cells.

    Rank i, from 1, is discounted by log2(i + 1). The ideal ranking holds all relevant
    documents, best first, cut at k.

    Parameters
    ----------
    retrieved, relevant, k
        As for `recall_at_k`.
    grades : ndarray of float64, optional
        The gain of each cell of `relevant`, of the same shape. If omitted, each relevant
        document gains 1. Grades of 0 and less gain nothing. The first grade of a repeated id
        in a row of `relevant` counts.

    Returns
    -------
    ndarray of float32
        One value per query, from 0 to 1. If the ideal gain is 0, so is the value.

    Examples
    --------
    >>> import numpy as np
    >>> retrieved = np.array([[1, 4, 2, 5, 3]], dtype=np.int32)
    >>> relevant = np.array([[1, 2, 3]], dtype=np.int32)
    >>> ndcg(retrieved, relevant, 5)
    array([0.8854599], dtype=float32)
    >>> ndcg(retrieved, relevant, 5, grades=np.array([[3.0, 1.0, 2.0]]))
    array([0.8974867], dtype=float32)
    """
    return _one("ndcg", retrieved, relevant, k, grades=grades)


@dataclass(frozen=True, eq=False)
class ArrayMetrics:
    """Every metric at every k, as `compute_all` returns them: ``all_metrics.recall[10]``.

    Each attribute maps k to one float32 value per query. All of them are views of one array: copy
    those that you keep for long.
    """

    recall: AtK[MetricResult]
    precision: AtK[MetricResult]
    f1: AtK[MetricResult]
    hit_rate: AtK[MetricResult]
    mrr: AtK[MetricResult]
    ndcg: AtK[MetricResult]
    average_precision: AtK[MetricResult]

    def __repr__(self) -> str:
        n_queries = len(next(iter(self.recall.values())))
        queries = "1 query" if n_queries == 1 else f"{n_queries} queries"
        names = ", ".join(field.name for field in fields(self))
        ks = ", ".join(str(k) for k in self.recall)
        return f"<ArrayMetrics of {queries}: {names} at k = {ks}>"


def compute_all(
    retrieved: QueryDocArray,
    relevant: RelevanceArray,
    ks: Iterable[int] | None = None,
    *,
    grades: GradeArray | None = None,
    denominator: Denominator = "returned",
) -> ArrayMetrics:
    """Compute every metric at every k, matching the ids only once.

    Parameters
    ----------
    retrieved, relevant
        As for `recall_at_k`.
    ks : iterable of int, optional
        The cutoffs, each from 1 to the number of columns of `retrieved`. Default: those of 1, 3, 5
        and 10 in this range.
    grades
        As for `ndcg`; no other metric uses them.
    denominator
        As for `precision_at_k`; used by precision and F1.

    Returns
    -------
    ArrayMetrics
        The same bits as the single functions return.

    Examples
    --------
    >>> import numpy as np
    >>> retrieved = np.array([[1, 8, 2], [9, 3, 7]], dtype=np.int32)
    >>> relevant = np.array([[1, 2], [3, -1]], dtype=np.int32)
    >>> all_metrics = compute_all(retrieved, relevant, ks=(1, 3))
    >>> all_metrics
    <ArrayMetrics of 2 queries: recall, precision, f1, hit_rate, mrr, ndcg, average_precision at k = 1, 3>
    >>> all_metrics.recall[3]
    array([1., 1.], dtype=float32)
    >>> all_metrics.mrr[3]
    array([1. , 0.5], dtype=float32)
    """  # noqa: E501 - the repr is one line
    checked_ks = validate_cutoffs(retrieved, relevant, ks)
    validate_denominator(denominator)
    if grades is not None:
        validate_score_inputs(relevant, grades)
    scores = _score(retrieved, relevant, grades, checked_ks, METRICS, denominator)
    return ArrayMetrics(
        **{
            metric: AtK({k: scores[i_metric, i_k] for i_k, k in enumerate(checked_ks)})
            for i_metric, metric in enumerate(METRICS)
        }
    )


def _one(
    metric: str,
    retrieved: QueryDocArray,
    relevant: RelevanceArray,
    k: int,
    *,
    grades: GradeArray | None = None,
    denominator: Denominator = _RETURNED,
) -> MetricResult:
    validate_inputs(retrieved, relevant, k)
    if denominator is not _RETURNED:  # the default, which most metrics do not take
        validate_denominator(denominator)
    if grades is not None:
        validate_score_inputs(relevant, grades)
    scores: MetricResult = _score(retrieved, relevant, grades, (int(k),), (metric,), denominator)[
        0, 0
    ]
    return scores
