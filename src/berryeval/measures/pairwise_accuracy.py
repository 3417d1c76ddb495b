"""Pairwise accuracy: how often a relevant document is above one that is not."""

from __future__ import annotations

from berryeval.kernels.pairwise_accuracy import pairwise_accuracy
from berryeval.measures._base import Measure, register

__all__ = ["PairwiseAccuracy"]


@register
class PairwiseAccuracy(Measure):
    """The share of pairs, one relevant and one not, in the right order.

    It is ``Accuracy`` of ir_measures.
    """

    rel: float = 1.0

    kernel = staticmethod(pairwise_accuracy)
    name = "PairwiseAccuracy"
    title = "Pairwise accuracy"
    aliases = ("pairwise_accuracy",)
    definition = (
        "The probability that a relevant document in the first k is above one there that is not "
        "relevant."
    )
    use_when = "You train a ranker, and compare training with test data: it is the training loss."
    avoid_when = (
        "Systems are compared: documents that were not retrieved do not count, and low ranks count "
        "as much as high ones."
    )
    edge_cases = (
        "Accuracy without a cutoff is read as this measure, and Accuracy@10 as Success@10, as in "
        "BEIR.",
        "Nothing relevant retrieved: 0. Only relevant documents retrieved: 1. ir_measures leaves "
        "out the query in the first case, and divides by 0 in the second.",
        "Unjudged documents are not relevant.",
    )
