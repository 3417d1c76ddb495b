"""Inferred average precision: average precision estimated from a sample of judgments."""

from __future__ import annotations

from typing import ClassVar

from berryeval.kernels.inferred_ap import inferred_average_precision
from berryeval.measures._base import Kernel, Measure, register

__all__ = ["InferredAveragePrecision"]


@register
class InferredAveragePrecision(Measure):
    """Inferred average precision. Equals trec_eval's ``infAP``.

    References
    ----------
    Yilmaz and Aslam (2006), CIKM, 102-111.
    """

    rel: float = 1.0

    kernel: ClassVar[Kernel] = staticmethod(inferred_average_precision)
    name: ClassVar[str] = "infAP"
    title: ClassVar[str] = "Inferred average precision"
    aliases: ClassVar[tuple[str, ...]] = ("inferred_ap",)
    at: ClassVar[str | None] = None
    definition: ClassVar[str] = (
        "Average precision, with the precision at each relevant document estimated from the "
        "judged part of the pool above it."
    )
    use_when: ClassVar[str] = (
        "A random sample of the pool was judged, and the rest has a grade below 0."
    )
    avoid_when: ClassVar[str] = (
        "Documents are unjudged for other reasons: the estimate is then biased."
    )
    edge_cases: ClassVar[tuple[str, ...]] = (
        "Without grades below 0 it equals average precision, except for smoothing.",
        "Documents outside the pool are not relevant.",
        "No relevant document: 0.",
    )
