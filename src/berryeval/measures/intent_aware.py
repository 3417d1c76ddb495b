"""Intent-aware AP, ERR and precision, and subtopic recall: one value per intent, then a mean."""

from __future__ import annotations

from berryeval.kernels.intent_aware import (
    average_precision_ia,
    graded_err_ia,
    precision_ia,
    subtopic_recall,
)
from berryeval.measures._base import Measure, register

__all__ = [
    "GradedIntentAwareERR",
    "IntentAwareAveragePrecision",
    "IntentAwarePrecision",
    "SubtopicRecall",
]

_NO_SUBTOPICS = (
    "A query without subtopics has one intent, the query itself. If no query has subtopics, the "
    "measure is an error."
)
_UNSERVED = "Intents that no judged document serves at the level rel do not count."


@register
class IntentAwareAveragePrecision(Measure):
    """Intent-aware average precision.

    Parameters
    ----------
    k : int or None
        Ranks to consider, at least 1. None means the whole ranking.
    rel : float
        The lowest grade with which a document serves an intent.

    References
    ----------
    Agrawal, Gollapudi, Halverson and Ieong (2009), WSDM, 5-14.
    """

    rel: float = 1.0

    kernel = staticmethod(average_precision_ia)
    uses_intents = True
    name = "AP_IA"
    title = "Intent-aware average precision"
    aliases = ("map_ia", "map-ia", "ap-ia")
    definition = "AP for each intent, as if it were the query; then the mean, by their weights."
    use_when = "Every document that serves an intent should be found and ranked high."
    avoid_when = (
        "Redundant results should cost something: many documents for one popular intent score well."
    )
    edge_cases = (
        _NO_SUBTOPICS,
        _UNSERVED,
        "A perfect ranking may stay below 1: intents compete for the first rank.",
    )


@register
class GradedIntentAwareERR(Measure):
    """Intent-aware expected reciprocal rank with grades.

    Parameters
    ----------
    k : int or None
        Ranks to consider, at least 1. None means the whole ranking.
    rel : float
        The lowest grade with which a document serves an intent.
    max_grade : float
        The highest grade of the scale, above 0. Higher grades count as this one.

    References
    ----------
    Chapelle, Ji, Liao, Velipasaoglu, Lai and Wu (2011), Information Retrieval 14, 572-592.
    """

    rel: float = 1.0
    max_grade: float = 4.0

    kernel = staticmethod(graded_err_ia)
    uses_intents = True
    name = "gERR_IA"
    title = "Graded intent-aware ERR"
    aliases = ("graded_err_ia", "gerr-ia")
    definition = (
        "ERR for each intent by the grades for it, as if it were the query; then the mean, by "
        "their weights. A document of grade g satisfies with probability (2^g - 1) / 2^max_grade."
    )
    use_when = "Documents serve intents to different degrees, and one very good one is enough."
    avoid_when = "Judgments are binary, or values of ndeval are expected: use ERR_IA."
    edge_cases = (
        _NO_SUBTOPICS,
        _UNSERVED,
        "It is not normalised: a perfect ranking stays below 1, as in ERR.",
        "With grades of 0 and 1 and max_grade=1, it is ERR_IA@k times the highest possible ERR at "
        "k; ndeval and ir_measures have only that form.",
    )


@register
class IntentAwarePrecision(Measure):
    """Intent-aware precision.

    Parameters
    ----------
    k : int or None
        Ranks to consider, at least 1. None means as many as were retrieved.
    rel : float
        The lowest grade with which a document serves an intent.

    References
    ----------
    Agrawal, Gollapudi, Halverson and Ieong (2009), WSDM, 5-14.
    """

    rel: float = 1.0

    kernel = staticmethod(precision_ia)
    uses_intents = True
    name = "P_IA"
    title = "Intent-aware precision"
    aliases = ("p-ia",)
    definition = "P@k for each intent, as if it were the query; then the mean, by their weights."
    use_when = "You want to know how much of the first page serves a reader of any intent."
    avoid_when = "The order matters, or redundant results should cost something: use alpha_nDCG."
    edge_cases = (
        _NO_SUBTOPICS,
        _UNSERVED,
        "Fewer than k documents: divides by k. Without k: by the number of documents retrieved.",
    )


@register
class SubtopicRecall(Measure):
    """Subtopic recall.

    Parameters
    ----------
    k : int or None
        Ranks to consider, at least 1. None means the whole ranking.
    rel : float
        The lowest grade with which a document serves an intent.

    References
    ----------
    Zhai, Cohen and Lafferty (2003), SIGIR, 10-17.
    """

    rel: float = 1.0

    kernel = staticmethod(subtopic_recall)
    uses_intents = True
    name = "StRecall"
    title = "Subtopic recall"
    aliases = ("strec", "st_recall", "subtopic_recall", "s_recall", "i_rec")
    definition = "The share of the intents that at least one of the first k documents serves."
    use_when = "All meanings of a query should be on the first page, in any order."
    avoid_when = "One document per intent is not enough, or intents differ in weight."
    edge_cases = (_NO_SUBTOPICS, _UNSERVED, "Weights of intents are ignored, as published.")
