"""Rank-biased precision: gains seen by a reader who continues with a fixed probability."""

from __future__ import annotations

from berryeval.kernels.rank_biased_precision import rank_biased_precision, rank_biased_residual
from berryeval.measures._base import Measure, register

__all__ = ["RankBiasedPrecision", "RankBiasedResidual"]


@register
class RankBiasedPrecision(Measure):
    """Rank-biased precision.

    Parameters
    ----------
    k : int or None
        Ranks to consider, at least 1. None means the whole ranking.
    p : float
        The probability of continuing to the next rank, between 0 and 1.
    rel : float
        The lowest grade that is relevant.
    max_grade : float or None
        The highest grade of the scale, if documents should gain grade / max_grade; None if each
        relevant one gains 1.

    References
    ----------
    Moffat and Zobel (2008), ACM TOIS 27(1), 2:1-2:27.
    """

    p: float = 0.8
    rel: float = 1.0
    max_grade: float | None = None

    kernel = staticmethod(rank_biased_precision)
    name = "RBP"
    title = "Rank-biased precision"
    aliases = ("rbp",)
    definition = (
        "The sum of (1 - p) p^(rank - 1) over the relevant documents in the first k; with "
        "max_grade, each term is multiplied by grade / max_grade."
    )
    use_when = (
        "Judgments are incomplete, and you want to know how much that could matter: its residual "
        "shows it."
    )
    avoid_when = (
        "Perfect rankings should score 1: a query with few relevant documents stays far below."
    )
    edge_cases = (
        "A grade above max_grade counts as max_grade; one below rel gains nothing.",
        "Nothing relevant: 0.",
        "Values for different p cannot be compared.",
    )


@register
class RankBiasedResidual(Measure):
    """The residual of rank-biased precision.

    Parameters
    ----------
    k : int or None
        Ranks to consider, at least 1. None means the whole ranking.
    p : float
        The probability of continuing to the next rank, between 0 and 1, as in RBP.
    """

    p: float = 0.8

    kernel = staticmethod(rank_biased_residual)
    name = "RBPResidual"
    title = "Residual of rank-biased precision"
    aliases = ("rbp_resid",)
    higher_is_better = False
    definition = (
        "How much RBP could rise if everything unjudged were perfect: the weight of the unjudged "
        "documents in the first k, and of all ranks after them."
    )
    use_when = "You report RBP: its true value lies between RBP and RBP plus this."
    avoid_when = (
        "It would be the only measure: it shows how little is known, not how good a ranking is."
    )
    edge_cases = (
        "An empty ranking: 1.",
        "trec_eval 10's rbp_resid leaves out the ranks after the last unless a document is "
        "unjudged.",
    )
