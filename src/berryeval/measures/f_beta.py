"""F-beta: one number for precision and recall, weighted against each other."""

from __future__ import annotations

from berryeval.kernels.f_beta import f_beta
from berryeval.measures._base import Measure, register

__all__ = ["FBeta"]


@register
class FBeta(Measure):
    """F-beta at k.

    Parameters
    ----------
    k : int or None
        Ranks to consider, at least 1. None means the whole ranking.
    beta : float
        How many times as much recall counts as precision, at least 0.
    rel : float
        The lowest grade that is relevant.

    References
    ----------
    van Rijsbergen (1979), Information Retrieval, chapter 7.
    """

    beta: float = 1.0
    rel: float = 1.0

    kernel = staticmethod(f_beta)
    name = "F"
    title = "F-beta"
    aliases = ("f_beta", "fbeta")
    definition = "(1 + b^2) P R / (b^2 P + R), with precision P and recall R at k, and beta b."
    use_when = "A set is returned, and you know how much more one kind of error costs."
    avoid_when = "There is no reason for a particular beta: report precision and recall instead."
    edge_cases = (
        "Precision and recall both 0: 0.",
        "Precision divides by k, or by the documents returned if there is no k.",
        "The weight of trec_eval's set_F is the square of beta.",
    )
