"""The quality report: an evaluation as a team reads it, from stored records (X5, X7)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from berryeval import ranking
from berryeval.core.query import Query
from berryeval.errors import MismatchError
from berryeval.evaluation.weighting import effective_queries, mean_over, weights_of

__all__ = ["CategoryMetrics", "QualityReport", "QueryResult", "TestQuery", "quality_report"]

TestQuery = Query
"""A query with its labels."""

Weights: TypeAlias = "Sequence[float] | None"

HITS = 10
"""Number of hits per query to consider: MRR is that of the first ten."""


@dataclass(frozen=True)
class QueryResult:
    """The result of one query (X7)."""

    query_id: str
    query: str
    retrieved: tuple[str, ...]
    """Document ids, best first."""
    relevant: frozenset[str]
    """The documents that the query should find."""
    seconds: float = 0.0

    @property
    def first_relevant_rank(self) -> int:
        """The rank of the first relevant document in the first ten; 0 if there is none."""
        hits = enumerate(self.retrieved[:HITS], start=1)
        return next((rank for rank, doc_id in hits if doc_id in self.relevant), 0)


@dataclass(frozen=True)
class CategoryMetrics:
    """Means over the queries of one category, or of one difficulty."""

    count: int
    precision_at_5: float
    recall_at_10: float
    mrr: float


@dataclass(frozen=True)
class QualityReport:
    """Means over all queries, and by category and difficulty; weighted if queries have weights.

    Queries without a category or difficulty are in the totals only. Over no queries every mean
    is 0.
    """

    total_queries: int
    precision_at_5: float
    precision_at_10: float
    recall_at_10: float
    mrr: float
    """Mean reciprocal rank within the first ten."""
    nothing_relevant: int
    """Queries without a relevant document in the first ten hits."""
    by_category: dict[str, CategoryMetrics]
    by_difficulty: dict[str, CategoryMetrics]
    effective_queries: float | None = None
    """Equivalent number of queries of equal weight (Kish); None without weights."""


def quality_report(
    query_results: Iterable[QueryResult], queries: Iterable[TestQuery]
) -> QualityReport:
    """Summarise stored records, without a search system.

    Raises
    ------
    MismatchError
        If a record is of a query that is not among the queries.

    Examples
    --------
    >>> queries = [Query("Q001", "configure OAuth", category="procedural", difficulty="easy")]
    >>> results = [QueryResult("Q001", "configure OAuth", ("d2", "d1"), frozenset({"d1"}))]
    >>> report = quality_report(results, queries)
    >>> report.mrr, report.precision_at_5, report.by_category["procedural"].count
    (0.5, 0.2, 1)
    """
    labels = {query.query_id: query for query in queries}
    results = list(query_results)
    for result in results:
        if result.query_id not in labels:
            raise MismatchError(f"query {result.query_id!r} has a result but is not listed")
    weights = weights_of(labels, [result.query_id for result in results])
    return QualityReport(
        total_queries=len(results),
        precision_at_5=_precision(results, 5, weights),
        precision_at_10=_precision(results, 10, weights),
        recall_at_10=_recall(results, weights),
        mrr=_mrr(results, weights),
        nothing_relevant=sum(result.first_relevant_rank == 0 for result in results),
        by_category=_by(results, labels, "category"),
        by_difficulty=_by(results, labels, "difficulty"),
        effective_queries=effective_queries(labels, [result.query_id for result in results]),
    )


def _by(
    results: Sequence[QueryResult], queries: Mapping[str, Query], label: str
) -> dict[str, CategoryMetrics]:
    parts: dict[str, list[QueryResult]] = {}
    for result in results:
        value = getattr(queries[result.query_id], label)
        if value is not None:
            parts.setdefault(value, []).append(result)
    return {value: _metrics(part, queries) for value, part in sorted(parts.items())}


def _metrics(results: Sequence[QueryResult], queries: Mapping[str, Query]) -> CategoryMetrics:
    weights = weights_of(queries, [result.query_id for result in results])
    return CategoryMetrics(
        len(results),
        _precision(results, 5, weights),
        _recall(results, weights),
        _mrr(results, weights),
    )


def _precision(results: Sequence[QueryResult], k: int, weights: Weights) -> float:
    return mean_over([ranking.precision_at_k(r.retrieved, r.relevant, k) for r in results], weights)


def _recall(results: Sequence[QueryResult], weights: Weights) -> float:
    found = [ranking.recall_at_k(r.retrieved, r.relevant, HITS) for r in results]
    return mean_over(found, weights)


def _mrr(results: Sequence[QueryResult], weights: Weights) -> float:
    ranks = [result.first_relevant_rank for result in results]
    return mean_over([1 / rank if rank else 0.0 for rank in ranks], weights)
