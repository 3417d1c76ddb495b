"""DCG and nDCG: gains, discounted by rank, against those of the ideal order."""

from __future__ import annotations

from typing import ClassVar

from berryeval.kernels.gains import LINEAR, Gain
from berryeval.kernels.ndcg import dcg, ideal_dcg, ndcg
from berryeval.measures._base import Kernel, Measure, register

__all__ = ["DCG", "IDCG", "NDCG"]


@register
class NDCG(Measure):
    """Normalised discounted cumulative gain. Equals trec_eval's ``ndcg`` and ``ndcg_cut``.

    Parameters
    ----------
    k : int or None
        Ranks to consider, at least 1. None means the whole ranking.
    gain : {"linear", "exp2"}, or a mapping or pairs from grade to gain
        What a grade is worth: itself, 2^grade - 1, or what the table says; a grade that is
        not in the table is worth itself.
    rel : float
        Lower grades gain nothing. 0, the default, lets all of them count.

    References
    ----------
    Järvelin and Kekäläinen (2002), ACM TOIS 20(4), 422-446.
    """

    gain: Gain = LINEAR
    rel: float = 0.0

    kernel: ClassVar[Kernel] = staticmethod(ndcg)
    name: ClassVar[str] = "nDCG"
    title: ClassVar[str] = "Normalised discounted cumulative gain"
    aliases: ClassVar[tuple[str, ...]] = ("ndcg", "ndcg_cut")
    definition: ClassVar[str] = (
        "DCG@k of the ranking divided by DCG@k of the ideal order of all judged documents."
    )
    use_when: ClassVar[str] = (
        "Documents are relevant to different degrees and order matters: web and product search, "
        "recommendation. The usual first choice."
    )
    avoid_when: ClassVar[str] = (
        "Finding everything is the point; or queries have only one relevant document, for which "
        "reciprocal rank shows the same more plainly."
    )
    edge_cases: ClassVar[tuple[str, ...]] = (
        "The ideal also contains judged documents that were not retrieved.",
        "Nothing judged above 0: 0.",
        "Grades below 0 gain nothing. The relevance level is ignored, unless rel is given: "
        "grades below it then gain nothing.",
        "The gain is the grade itself; nDCG(gain=exp2) uses 2^grade - 1, and nDCG(gain={1:3,2:9}) "
        "uses the gains in the table.",
    )
    functions: ClassVar[tuple[str, ...]] = (
        "berryeval.ranking.ndcg_at_k",
        "berryeval.metrics.ndcg",
    )


@register
class DCG(Measure):
    """Discounted cumulative gain, not normalised. Equals trec_eval 10's ``dcg``."""

    gain: Gain = LINEAR
    rel: float = 0.0

    kernel: ClassVar[Kernel] = staticmethod(dcg)
    name: ClassVar[str] = "DCG"
    title: ClassVar[str] = "Discounted cumulative gain"
    aliases: ClassVar[tuple[str, ...]] = ("dcg",)
    bounds: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    definition: ClassVar[str] = "The sum of grade / log2(rank + 1) over the first k ranks."
    use_when: ClassVar[str] = (
        "The gain has a meaning of its own, such as revenue, and queries that offer more of it "
        "should count more."
    )
    avoid_when: ClassVar[str] = (
        "Queries should count equally: those with many relevant documents outweigh the others."
    )
    edge_cases: ClassVar[tuple[str, ...]] = (
        "It has no upper bound; values from different test sets cannot be compared.",
        "Grades below 0 gain nothing.",
    )
    functions: ClassVar[tuple[str, ...]] = ("berryeval.ranking.dcg_at_k",)


@register
class IDCG(Measure):
    """Discounted cumulative gain of the ideal ranking. Equals trec_eval 10's ``ideal_dcg``."""

    gain: Gain = LINEAR
    rel: float = 0.0

    kernel: ClassVar[Kernel] = staticmethod(ideal_dcg)
    name: ClassVar[str] = "IDCG"
    title: ClassVar[str] = "Ideal discounted cumulative gain"
    aliases: ClassVar[tuple[str, ...]] = ("ideal_dcg",)
    bounds: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    definition: ClassVar[str] = (
        "DCG@k of the ideal order of all judged documents: what nDCG divides by."
    )
    use_when: ClassVar[str] = "You want to break an nDCG value down."
    avoid_when: ClassVar[str] = "Rankings are compared: it does not depend on them."
    edge_cases: ClassVar[tuple[str, ...]] = ("Nothing judged above 0: 0.",)
