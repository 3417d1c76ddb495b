"""The quality report, from stored records."""

import pytest

from berryeval import MismatchError, Query
from berryeval.evaluation.quality import QueryResult, quality_report

QUERIES = [
    Query("Q1", "one", category="factual", difficulty="easy"),
    Query("Q2", "two", category="factual", difficulty="hard"),
    Query("Q3", "three", category="procedural"),
]


def result(query_id, retrieved, relevant):
    return QueryResult(query_id, query_id, tuple(retrieved), frozenset(relevant))


RESULTS = [
    result("Q1", "abcde", "a"),
    result("Q2", "xyzab", "ab"),
    result("Q3", [f"x{i}" for i in range(10)] + ["r"], "r"),
]


def test_the_means_match_their_definitions():
    """X5: P@5 of 1/5, 2/5, 0; R@10 of 1, 1, 0; RR@10 of 1, 1/4, 0."""
    report = quality_report(RESULTS, QUERIES)
    assert report.total_queries == 3
    assert report.precision_at_5 == pytest.approx(0.2)
    assert report.precision_at_10 == pytest.approx(0.1)
    assert report.recall_at_10 == pytest.approx(2 / 3)
    assert report.mrr == pytest.approx((1 + 1 / 4) / 3)


def test_a_relevant_document_beyond_the_tenth_hit_does_not_count():
    """X5: the suite uses ten hits, and its rank is then 0 (X7)."""
    assert RESULTS[2].first_relevant_rank == 0
    assert quality_report(RESULTS, QUERIES).nothing_relevant == 1


def test_categories_and_difficulties_have_their_own_figures():
    """X5: records without a label are in the totals only."""
    report = quality_report(RESULTS, QUERIES)
    assert {name: part.count for name, part in report.by_category.items()} == {
        "factual": 2,
        "procedural": 1,
    }
    assert list(report.by_difficulty) == ["easy", "hard"]
    factual = report.by_category["factual"]
    assert (factual.precision_at_5, factual.recall_at_10, factual.mrr) == pytest.approx(
        (0.3, 1.0, 0.625)
    )


def test_no_records_give_a_report_of_zeros():
    """M10: there is no NaN and no error."""
    report = quality_report([], QUERIES)
    assert (report.total_queries, report.mrr, report.by_category) == (0, 0.0, {})


def test_a_record_of_an_unknown_query_is_an_error():
    """Its labels would be lost."""
    with pytest.raises(MismatchError, match="query 'Q9' has a result but is not listed"):
        quality_report([result("Q9", "a", "a")], QUERIES)
