"""Elasticsearch's five metrics: by hand, by its own examples, and compared with berryeval's."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import berryeval as be
from berryeval.service.rank_eval import metrics


@pytest.mark.parametrize(
    ("hits", "ignore", "score", "relevant", "retrieved"),
    [
        ([1, 0, None, 2], False, 2 / 4, 2, 4),
        ([1, 0, None, 2], True, 2 / 3, 2, 3),
        ([None, None], True, 0.0, 0, 0),
        ([None, None], False, 0.0, 0, 2),
        ([], False, 0.0, 0, 0),
    ],
)
def test_precision_divides_by_the_hits_returned(hits, ignore, score, relevant, retrieved):
    """Unrated hits count as not relevant, or not at all; no hits give 0."""
    found = metrics.precision(hits, ignore_unlabeled=ignore)
    assert found.score == score
    assert found.details == {"relevant_docs_retrieved": relevant, "docs_retrieved": retrieved}


def test_the_threshold_sets_what_is_relevant():
    """Ratings below it are not relevant, for all three metrics with a threshold."""
    hits = [1, 2, 3]
    assert metrics.precision(hits, relevant_rating_threshold=2).score == 2 / 3
    assert metrics.recall(hits, [3, 3, 1], relevant_rating_threshold=2).score == 2 / 2
    assert metrics.mean_reciprocal_rank(hits, relevant_rating_threshold=2).score == 1 / 2


def test_recall_divides_by_the_relevant_documents():
    """Two of three were returned; with nothing relevant it is 0."""
    found = metrics.recall([1, 0, None, 2], [1, 0, 2, 1])
    assert found == (2 / 3, {"relevant_docs_retrieved": 2, "relevant_docs": 3})
    assert metrics.recall([0], [0]) == (0.0, {"relevant_docs_retrieved": 0, "relevant_docs": 0})


def test_reciprocal_rank_uses_the_first_relevant_hit():
    """The third hit gives a third; none gives 0 and a rank of -1."""
    assert metrics.mean_reciprocal_rank([0, None, 1]) == (1 / 3, {"first_relevant": 3})
    assert metrics.mean_reciprocal_rank([0, None]) == (0.0, {"first_relevant": -1})


def test_dcg_matches_elasticsearchs_own_example():
    """Its test suite has 13.848263 for 3 2 3 0 1 2, and 10.299674 for the reverse."""
    ratings = [3, 2, 3, 0, 1, 2]
    found = metrics.discounted_cumulative_gain(ratings, ratings)
    assert 13.848263 < found.score < 13.848264
    assert found.details == {"dcg": found.score, "unrated_docs": 0}
    backwards = metrics.discounted_cumulative_gain(ratings[::-1], ratings)
    assert 10.299674 < backwards.score < 10.299675


def test_the_ideal_has_as_many_ratings_as_there_are_hits():
    """One relevant hit of ten relevant documents is perfect, whereas trec_eval gives 0.22."""
    found = metrics.discounted_cumulative_gain([1], [1] * 10, normalize=True)
    assert found.score == 1.0
    assert found.details == {
        "dcg": 1.0, "ideal_dcg": 1.0, "normalized_dcg": 1.0, "unrated_docs": 0,
    }  # fmt: skip


def test_ndcg_differs_from_trec_eval_in_a_worked_example():
    """With three graded hits of six, two unrated and 12 relevant, it is 0.4697, not 0.4144."""
    rated = [3] * 3 + [2] * 4 + [1] * 5 + [0] * 2
    hits = [3, None, 1, 0, 2, None]
    assert round(metrics.discounted_cumulative_gain(hits, rated, normalize=True).score, 4) == 0.4697
    assert metrics.precision(hits).score == 0.5
    assert metrics.precision(hits, ignore_unlabeled=True).score == 0.75
    assert metrics.recall(hits, rated).score == 0.25


def test_an_ideal_of_zero_scores_zero():
    """There is no division by zero, and no ideal gain is reported."""
    found = metrics.discounted_cumulative_gain([0, None], [0], normalize=True)
    assert found == (0.0, {"dcg": 0.0, "unrated_docs": 1})


def test_unrated_hits_may_be_given_a_rating():
    """1 / log2(2) + 3 / log2(3) if the unrated hit is rated 2; otherwise it only takes a rank."""
    given_two = metrics.discounted_cumulative_gain([1, None], [1], unknown_doc_rating=2)
    assert given_two.score == pytest.approx(1 + 3 / math.log2(3))
    assert given_two.details["unrated_docs"] == 1
    assert metrics.discounted_cumulative_gain([None, 1], [1]).score == pytest.approx(
        1 / math.log2(3)
    )


def test_expected_reciprocal_rank_by_hand():
    """3/4 at rank 1, then a quarter of 1/4 at rank 3; with 1 for the unrated hit in between."""
    found = metrics.expected_reciprocal_rank([2, None, 1], maximum_relevance=2)
    assert found.score == pytest.approx(0.75 + 0.25 * 0.25 / 3)
    assert found.details == {"unrated_docs": 1}
    filled = metrics.expected_reciprocal_rank(
        [2, None, 1], maximum_relevance=2, unknown_doc_rating=1
    )
    assert filled.score == pytest.approx(0.75 + 0.25 * 0.25 / 2 + 0.25 * 0.75 * 0.25 / 3)


def test_the_mean_is_over_answered_queries():
    """Elasticsearch's MRR example is (1/3 + 1/2) / 2; without answered queries there is no mean."""
    assert metrics.mean([1 / 3, 1 / 2]) == pytest.approx(5 / 12)
    assert metrics.mean([]) is None


ratings = st.lists(st.one_of(st.none(), st.integers(0, 4)), min_size=1, max_size=12)
others = st.lists(st.integers(0, 4), max_size=6)


def scored_by_us(measure: str, hits: list[int | None], missed: list[int]) -> float:
    judged = {f"h{rank}": rating for rank, rating in enumerate(hits) if rating is not None}
    judged |= {f"m{number}": rating for number, rating in enumerate(missed)}
    ranking = [f"h{rank}" for rank in range(len(hits))]
    return be.evaluate({"q": judged or {"x": 0}}, {"q": ranking}, [measure])[measure].mean


@given(hits=ratings, missed=others)
def test_recall_reciprocal_rank_dcg_and_err_match_berryeval(hits, missed):
    """R@k, RR@k, DCG(gain=exp2)@k and ERR(max_grade=4)@k give the same numbers."""
    k = len(hits)
    rated = [rating for rating in hits if rating is not None] + missed
    pairs = {
        f"R@{k}": metrics.recall(hits, rated),
        f"RR@{k}": metrics.mean_reciprocal_rank(hits),
        f"DCG(gain=exp2)@{k}": metrics.discounted_cumulative_gain(hits, rated),
        f"ERR(max_grade=4)@{k}": metrics.expected_reciprocal_rank(hits, maximum_relevance=4),
    }
    for measure, found in pairs.items():
        assert found.score == pytest.approx(scored_by_us(measure, hits, missed), abs=1e-12)


@given(hits=ratings, missed=others)
def test_precision_and_ndcg_match_berryeval_if_k_hits_are_returned(hits, missed):
    """They equal P@k and nDCG(gain=exp2)@k, with k the number of hits."""
    k = len(hits)
    rated = [rating for rating in hits if rating is not None] + missed
    ndcg = metrics.discounted_cumulative_gain(hits, rated, normalize=True).score
    assert metrics.precision(hits).score == pytest.approx(scored_by_us(f"P@{k}", hits, missed))
    assert ndcg == pytest.approx(scored_by_us(f"nDCG(gain=exp2)@{k}", hits, missed), abs=1e-12)


def test_precision_and_ndcg_differ_if_fewer_hits_are_returned():
    """One relevant hit at k = 10: theirs are 1, ours 0.1 and 1 / (1 + 1 / log2(3))."""
    assert metrics.precision([1]).score == 1.0
    assert scored_by_us("P@10", [1], [1]) == pytest.approx(0.1)
    assert metrics.discounted_cumulative_gain([1], [1, 1], normalize=True).score == 1.0
    ours = scored_by_us("nDCG(gain=exp2)@10", [1], [1])
    assert ours == pytest.approx(1 / (1 + 1 / math.log2(3)))
