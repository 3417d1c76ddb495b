"""xinfAP and infNDCG: AP and nDCG, estimated from a stratified sample of judgments."""

from __future__ import annotations

from berryeval.kernels.gains import LINEAR, Gain
from berryeval.kernels.sampled import inferred_ndcg, stratified_average_precision
from berryeval.measures._base import Measure, register

__all__ = ["InferredNDCG", "StratifiedInferredAP"]

_AVOID_WHEN = (
    "Documents are unjudged for other reasons than chance: the estimate is then biased; or few "
    "documents of a stratum were judged: look at the standard error."
)
_STRATA = (
    "Judgments without strata are one stratum per query. Documents without a stratum form one of "
    "their own."
)
_SAMPLE = (
    "A grade below 0 marks a document of the pool that is not in the sample. Documents outside "
    "the pool are not relevant."
)


@register
class StratifiedInferredAP(Measure):
    """Average precision, estimated from a stratified sample. Equals ``infAP`` of sample_eval.pl.

    Parameters
    ----------
    k : int or None
        Ranks to consider, at least 1. None means the whole ranking.
    rel : float
        The lowest grade that counts as relevant.

    References
    ----------
    Yilmaz, Kanoulas and Aslam (2008), SIGIR, 603-610.
    """

    rel: float = 1.0

    kernel = staticmethod(stratified_average_precision)
    uses_strata = True
    name = "xinfAP"
    title = "Stratified inferred average precision"
    aliases = ("extended_inferred_ap",)
    definition = (
        "The precision expected at each judged relevant document, from the judged part of each "
        "stratum above it; averaged, each document counting for all that it was sampled from."
    )
    use_when = (
        "Only a random sample of the pool was judged, at different rates in different strata, as "
        "in many TREC and TRECVID tracks."
    )
    avoid_when = _AVOID_WHEN
    edge_cases = (
        _STRATA,
        _SAMPLE,
        "With complete judgments it equals AP, and with one stratum infAP, except for smoothing.",
        "Above a relevant document, a stratum of which no retrieved document is judged counts as "
        "one third relevant, as in sample_eval.pl.",
        "No relevant document: 0.",
    )


@register
class InferredNDCG(Measure):
    """nDCG, estimated from a stratified sample. Equals ``infNDCG`` of sample_eval.pl.

    Parameters
    ----------
    k : int or None
        Ranks to consider, at least 1. None means the whole ranking.
    gain : {"linear", "exp2"}, or a mapping or pairs from grade to gain
        What a grade is worth: itself, 2^grade - 1, or what the table says; a grade that is
        not in the table is worth itself.

    References
    ----------
    Yilmaz, Kanoulas and Aslam (2008), SIGIR, 603-610.
    """

    gain: Gain = LINEAR

    kernel = staticmethod(inferred_ndcg)
    uses_strata = True
    name = "infNDCG"
    title = "Inferred nDCG"
    aliases = ("inferred_ndcg", "xinfNDCG")
    bounds = (0.0, float("inf"))
    definition = (
        "The DCG expected from the judged part of each stratum, divided by that of the estimated "
        "ideal ranking."
    )
    use_when = (
        "Only a random sample of the pool was judged, and grades differ, as in TREC's clinical and "
        "precision medicine tracks."
    )
    avoid_when = _AVOID_WHEN
    edge_cases = (
        _STRATA,
        _SAMPLE,
        "With complete judgments it equals nDCG. With a sample, an estimate can exceed 1.",
        "A stratum of which no retrieved document is judged gains nothing.",
        "Estimated numbers of documents are rounded, as in sample_eval.pl.",
        "Nothing judged above 0: 0.",
    )
