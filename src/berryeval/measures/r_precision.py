"""R-precision: precision at the rank by which everything relevant could be found."""

from __future__ import annotations

from typing import ClassVar

from berryeval.kernels.r_precision import r_precision, r_precision_at_multiple
from berryeval.measures._base import Kernel, Measure, register

__all__ = ["RPrecision", "RPrecisionAtMultiple"]


@register
class RPrecision(Measure):
    """R-precision. Equals trec_eval's ``Rprec``."""

    rel: float = 1.0

    kernel: ClassVar[Kernel] = staticmethod(r_precision)
    name: ClassVar[str] = "Rprec"
    title: ClassVar[str] = "R-precision"
    aliases: ClassVar[tuple[str, ...]] = ("r_precision", "r-precision")
    at: ClassVar[str | None] = None
    definition: ClassVar[str] = (
        "The precision at rank R, the number of relevant documents of the query. It is also "
        "the recall there."
    )
    use_when: ClassVar[str] = (
        "Queries differ in how many relevant documents they have, and no single k fits all."
    )
    avoid_when: ClassVar[str] = (
        "People look at a fixed number of results: R is not the length of their page."
    )
    edge_cases: ClassVar[tuple[str, ...]] = (
        "Fewer than R documents returned: divided by R all the same.",
        "No relevant document: 0.",
    )


@register
class RPrecisionAtMultiple(Measure):
    """Precision at a multiple of R. Equals trec_eval's ``Rprec_mult``."""

    times: float = 1.0
    rel: float = 1.0

    kernel: ClassVar[Kernel] = staticmethod(r_precision_at_multiple)
    name: ClassVar[str] = "RprecMult"
    title: ClassVar[str] = "Precision at a multiple of R"
    aliases: ClassVar[tuple[str, ...]] = ("Rprec_mult",)
    at: ClassVar[str | None] = "times"
    definition: ClassVar[str] = (
        "The precision at rank x R, R being the number of relevant documents; RprecMult@0.5 "
        "looks half as far as R-precision."
    )
    use_when: ClassVar[str] = "The course of precision is to be seen around R."
    avoid_when: ClassVar[str] = "One figure is wanted: R-precision is better known."
    edge_cases: ClassVar[tuple[str, ...]] = (
        "The rank is the whole part of x R + 0.9, as in trec_eval.",
        "No relevant document: 0.",
    )
