"""Measures of a set of documents, whose order does not count."""

from __future__ import annotations

from typing import ClassVar

from berryeval.kernels.set_based import set_average_precision, set_f
from berryeval.measures._base import Kernel, Measure, register

__all__ = ["SetAveragePrecision", "SetF"]


@register
class SetAveragePrecision(Measure):
    """Precision times recall of the set returned. Equals trec_eval's ``set_map``."""

    rel: float = 1.0

    kernel: ClassVar[Kernel] = staticmethod(set_average_precision)
    name: ClassVar[str] = "SetAP"
    title: ClassVar[str] = "Set average precision"
    aliases: ClassVar[tuple[str, ...]] = ("set_map",)
    at: ClassVar[str | None] = None
    definition: ClassVar[str] = (
        "The precision of all documents returned, multiplied by their recall."
    )
    use_when: ClassVar[str] = "An unordered set is returned, and you want a single number."
    avoid_when: ClassVar[str] = (
        "The results are ordered; or readers could confuse it with average precision."
    )
    edge_cases: ClassVar[tuple[str, ...]] = ("Nothing returned, or nothing relevant: 0.",)


@register
class SetF(Measure):
    """F of the set returned, weighed as in trec_eval's ``set_F``.

    Parameters
    ----------
    x : float
        How much recall counts, at least 0: the square of the usual beta.
    rel : float
        The lowest grade that is relevant.
    """

    x: float = 1.0
    rel: float = 1.0

    kernel: ClassVar[Kernel] = staticmethod(set_f)
    name: ClassVar[str] = "SetF"
    title: ClassVar[str] = "Set F"
    aliases: ClassVar[tuple[str, ...]] = ("set_F",)
    at: ClassVar[str | None] = None
    definition: ClassVar[str] = (
        "(x + 1) P R / (R + x P), with precision P and recall R over all documents returned."
    )
    use_when: ClassVar[str] = "Values must match trec_eval's set_F."
    avoid_when: ClassVar[str] = (
        "You want the usual F-beta: x is the square of beta, so SetF(x=0.25) is F(beta=0.5)."
    )
    edge_cases: ClassVar[tuple[str, ...]] = (
        "Precision and recall both 0: 0.",
        "ir_measures calls x beta: SetF(beta=0.5) is read as SetF(x=0.5).",
    )
