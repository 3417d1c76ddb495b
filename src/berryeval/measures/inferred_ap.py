"""Inferred average precision: average precision estimated from a sample of judgments."""

from __future__ import annotations

from berryeval.kernels.inferred_ap import inferred_average_precision
from berryeval.measures._base import Measure, register

__all__ = ["InferredAveragePrecision"]


@register
class InferredAveragePrecision(Measure):
    """Inferred average precision. Equals trec_eval's ``infAP``.

    References
    ----------
    Yilmaz and Aslam (2006), CIKM, 102-111.
    """

    rel: float = 1.0

    kernel = staticmethod(inferred_average_precision)
    name = "infAP"
    title = "Inferred average precision"
    aliases = ("inferred_ap",)
    at = None
    definition = (
        "Average precision, with the precision at each relevant document estimated from the "
        "judged part of the pool above it."
    )
    use_when = "A random sample of the pool was judged, and the rest has a grade below 0."
    avoid_when = "Documents are unjudged for other reasons: the estimate is then biased."
    edge_cases = (
        "Without grades below 0 it equals average precision, except for smoothing.",
        "Documents outside the pool are not relevant.",
        "No relevant document: 0.",
    )
