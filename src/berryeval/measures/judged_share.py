"""How much of a ranking was judged."""

from __future__ import annotations

from berryeval.kernels.judged_share import hole_share, judged_share, unjudged_share
from berryeval.measures._base import Measure, register

__all__ = ["Hole", "Judged", "Unjudged"]


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
        "Hole, as BEIR defines it, is lower: it omits documents that another query judges.",
        "Nothing returned: 0.",
    )


@register
class Hole(Measure):
    """Documents in the first k that no query judges. Equals BEIR's ``Hole``."""

    kernel = staticmethod(hole_share)
    name = "Hole"
    title = "Share of documents judged for no query"
    aliases = ("hole_share",)
    higher_is_better = False
    across_queries = True
    definition = (
        "The number of documents in the first k that the judgments of no query contain, divided "
        "by k."
    )
    use_when = "You report results on BEIR's data sets, and want to show how many are unknown."
    avoid_when = (
        "Few queries share documents, or judgments are deep: Unjudged counts all documents that "
        "can change the score of a query."
    )
    edge_cases = (
        "A document judged for another query is not a hole here, although its grade for this "
        "query is unknown.",
        "A grade below 0 counts as a judgment, as in BEIR; for Unjudged it does not.",
        "Adding or removing the judgments of one query can change the value of another.",
        "If fewer than k documents are returned: still divided by k. Nothing returned: 0.",
        "BEIR breaks ties by the order of the results, and rounds means to 5 digits.",
    )
