"""Rank-biased precision: gains seen by a reader who goes on with a fixed probability."""

from __future__ import annotations

from typing import ClassVar

from berryeval.kernels.rank_biased_precision import rank_biased_precision, rank_biased_residual
from berryeval.measures._base import Kernel, Measure, register

__all__ = ["RankBiasedPrecision", "RankBiasedResidual"]


@register
class RankBiasedPrecision(Measure):
    """Rank-biased precision.

    Parameters
    ----------
    k : int or None
        Ranks to consider, at least 1. None means the whole ranking.
    p : float
        The probability of going on to the next rank, between 0 and 1.
    rel : float
        The lowest grade that is relevant.
    max_grade : float or None
        The highest grade of the scale, if documents shall gain grade / max_grade; None if each
        relevant one gains 1.

    References
    ----------
    Moffat and Zobel (2008), ACM TOIS 27(1), 2:1-2:27.
    """

    p: float = 0.8
    rel: float = 1.0
    max_grade: float | None = None

    kernel: ClassVar[Kernel] = staticmethod(rank_biased_precision)
    name: ClassVar[str] = "RBP"
    title: ClassVar[str] = "Rank-biased precision"
    aliases: ClassVar[tuple[str, ...]] = ("rbp",)
    definition: ClassVar[str] = (
        "The sum of (1 - p) p^(rank - 1) over the relevant documents in the first k; with "
        "max_grade, each term is multiplied by grade / max_grade."
    )
    use_when: ClassVar[str] = (
        "Judgments are incomplete, and you want to know how much that could matter: its residual "
        "shows it."
    )
    avoid_when: ClassVar[str] = (
        "Perfect rankings should score 1: a query with few relevant documents stays far below."
    )
    edge_cases: ClassVar[tuple[str, ...]] = (
        "A grade above max_grade counts as max_grade; one below rel gains nothing.",
        "Nothing relevant: 0.",
        "Values for different p cannot be compared.",
    )


@register
class RankBiasedResidual(Measure):
    """The residual of rank-biased precision."""

    p: float = 0.8

    kernel: ClassVar[Kernel] = staticmethod(rank_biased_residual)
    name: ClassVar[str] = "RBPResidual"
    title: ClassVar[str] = "Residual of rank-biased precision"
    aliases: ClassVar[tuple[str, ...]] = ("rbp_resid",)
    higher_is_better: ClassVar[bool] = False
    definition: ClassVar[str] = (
        "How much RBP could rise if everything unjudged were perfect: the weight of the unjudged "
        "documents in the first k, and of all ranks after them."
    )
    use_when: ClassVar[str] = "You report RBP: its true value lies between RBP and RBP plus this."
    avoid_when: ClassVar[str] = (
        "It would be the only measure: it shows how little is known, not how good a ranking is."
    )
    edge_cases: ClassVar[tuple[str, ...]] = (
        "An empty ranking: 1.",
        "trec_eval 10's rbp_resid leaves out the ranks after the last unless a document is "
        "unjudged.",
    )
