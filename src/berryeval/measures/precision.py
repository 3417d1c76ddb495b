"""Precision: the share of what was returned that is relevant."""

from __future__ import annotations

from berryeval.kernels.precision import precision
from berryeval.measures._base import Measure, register

__all__ = ["Precision"]


@register
class Precision(Measure):
    """Precision at k. Equals trec_eval's ``P`` and, without k, ``set_P``."""

    rel: float = 1.0

    kernel = staticmethod(precision)
    name = "P"
    title = "Precision"
    aliases = ("precision", "set_P")
    uncut_name = "SetP"
    definition = "Relevant documents in the first k, divided by k."
    use_when = "People read the whole first page, and every useless result on it costs them time."
    avoid_when = (
        "Queries have fewer relevant documents than k: even a perfect ranking then scores below 1, "
        "by a different amount for each query."
    )
    edge_cases = (
        "Fewer than k documents returned: still divided by k. The array function divides by the "
        "documents returned unless denominator='k'.",
        "Without k, written SetP, it is divided by the documents returned.",
        "Nothing returned, or nothing relevant: 0.",
        "id_based_context_precision of Ragas is read as SetP; Ragas returns NaN if nothing is "
        "returned.",
    )
    functions = ("berryeval.ranking.precision_at_k", "berryeval.metrics.precision_at_k")
