"""Recall: the share of the relevant documents that was found."""

from __future__ import annotations

from berryeval.kernels.recall import recall
from berryeval.measures._base import Measure, register

__all__ = ["Recall"]


@register
class Recall(Measure):
    """Recall at k. Equals trec_eval's ``recall`` and, without k, ``set_recall``."""

    rel: float = 1.0

    kernel = staticmethod(recall)
    name = "R"
    title = "Recall"
    aliases = ("recall", "set_recall")
    uncut_name = "SetR"
    definition = "Relevant documents in the first k, divided by all relevant documents."
    use_when = (
        "A missed document costs more than a useless one: legal discovery, patents, medicine, "
        "and the context of a RAG answer."
    )
    avoid_when = (
        "Few documents are judged, so that not all relevant ones are known; or people see only the "
        "top, since order within the first k is ignored."
    )
    edge_cases = (
        "No relevant document: 0.",
        "Without k, written SetR, it covers the whole ranking.",
        "More relevant documents than k: the value cannot reach 1.",
        "id_based_context_recall of Ragas is read as SetR.",
    )
    functions = ("berryeval.ranking.recall_at_k", "berryeval.metrics.recall_at_k")
