"""R-precision: precision at the rank by which everything relevant could be found."""

from __future__ import annotations

from berryeval.kernels.r_precision import r_precision, r_precision_at_multiple
from berryeval.measures._base import Measure, register

__all__ = ["RPrecision", "RPrecisionAtMultiple"]


@register
class RPrecision(Measure):
    """R-precision. Equals trec_eval's ``Rprec``."""

    rel: float = 1.0

    kernel = staticmethod(r_precision)
    name = "Rprec"
    title = "R-precision"
    aliases = ("r_precision", "r-precision")
    at = None
    definition = (
        "The precision at rank R, the number of relevant documents of the query. It equals the "
        "recall at that rank."
    )
    use_when = "Queries have different numbers of relevant documents, and no single k fits all."
    avoid_when = "People see a fixed number of results: R is not the length of their page."
    edge_cases = (
        "Fewer than R documents returned: still divided by R.",
        "No relevant document: 0.",
    )


@register
class RPrecisionAtMultiple(Measure):
    """Precision at a multiple of R. Equals trec_eval's ``Rprec_mult``.

    Parameters
    ----------
    times : float
        How many times R the rank is, above 0; it is written after the @.
    rel : float
        The lowest grade that counts as relevant.
    """

    times: float = 1.0
    rel: float = 1.0

    kernel = staticmethod(r_precision_at_multiple)
    name = "RprecMult"
    title = "Precision at a multiple of R"
    aliases = ("Rprec_mult",)
    at = "times"
    at_example = "0.5"
    definition = (
        "The precision at rank x R, with R the number of relevant documents; RprecMult@0.5 goes "
        "half as deep as R-precision."
    )
    use_when = "You want to see how precision changes around R."
    avoid_when = "You want a single number: R-precision is better known."
    edge_cases = (
        "The rank is x R + 0.9 rounded down, as in trec_eval.",
        "No relevant document: 0.",
    )
