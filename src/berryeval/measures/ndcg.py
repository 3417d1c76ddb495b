"""DCG and nDCG: gains, discounted by rank, against those of the ideal order."""

from __future__ import annotations

from berryeval.kernels.gains import LINEAR, Gain
from berryeval.kernels.ndcg import dcg, ideal_dcg, ndcg
from berryeval.measures._base import Measure, register

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

    kernel = staticmethod(ndcg)
    name = "nDCG"
    title = "Normalised discounted cumulative gain"
    aliases = ("ndcg", "ndcg_cut")
    definition = "DCG@k of the ranking divided by DCG@k of the ideal order of all judged documents."
    use_when = (
        "Documents are relevant to different degrees and order matters: web and product search, "
        "recommendation. The usual first choice."
    )
    avoid_when = (
        "Finding everything is the point; or queries have only one relevant document, for which "
        "reciprocal rank shows the same more plainly."
    )
    edge_cases = (
        "The ideal also contains judged documents that were not retrieved.",
        "Nothing judged above 0: 0.",
        "Grades below 0 gain nothing. The relevance level is ignored, unless rel is given: "
        "grades below it then gain nothing.",
        "The gain is the grade itself; nDCG(gain=exp2) uses 2^grade - 1, and nDCG(gain={1:3,2:9}) "
        "uses the gains in the table.",
    )
    functions = ("berryeval.ranking.ndcg_at_k", "berryeval.metrics.ndcg")


@register
class DCG(Measure):
    """Discounted cumulative gain, not normalised. Equals trec_eval 10's ``dcg``.

    Parameters
    ----------
    k : int or None
        Ranks to consider, at least 1. None means the whole ranking.
    gain : {"linear", "exp2"}, or a mapping or pairs from grade to gain
        What a grade is worth: itself, 2^grade - 1, or what the table says; a grade that is
        not in the table is worth itself.
    rel : float
        Lower grades gain nothing. 0, the default, lets all of them count.
    """

    gain: Gain = LINEAR
    rel: float = 0.0

    kernel = staticmethod(dcg)
    name = "DCG"
    title = "Discounted cumulative gain"
    aliases = ("dcg",)
    bounds = (0.0, float("inf"))
    definition = "The sum of grade / log2(rank + 1) over the first k ranks."
    use_when = (
        "The gain has a meaning of its own, such as revenue, and queries that offer more of it "
        "should count more."
    )
    avoid_when = (
        "Queries should count equally: those with many relevant documents outweigh the others."
    )
    edge_cases = (
        "It has no upper bound; values from different test sets cannot be compared.",
        "Grades below 0 gain nothing.",
    )
    functions = ("berryeval.ranking.dcg_at_k",)


@register
class IDCG(Measure):
    """Discounted cumulative gain of the ideal ranking. Equals trec_eval 10's ``ideal_dcg``.

    Parameters
    ----------
    k : int or None
        Ranks to consider, at least 1. None means the whole ranking.
    gain : {"linear", "exp2"}, or a mapping or pairs from grade to gain
        What a grade is worth: itself, 2^grade - 1, or what the table says; a grade that is
        not in the table is worth itself.
    rel : float
        Lower grades gain nothing. 0, the default, lets all of them count.
    """

    gain: Gain = LINEAR
    rel: float = 0.0

    kernel = staticmethod(ideal_dcg)
    name = "IDCG"
    title = "Ideal discounted cumulative gain"
    aliases = ("ideal_dcg",)
    bounds = (0.0, float("inf"))
    definition = "DCG@k of the ideal order of all judged documents: what nDCG divides by."
    use_when = "You want to break an nDCG value down."
    avoid_when = "Rankings are compared: it does not depend on them."
    edge_cases = ("Nothing judged above 0: 0.",)
