import math

import pytest

from berryeval import RelevanceJudgment
from berryeval.ranking import compute_all, mean_metrics


def query(retrieved, grades):
    """Return a record with grades, e.g. query("d1 d2", "d1 3 d4 1")."""
    words = grades.split()
    scores = {doc: int(grade) for doc, grade in zip(words[::2], words[1::2], strict=True)}
    return {"retrieved": retrieved.split(), "relevant": set(scores), "relevance_scores": scores}


def rounded(means, *metrics):
    """Return the metrics by k, to the four decimals printed in the sources."""
    return {k: tuple(round(means[metric][k], 4) for metric in metrics) for k in means["recall"]}


def test_lesson_three_query_data_set():
    """M9, L: MRR, recall, precision, nDCG and hit rate at 1, 3, 5 and 10, with grades."""
    means = mean_metrics(
        [
            query("d1 d3 d5 d2 d7 d8 d4 d9 d10 d6", "d1 3 d2 2 d4 1 d6 2"),
            query("d3 d1 d7 d2 d5 d4 d8 d9 d10 d6", "d1 3 d2 2"),
            query("d1 d2 d3 d4 d5 d6 d7 d8 d9 d10", "d1 3 d3 2 d5 1"),
        ]
    )
    assert means["query_count"] == 3
    assert round(means["mrr"], 4) == 0.8333
    assert rounded(means, "recall", "precision", "ndcg", "hit_rate") == {
        1: (0.1944, 0.6667, 0.6667, 0.6667),
        3: (0.4722, 0.4444, 0.6181, 1.0),
        5: (0.8333, 0.4667, 0.7486, 1.0),
        10: (1.0, 0.3, 0.8020, 1.0),
    }


@pytest.mark.parametrize(
    ("rankings", "mrr", "expected"),
    [
        (
            ["d1 d3 d2 d5 d4", "d2 d1 d4 d3 d5", "d3 d5 d1 d2 d4"],
            0.8333,
            {1: (0.2222, 0.6667, 0.6667), 3: (0.6111, 0.5556, 0.5982), 5: (1.0, 0.5333, 0.8141)},
        ),
        (
            ["d3 d5 d1 d2 d4", "d4 d3 d1 d5 d2", "d5 d4 d3 d2 d1"],
            0.3889,
            {1: (0.0, 0.0, 0.0), 3: (0.5556, 0.4444, 0.3876), 5: (1.0, 0.5333, 0.6433)},
        ),
    ],
    ids=["retriever A", "retriever B"],
)
def test_lesson_two_retrievers(rankings, mrr, expected):
    """M9, L: two retrievers on three queries without grades; A is better."""
    relevant = [{"d1", "d2", "d4"}, {"d1", "d3"}, {"d1", "d2", "d3"}]
    means = mean_metrics(
        [
            {"retrieved": ranking.split(), "relevant": docs}
            for ranking, docs in zip(rankings, relevant, strict=True)
        ],
        ks=(1, 3, 5),
    )
    assert round(means["mrr"], 4) == mrr
    assert rounded(means, "recall", "precision", "ndcg") == expected


def test_relevant_determines_binary_metrics_and_scores_determine_ndcg():
    """M9: b has a score but is not relevant; a is relevant but has none."""
    record = {"retrieved": ["a", "b"], "relevant": {"a"}, "relevance_scores": {"b": 3}}
    means = mean_metrics([record], ks=(2,))
    assert (means["recall"][2], means["precision"][2], means["mrr"]) == (1.0, 0.5, 1.0)
    assert means["dcg"][2] == 3 / math.log2(3)
    assert means["ndcg"][2] == pytest.approx(1 / math.log2(3))


@pytest.mark.parametrize("extra", [{}, {"relevance_scores": None}])
def test_without_scores_each_relevant_id_gains_one(extra):
    """M9: nDCG is then binary."""
    means = mean_metrics([{"retrieved": ["x", "a"], "relevant": ["a"], **extra}], ks=(2,))
    assert means["dcg"][2] == 1 / math.log2(3)


@pytest.mark.parametrize(
    "relevant", [{"a": 2, "b": 1}, [RelevanceJudgment("a", 2), RelevanceJudgment("b", 1)]]
)
def test_relevant_may_contain_grades(relevant):
    """M9: a mapping or records are used by binary metrics and by nDCG."""
    means = mean_metrics([{"retrieved": ["b", "a"], "relevant": relevant}], ks=(2,), level=2)
    assert means["mrr"] == 1 / 2
    assert means["dcg"][2] == 1 + 2 / math.log2(3)


def test_means_of_one_query_are_its_metrics():
    """M9: each name in the result has the value of its metric."""
    retrieved, relevant = ["x", "a", "b", "y"], {"a", "b", "c"}
    means = mean_metrics([{"retrieved": retrieved, "relevant": relevant}], ks=(1, 3))
    metrics = compute_all(retrieved, relevant, ks=(1, 3))
    assert means == {
        "query_count": 1,
        "mrr": metrics.reciprocal_rank,
        "map": metrics.average_precision,
        "recall": metrics.recall,
        "precision": metrics.precision,
        "f1": metrics.f1,
        "hit_rate": metrics.hit_rate,
        "dcg": metrics.dcg,
        "ndcg": metrics.ndcg,
        "mrr_at": metrics.rr,
        "map_at": metrics.ap,
    }


def test_no_queries_give_zeros():
    """M10: every mean over no queries is 0, with query_count 0."""
    means = mean_metrics([], ks=(1, 3))
    assert (means.pop("query_count"), means.pop("mrr"), means.pop("map")) == (0, 0.0, 0.0)
    assert len(means) == 8
    assert all(values == {1: 0.0, 3: 0.0} for values in means.values())


def test_query_without_relevant_documents_counts_as_zero():
    """M10: it is part of the mean."""
    means = mean_metrics(
        [{"retrieved": ["a"], "relevant": {"a"}}, {"retrieved": [], "relevant": set()}], ks=(1,)
    )
    assert (means["query_count"], means["mrr"], means["recall"]) == (2, 0.5, {1: 0.5})


def test_result_has_only_plain_types():
    """M9: dicts, ints and floats can be written as JSON."""
    means = mean_metrics(iter([{"retrieved": [1], "relevant": {1}, "id": "q1"}]))
    assert type(means) is dict
    assert {type(value) for value in means.values()} == {int, float, dict}
    assert list(means["recall"]) == [1, 3, 5, 10]
