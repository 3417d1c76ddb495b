"""Relative precision: relevant documents found, relative to the most that k ranks could contain."""

from __future__ import annotations

from berryeval.kernels.relative_precision import relative_precision
from berryeval.measures._base import Measure, register

__all__ = ["RelativePrecision"]


@register
class RelativePrecision(Measure):
    """Relative precision, also called capped recall. Equals trec_eval's ``relative_P``."""

    rel: float = 1.0

    kernel = staticmethod(relative_precision)
    name = "RelP"
    title = "Relative precision"
    aliases = ("relative_P", "set_relative_P", "R_cap", "capped_recall")
    uncut_name = "SetRelP"
    definition = (
        "Relevant documents in the first k, divided by the smaller of k and the number of "
        "relevant documents."
    )
    use_when = (
        "Some queries have more relevant documents than k and some have fewer, and a perfect "
        "ranking should always score 1."
    )
    avoid_when = "You compare with recall or precision in other reports: it is neither."
    edge_cases = (
        "Without k, written SetRelP, k is the number of documents returned.",
        "No relevant document: 0.",
    )
