"""How much of a ranking was judged."""

from __future__ import annotations

from berryeval.kernels.judged_share import judged_share, unjudged_share
from berryeval.measures._base import Measure, register

__all__ = ["Judged", "Unjudged"]


@register
class Judged(Measure):
    """The share of judged documents in the first k. Equals ir_measures' ``Judged``."""

    kernel = staticmethod(judged_share)
    name = "Judged"
    title = "Share of judged documents"
    aliases = ("judged_share",)
    definition = (
        "The number of documents in the first k with a grade of 0 or more, divided by the number "
        "of documents there."
    )
    use_when = "You report another measure, and want to show how far it can be trusted."
    avoid_when = "It would be the only measure: it says nothing about relevance."
    edge_cases = (
        "Fewer than k documents returned: divided by those returned.",
        "Nothing returned: 0.",
        "A grade below 0 does not count as a judgment.",
    )


@register
class Unjudged(Measure):
    """Unjudged documents in the first k. Equals trec_eval 10's ``unj``."""

    kernel = staticmethod(unjudged_share)
    name = "Unjudged"
    title = "Share of unjudged documents"
    aliases = ("unj", "unjudged_share")
    higher_is_better = False
    definition = (
        "The number of documents in the first k without a grade of 0 or more, divided by k."
    )
    use_when = "You count holes rank by rank, as trec_eval does."
    avoid_when = (
        "Rankings are shorter than k: missing documents are not holes, and lower the value."
    )
    edge_cases = (
        "If fewer than k documents are returned, it differs from 1 - Judged.",
        "BEIR's Hole@k is lower: it leaves out documents that are judged for another query.",
        "Nothing returned: 0.",
    )
