"""How much of a ranking was judged."""

from __future__ import annotations

from typing import ClassVar

from berryeval.kernels.judged_share import judged_share, unjudged_share
from berryeval.measures._base import Kernel, Measure, register

__all__ = ["Judged", "Unjudged"]


@register
class Judged(Measure):
    """The share of judged documents in the first k. Equals ir_measures' ``Judged``."""

    kernel: ClassVar[Kernel] = staticmethod(judged_share)
    name: ClassVar[str] = "Judged"
    title: ClassVar[str] = "Share of judged documents"
    aliases: ClassVar[tuple[str, ...]] = ("judged_share",)
    definition: ClassVar[str] = (
        "The documents in the first k with a grade of 0 or more, divided by all documents there."
    )
    use_when: ClassVar[str] = "Beside any other measure, to see how far it can be trusted."
    avoid_when: ClassVar[str] = "Alone: it says nothing about relevance."
    edge_cases: ClassVar[tuple[str, ...]] = (
        "Fewer than k documents returned: divided by those returned.",
        "Nothing returned: 0.",
        "A grade below 0 is no judgment.",
    )


@register
class Unjudged(Measure):
    """Unjudged documents in the first k. Equals trec_eval 10's ``unj``."""

    kernel: ClassVar[Kernel] = staticmethod(unjudged_share)
    name: ClassVar[str] = "Unjudged"
    title: ClassVar[str] = "Share of unjudged documents"
    aliases: ClassVar[tuple[str, ...]] = ("unj", "unjudged_share")
    higher_is_better: ClassVar[bool] = False
    definition: ClassVar[str] = (
        "The documents in the first k without a grade of 0 or more, divided by k."
    )
    use_when: ClassVar[str] = "Holes are to be counted rank by rank, as trec_eval does."
    avoid_when: ClassVar[str] = (
        "Rankings are shorter than k: missing documents are no holes, and lower the value."
    )
    edge_cases: ClassVar[tuple[str, ...]] = (
        "It is not 1 - Judged where fewer than k documents were returned.",
        "Nothing returned: 0.",
    )
