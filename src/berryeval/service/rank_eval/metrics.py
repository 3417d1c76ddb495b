"""The five metrics of Elasticsearch's ranking evaluation, as Elasticsearch defines them.

Their input is the ratings of the returned hits, best hit first, where None is an unrated hit, and
the ratings of all rated documents of the query. The number of hits counts, not k: three relevant
hits out of three have a precision of 1, whatever k is. The rest of this package follows trec_eval
and counts differently. Each function states when our measures return the same number.

The gain of a rating is 2^rating - 1, as in Elasticsearch: a rating of 3 gains 7.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

__all__ = [
    "Ratings",
    "Scored",
    "discounted_cumulative_gain",
    "expected_reciprocal_rank",
    "mean",
    "mean_reciprocal_rank",
    "precision",
    "recall",
]

Ratings: TypeAlias = "Sequence[int | None]"
"""The rating of each hit, best hit first; None for an unrated hit."""


class Scored(NamedTuple):
    """A score, and the details that Elasticsearch reports."""

    score: float
    details: dict[str, float]


def precision(
    hits: Ratings, *, relevant_rating_threshold: int = 1, ignore_unlabeled: bool = False
) -> Scored:
    """Return the share of the hits that are relevant; 0 without any.

    Unrated hits are not relevant; with `ignore_unlabeled` they are skipped.
    Our ``P@k`` divides by k: the two are equal if k hits were returned and none is ignored.

    Examples
    --------
    Two of four hits reach the threshold. Without the unrated one it is two of three.

    >>> precision([1, 0, None, 2])
    Scored(score=0.5, details={'relevant_docs_retrieved': 2, 'docs_retrieved': 4})
    >>> precision([1, 0, None, 2], ignore_unlabeled=True).details
    {'relevant_docs_retrieved': 2, 'docs_retrieved': 3}
    """
    counted = [rating for rating in hits if rating is not None or not ignore_unlabeled]
    relevant = _count_relevant(counted, relevant_rating_threshold)
    share = relevant / len(counted) if counted else 0.0
    return Scored(share, {"relevant_docs_retrieved": relevant, "docs_retrieved": len(counted)})


def recall(hits: Ratings, rated: Sequence[int], *, relevant_rating_threshold: int = 1) -> Scored:
    """Return the share of the relevant documents that were returned; 0 if there are none.

    Equals our ``R@k``, with ``rel`` for the threshold.

    Examples
    --------
    Two of the three relevant documents are among the hits.

    >>> recall([1, 0, None, 2], rated=[1, 0, 2, 1])
    Scored(score=0.6666666666666666, details={'relevant_docs_retrieved': 2, 'relevant_docs': 3})
    """
    found = _count_relevant(hits, relevant_rating_threshold)
    relevant = _count_relevant(rated, relevant_rating_threshold)
    share = found / relevant if relevant else 0.0
    return Scored(share, {"relevant_docs_retrieved": found, "relevant_docs": relevant})


def mean_reciprocal_rank(hits: Ratings, *, relevant_rating_threshold: int = 1) -> Scored:
    """Return 1 divided by the rank of the first relevant hit; 0, and rank -1, without one.

    Equals our ``RR@k``, with ``rel`` for the threshold.

    Examples
    --------
    The first relevant hit is the third.

    >>> mean_reciprocal_rank([0, None, 1, 2])
    Scored(score=0.3333333333333333, details={'first_relevant': 3})
    """
    for rank, rating in enumerate(hits, start=1):
        if rating is not None and rating >= relevant_rating_threshold:
            return Scored(1 / rank, {"first_relevant": rank})
    return Scored(0.0, {"first_relevant": -1})


def discounted_cumulative_gain(
    hits: Ratings,
    rated: Sequence[int],
    *,
    normalize: bool = False,
    unknown_doc_rating: int | None = None,
) -> Scored:
    """Return the gains of the hits, each divided by log2(rank + 1); normalised on request.

    An unrated hit has `unknown_doc_rating`; without one it gains nothing and keeps its rank. The
    ideal consists of the best ratings, as many as there are hits: one relevant hit of ten relevant
    documents has a normalised gain of 1. An ideal of 0 gives 0, and is not reported.

    Equals our ``DCG(gain=exp2)@k`` and, if as many hits were returned as there are ratings or k,
    our ``nDCG(gain=exp2)@k``; there, ratings below 0 gain nothing.

    Examples
    --------
    Ratings of 1 and 3 gain 1 and 7: 1 / log2(2) + 7 / log2(4) = 4.5, where the second hit is
    unrated. The best three ratings are 3, 2 and 1: 7 + 3 / log2(3) + 1 / 2 = 9.39.

    >>> discounted_cumulative_gain([1, None, 3], rated=[3, 2, 1, 0]).score
    4.5
    >>> found = discounted_cumulative_gain([1, None, 3], rated=[3, 2, 1, 0], normalize=True)
    >>> round(found.details["ideal_dcg"], 2), round(found.score, 4)
    (9.39, 0.4791)
    """
    gained = _dcg(unknown_doc_rating if rating is None else rating for rating in hits)
    score = gained
    details: dict[str, float] = {"dcg": gained}
    if normalize:
        ideal = _dcg(sorted(rated, reverse=True)[: len(hits)])
        score = gained / ideal if ideal else 0.0
        if ideal:
            details |= {"ideal_dcg": ideal, "normalized_dcg": score}
    return Scored(score, {**details, "unrated_docs": _count_unrated(hits)})


def expected_reciprocal_rank(
    hits: Ratings, *, maximum_relevance: int, unknown_doc_rating: int | None = None
) -> Scored:
    """Return the expected reciprocal of the rank at which a user reading from the top is satisfied.

    A hit satisfies with a probability of (2^rating - 1) / 2^`maximum_relevance`. An unrated hit
    has `unknown_doc_rating`; without one it is skipped and keeps its rank.

    Equals our ``ERR@k`` with ``max_grade`` as the maximum, which ratings cannot exceed there.

    Examples
    --------
    With a maximum of 2, ratings of 2 and 1 satisfy with 3/4 and 1/4. The second hit is unrated, so
    the score is 3/4 * 1/1 + 1/4 * 1/4 * 1/3 = 0.7708.

    >>> expected_reciprocal_rank([2, None, 1], maximum_relevance=2)
    Scored(score=0.7708333333333334, details={'unrated_docs': 1})
    """
    expected, unsatisfied = 0.0, 1.0
    for rank, given in enumerate(hits, start=1):
        rating = unknown_doc_rating if given is None else given
        if rating is not None:
            satisfied = (2.0**rating - 1) / 2.0**maximum_relevance
            expected += unsatisfied * satisfied / rank
            unsatisfied *= 1 - satisfied
    return Scored(expected, {"unrated_docs": _count_unrated(hits)})


def mean(scores: Iterable[float]) -> float | None:
    """Return the mean over the answered queries; None without any.

    Examples
    --------
    >>> mean([1.0, 0.5]), mean([])
    (0.75, None)
    """
    total, count = 0.0, 0
    for score in scores:
        total += score
        count += 1
    return total / count if count else None


def _dcg(ratings: Iterable[int | None]) -> float:
    total = 0.0
    for rank, rating in enumerate(ratings, start=1):
        if rating is not None:
            total += (2.0**rating - 1) / math.log2(rank + 1)
    return total


def _count_relevant(ratings: Ratings, threshold: int) -> int:
    return sum(rating is not None and rating >= threshold for rating in ratings)


def _count_unrated(hits: Ratings) -> int:
    return sum(rating is None for rating in hits)
