"""Expected reciprocal rank: how soon a reader who stops at a good document stops."""

from __future__ import annotations

from berryeval.kernels.expected_reciprocal_rank import expected_reciprocal_rank
from berryeval.measures._base import Measure, register

__all__ = ["ExpectedReciprocalRank"]


@register
class ExpectedReciprocalRank(Measure):
    """Expected reciprocal rank.

    Parameters
    ----------
    k : int or None
        Ranks to consider, at least 1. None means the whole ranking.
    max_grade : float
        The highest grade of the scale, above 0. Higher grades count as this one.

    References
    ----------
    Chapelle, Metzler, Zhang and Grinspan (2009), CIKM, 621-630.
    """

    max_grade: float = 4.0

    kernel = staticmethod(expected_reciprocal_rank)
    name = "ERR"
    title = "Expected reciprocal rank"
    aliases = ("expected_reciprocal_rank",)
    definition = (
        "The sum over ranks of 1 / rank times the probability that a reader stops there; a "
        "document of grade g satisfies with probability (2^g - 1) / 2^max_grade."
    )
    use_when = (
        "One very good document is enough, and lesser ones still help: web search with grades."
    )
    avoid_when = "Several documents are needed: after a good one, the others hardly count."
    edge_cases = (
        "max_grade is the highest grade of the scale, not of the query. Default: 4, as in the tool "
        "of the TREC web tracks.",
        "A perfect ranking stays below 1.",
        "It is not normalised by the ideal: queries without good documents lower the mean.",
    )
