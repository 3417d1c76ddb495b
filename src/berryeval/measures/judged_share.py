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
        "The number of documents in the first k with a grade of 0 or more, divided by the number "
        "of documents there."
    )
    use_when: ClassVar[str] = (
        "You report another measure, and want to show how far it can be trusted."
    )
    avoid_when: ClassVar[str] = "It would be the only measure: it says nothing about relevance."
    edge_cases: ClassVar[tuple[str, ...]] = (
        "Fewer than k documents returned: divided by those returned.",
        "Nothing returned: 0.",
        "A grade below 0 does not count as a judgment.",
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
        "The number of documents in the first k without a grade of 0 or more, divided by k."
    )
    use_when: ClassVar[str] = "You count holes rank by rank, as trec_eval does."
    avoid_when: ClassVar[str] = (
        "Rankings are shorter than k: missing documents are not holes, and lower the value."
    )
    edge_cases: ClassVar[tuple[str, ...]] = (
        "If fewer than k documents are returned, it differs from 1 - Judged.",
        "Nothing returned: 0.",
    )
