"""Bpref: how often judged documents are in the right order."""

from __future__ import annotations

from berryeval.kernels.bpref import bpref
from berryeval.measures._base import Measure, register

__all__ = ["Bpref", "GeometricBpref"]


@register
class Bpref(Measure):
    """Binary preference. Equals trec_eval's ``bpref``.

    References
    ----------
    Buckley and Voorhees (2004), SIGIR, 25-32.
    """

    rel: float = 1.0

    kernel = staticmethod(bpref)
    name = "Bpref"
    title = "Binary preference"
    aliases = ("bpref",)
    at = None
    definition = (
        "The mean, over the relevant documents, of the share of judged non-relevant documents "
        "ranked below; only as many non-relevant documents count as there are relevant ones."
    )
    use_when = "Many retrieved documents are unjudged: it ignores them."
    avoid_when = "Judgments are nearly complete: average precision is then more informative."
    edge_cases = (
        "Nothing judged not relevant: the share of relevant documents that were found.",
        "No relevant document: 0.",
        "Grades below 0 do not count as judgments.",
    )


@register
class GeometricBpref(Measure):
    """Bpref, averaged by the geometric mean. Equals trec_eval's ``gm_bpref``."""

    rel: float = 1.0

    kernel = staticmethod(bpref)
    name = "GMBpref"
    title = "Geometric mean of binary preference"
    aliases = ("gm_bpref",)
    aggregate = "geometric"
    at = None
    definition = "Binary preference, averaged over queries by the geometric mean."
    use_when = "Judgments are incomplete, and the worst queries should count most."
    avoid_when = (
        "A few queries fail completely: their number then determines the result almost alone."
    )
    edge_cases = (
        "A query counts at least 0.00001 in the mean.",
        "For a single query it equals binary preference.",
    )
