"""The quality report: an evaluation as a team reads it, from stored records (X5, X7)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add

from berryeval import ranking
from berryeval.core.query import Query
from berryeval.errors import MismatchError

__all__ = ["CategoryMetrics", "QualityReport", "QueryResult", "TestQuery", "quality_report"]

TestQuery = Query
"""A query with its labels."""

HITS = 10
"""How many hits of a query are looked at: MRR is that of the first ten."""


@dataclass(frozen=True)
class QueryResult:
    """What became of one query (X7)."""

    query_id: str
    query: str
    retrieved: tuple[str, ...]
    """Document ids, best first."""
    relevant: frozenset[str]
    """Those that the query should find."""
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
    """Means over all queries, and by category and difficulty.

    Queries without a category or difficulty are in the totals only. Over no queries every mean
    is 0.
    """

    total_queries: int
    precision_at_5: float
    precision_at_10: float
    recall_at_10: float
    mrr: float
    """Of reciprocal ranks in the first ten."""
    nothing_relevant: int
    """Queries whose first ten hits hold nothing relevant."""
    by_category: dict[str, CategoryMetrics]
    by_difficulty: dict[str, CategoryMetrics]


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
            raise MismatchError(f"query {result.query_id!r} has a result, and is not known")
    return QualityReport(
        total_queries=len(results),
        precision_at_5=_precision(results, 5),
        precision_at_10=_precision(results, 10),
        recall_at_10=_recall(results),
        mrr=_mrr(results),
        nothing_relevant=sum(result.first_relevant_rank == 0 for result in results),
        by_category=_by(results, {q: query.category for q, query in labels.items()}),
        by_difficulty=_by(results, {q: query.difficulty for q, query in labels.items()}),
    )


def _by(
    results: Sequence[QueryResult], label_of: dict[str, str | None]
) -> dict[str, CategoryMetrics]:
    groups: dict[str, list[QueryResult]] = {}
    for result in results:
        label = label_of[result.query_id]
        if label is not None:
            groups.setdefault(label, []).append(result)
    return {
        label: CategoryMetrics(len(group), _precision(group, 5), _recall(group), _mrr(group))
        for label, group in sorted(groups.items())
    }


def _precision(results: Sequence[QueryResult], k: int) -> float:
    return _mean([ranking.precision_at_k(r.retrieved, r.relevant, k) for r in results])


def _recall(results: Sequence[QueryResult]) -> float:
    return _mean([ranking.recall_at_k(r.retrieved, r.relevant, HITS) for r in results])


def _mrr(results: Sequence[QueryResult]) -> float:
    ranks = [result.first_relevant_rank for result in results]
    return _mean([1 / rank if rank else 0.0 for rank in ranks])


def _mean(values: Sequence[float]) -> float:
    return reduce(add, values, 0.0) / len(values) if values else 0.0
