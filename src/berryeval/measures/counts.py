"""Counts of queries and documents."""

from __future__ import annotations

from berryeval.kernels.counts import (
    n_nonrelevant_retrieved,
    n_queries,
    n_relevant,
    n_relevant_retrieved,
    n_retrieved,
    n_unjudged_retrieved,
)
from berryeval.measures._base import Measure, register

__all__ = [
    "Holes",
    "NumNonrelevantRetrieved",
    "NumQueries",
    "NumRelevant",
    "NumRelevantRetrieved",
    "NumRetrieved",
]


class _Count(Measure):
    bounds = (0.0, float("inf"))
    aggregate = "sum"


@register
class NumQueries(_Count):
    """The number of queries. Equals trec_eval's ``num_q``."""

    kernel = staticmethod(n_queries)
    name = "NumQ"
    title = "Number of queries"
    aliases = ("num_q",)
    at = None
    definition = "1 for each query; the sum is their number."
    use_when = "A report must state how many queries its means cover."
    avoid_when = "Systems are compared: it is the same for all of them."
    edge_cases = ("Counts every scored query, including those with an empty ranking.",)


@register
class NumRetrieved(_Count):
    """The number of documents retrieved. Equals trec_eval's ``num_ret``."""

    kernel = staticmethod(n_retrieved)
    name = "NumRet"
    title = "Number of documents retrieved"
    aliases = ("num_ret",)
    at = None
    definition = "The number of documents in the ranking, summed over queries."
    use_when = "You want to report ranking depth, or to detect empty rankings."
    avoid_when = "You want to measure quality: more is not better."
    edge_cases = ("An empty ranking: 0.",)


@register
class NumRelevant(_Count):
    """The number of relevant documents. Equals trec_eval's ``num_rel``."""

    rel: float = 1.0

    kernel = staticmethod(n_relevant)
    name = "NumRel"
    title = "Number of relevant documents"
    aliases = ("num_rel",)
    at = None
    definition = "The number of relevant documents, retrieved or not, summed over queries."
    use_when = "You describe the test set."
    avoid_when = "Systems are compared: it is the same for all of them."
    edge_cases = ("No judgments: 0.",)


@register
class NumRelevantRetrieved(_Count):
    """The number of relevant documents retrieved. Equals trec_eval's ``num_rel_ret``."""

    rel: float = 1.0

    kernel = staticmethod(n_relevant_retrieved)
    name = "NumRelRet"
    title = "Number of relevant documents retrieved"
    aliases = ("num_rel_ret", "hits")
    definition = "The number of relevant documents in the first k, summed over queries."
    use_when = "Readers want a count rather than a share."
    avoid_when = (
        "Queries have different numbers of relevant documents: recall is comparable between "
        "them, this is not."
    )
    edge_cases = ("Nothing retrieved, or nothing relevant: 0.",)


@register
class NumNonrelevantRetrieved(_Count):
    """Retrieved documents judged not relevant. Equals trec_eval's ``num_nonrel_judged_ret``."""

    rel: float = 1.0

    kernel = staticmethod(n_nonrelevant_retrieved)
    name = "NumNonrelJudgedRet"
    title = "Number of non-relevant documents retrieved"
    aliases = ("num_nonrel_judged_ret",)
    higher_is_better = False
    definition = "The number of documents in the first k judged not relevant, summed over queries."
    use_when = "You want to distinguish known mistakes from unjudged documents."
    avoid_when = "There are few judgments: unjudged documents do not count, however useless."
    edge_cases = ("Documents without a grade of 0 or more do not count.",)


@register
class Holes(_Count):
    """The number of retrieved documents that are not judged."""

    kernel = staticmethod(n_unjudged_retrieved)
    name = "Holes"
    title = "Number of holes"
    aliases = ("num_unjudged_ret",)
    higher_is_better = False
    definition = (
        "The number of documents in the first k without a grade of 0 or more, summed over queries."
    )
    use_when = "You want to know how many documents are left to judge."
    avoid_when = "Rankings of different depth are compared: use Judged, which is a share."
    edge_cases = ("A grade below 0 does not count as a judgment.", "Nothing returned: 0.")
