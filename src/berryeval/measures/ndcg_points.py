"""nDCG averaged over several ranks: at the relevant documents, or where the ideal gain falls."""

from __future__ import annotations

from berryeval.kernels.gains import LINEAR, Gain
from berryeval.kernels.ndcg_points import ndcg_at_gain_levels, ndcg_at_relevant
from berryeval.measures._base import Measure, register

__all__ = ["NDCGAtGainLevels", "NDCGAtRelevant"]


@register
class NDCGAtRelevant(Measure):
    """nDCG averaged over the relevant documents. Equals trec_eval's ``ndcg_rel``."""

    gain: Gain = LINEAR

    kernel = staticmethod(ndcg_at_relevant)
    name = "nDCGRel"
    title = "nDCG at the relevant documents"
    aliases = ("ndcg_rel",)
    at = None
    definition = (
        "nDCG at the rank of each document with a positive gain, averaged over these documents."
    )
    use_when = (
        "Grades matter, and so does finding everything: it relates to nDCG as average precision "
        "does to precision."
    )
    avoid_when = "You want to compare with published values: few papers report it."
    edge_cases = (
        "A document that was not retrieved counts with the DCG of the whole ranking divided by "
        "that of the ideal.",
        "Nothing judged above 0: 0. The relevance level is ignored.",
    )


@register
class NDCGAtGainLevels(Measure):
    """nDCG averaged where the ideal gain falls. Equals trec_eval's ``Rndcg``."""

    gain: Gain = LINEAR
    rel: float = 1.0

    kernel = staticmethod(ndcg_at_gain_levels)
    name = "Rndcg"
    title = "nDCG at the levels of gain"
    aliases = ("ndcg_at_levels",)
    at = None
    definition = "The mean of nDCG at each rank where the gain of the ideal ranking falls."
    use_when = (
        "Queries have different numbers of documents of each grade, and no single k fits all."
    )
    avoid_when = "You want to compare with published values: few papers report it."
    edge_cases = (
        "The end of the ranking is one more point if it comes at least two ranks after the "
        "last gain, as in trec_eval.",
        "No relevant document: 0. Only here does the relevance level matter.",
    )
