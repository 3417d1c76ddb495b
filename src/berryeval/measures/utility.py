"""Utility: the sum of the values of each kind of document."""

from __future__ import annotations

from berryeval.kernels.utility import utility
from berryeval.measures._base import Measure, register

__all__ = ["Utility"]


@register
class Utility(Measure):
    """Linear utility. Equals trec_eval's ``utility``.

    Parameters
    ----------
    worth : four numbers
        What a document is worth that is retrieved and relevant; retrieved and not relevant;
        relevant and not retrieved; neither.
    n_documents : int
        The size of the collection, which the last of them depends on.
    rel : float
        The lowest grade that is relevant.
    """

    worth: tuple[float, float, float, float] = (1.0, -1.0, 0.0, 0.0)
    n_documents: int = 0
    rel: float = 1.0

    kernel = staticmethod(utility)
    name = "Utility"
    title = "Utility"
    aliases = ("utility",)
    bounds = (float("-inf"), float("inf"))
    at = None
    definition = (
        "The sum of the benefits and costs of documents: by default 1 for each relevant document "
        "returned, and -1 for each other one."
    )
    use_when = "You evaluate filtering: each right or wrong document has a known benefit or cost."
    avoid_when = "Queries of different size are averaged: the large ones outweigh the others."
    edge_cases = (
        "It has no bounds, and can be negative.",
        "Documents neither retrieved nor relevant are counted from n_documents; 0, as in "
        "trec_eval, makes their number negative.",
        "Nothing returned: the sum of the costs of missed documents.",
    )
