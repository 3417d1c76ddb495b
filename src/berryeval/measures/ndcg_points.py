"""nDCG averaged over several ranks: at the relevant documents, or where the ideal gain falls."""

from __future__ import annotations

from typing import ClassVar

from berryeval.kernels.gains import LINEAR, Gain
from berryeval.kernels.ndcg_points import ndcg_at_gain_levels, ndcg_at_relevant
from berryeval.measures._base import Kernel, Measure, register

__all__ = ["NDCGAtGainLevels", "NDCGAtRelevant"]


@register
class NDCGAtRelevant(Measure):
    """nDCG averaged over the relevant documents. Equals trec_eval's ``ndcg_rel``."""

    gain: Gain = LINEAR

    kernel: ClassVar[Kernel] = staticmethod(ndcg_at_relevant)
    name: ClassVar[str] = "nDCGRel"
    title: ClassVar[str] = "nDCG at the relevant documents"
    aliases: ClassVar[tuple[str, ...]] = ("ndcg_rel",)
    at: ClassVar[str | None] = None
    definition: ClassVar[str] = (
        "nDCG at the rank of each document with a positive gain, averaged over these documents."
    )
    use_when: ClassVar[str] = (
        "Grades matter, and so does finding everything: it relates to nDCG as average precision "
        "does to precision."
    )
    avoid_when: ClassVar[str] = "You want to compare with published values: few papers report it."
    edge_cases: ClassVar[tuple[str, ...]] = (
        "A document that was not retrieved counts with the DCG of the whole ranking divided by "
        "that of the ideal.",
        "Nothing judged above 0: 0. The relevance level is ignored.",
    )


@register
class NDCGAtGainLevels(Measure):
    """nDCG averaged where the ideal gain falls. Equals trec_eval's ``Rndcg``."""

    gain: Gain = LINEAR
    rel: float = 1.0

    kernel: ClassVar[Kernel] = staticmethod(ndcg_at_gain_levels)
    name: ClassVar[str] = "Rndcg"
    title: ClassVar[str] = "nDCG at the levels of gain"
    aliases: ClassVar[tuple[str, ...]] = ("ndcg_at_levels",)
    at: ClassVar[str | None] = None
    definition: ClassVar[str] = (
        "The mean of nDCG at each rank where the gain of the ideal ranking falls."
    )
    use_when: ClassVar[str] = (
        "Queries have different numbers of documents of each grade, and no single k fits all."
    )
    avoid_when: ClassVar[str] = "You want to compare with published values: few papers report it."
    edge_cases: ClassVar[tuple[str, ...]] = (
        "The end of the ranking is one more point if it comes at least two ranks after the "
        "last gain, as in trec_eval.",
        "No relevant document: 0. Only here does the relevance level matter.",
    )
