"""Measures of a set of documents, regardless of order."""

from __future__ import annotations

from berryeval.kernels.set_based import set_average_precision, set_f
from berryeval.measures._base import Measure, register

__all__ = ["SetAveragePrecision", "SetF"]


@register
class SetAveragePrecision(Measure):
    """Precision times recall of the set returned. Equals trec_eval's ``set_map``."""

    rel: float = 1.0

    kernel = staticmethod(set_average_precision)
    name = "SetAP"
    title = "Set average precision"
    aliases = ("set_map",)
    at = None
    definition = "The precision of all documents returned, multiplied by their recall."
    use_when = "An unordered set is returned, and you want a single number."
    avoid_when = "The results are ordered; or readers could confuse it with average precision."
    edge_cases = ("Nothing returned, or nothing relevant: 0.",)


@register
class SetF(Measure):
    """F of the set returned, weighted as in trec_eval's ``set_F``.

    Parameters
    ----------
    x : float
        How much recall counts, at least 0: the square of the usual beta.
    rel : float
        The lowest grade that is relevant.
    """

    x: float = 1.0
    rel: float = 1.0

    kernel = staticmethod(set_f)
    name = "SetF"
    title = "Set F"
    aliases = ("set_F",)
    at = None
    definition = (
        "(x + 1) P R / (R + x P), with precision P and recall R over all documents returned."
    )
    use_when = "Values must match trec_eval's set_F."
    avoid_when = (
        "You want the usual F-beta: x is the square of beta, so SetF(x=0.25) is F(beta=0.5)."
    )
    edge_cases = (
        "Precision and recall both 0: 0.",
        "ir_measures calls x beta: SetF(beta=0.5) is read as SetF(x=0.5).",
    )
