"""Counts of queries and documents."""

from __future__ import annotations

from typing import ClassVar, Literal

from berryeval.kernels.counts import (
    n_nonrelevant_retrieved,
    n_queries,
    n_relevant,
    n_relevant_retrieved,
    n_retrieved,
    n_unjudged_retrieved,
)
from berryeval.measures._base import Kernel, Measure, register

__all__ = [
    "Holes",
    "NumNonrelevantRetrieved",
    "NumQueries",
    "NumRelevant",
    "NumRelevantRetrieved",
    "NumRetrieved",
]


@register
class NumQueries(Measure):
    """The number of queries. Equals trec_eval's ``num_q``."""

    kernel: ClassVar[Kernel] = staticmethod(n_queries)
    name: ClassVar[str] = "NumQ"
    title: ClassVar[str] = "Number of queries"
    aliases: ClassVar[tuple[str, ...]] = ("num_q",)
    bounds: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    aggregate: ClassVar[Literal["mean", "sum", "geometric"]] = "sum"
    at: ClassVar[str | None] = None
    definition: ClassVar[str] = "1 for each query; the sum is their number."
    use_when: ClassVar[str] = "A report must state how many queries its means cover."
    avoid_when: ClassVar[str] = "Systems are compared: it is the same for all of them."
    edge_cases: ClassVar[tuple[str, ...]] = (
        "Counts every scored query, including those with an empty ranking.",
    )


@register
class NumRetrieved(Measure):
    """The number of documents retrieved. Equals trec_eval's ``num_ret``."""

    kernel: ClassVar[Kernel] = staticmethod(n_retrieved)
    name: ClassVar[str] = "NumRet"
    title: ClassVar[str] = "Number of documents retrieved"
    aliases: ClassVar[tuple[str, ...]] = ("num_ret",)
    bounds: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    aggregate: ClassVar[Literal["mean", "sum", "geometric"]] = "sum"
    at: ClassVar[str | None] = None
    definition: ClassVar[str] = "The number of documents in the ranking, summed over queries."
    use_when: ClassVar[str] = "You want to report ranking depth, or to detect empty rankings."
    avoid_when: ClassVar[str] = "You want to measure quality: more is not better."
    edge_cases: ClassVar[tuple[str, ...]] = ("An empty ranking: 0.",)


@register
class NumRelevant(Measure):
    """The number of relevant documents. Equals trec_eval's ``num_rel``."""

    rel: float = 1.0

    kernel: ClassVar[Kernel] = staticmethod(n_relevant)
    name: ClassVar[str] = "NumRel"
    title: ClassVar[str] = "Number of relevant documents"
    aliases: ClassVar[tuple[str, ...]] = ("num_rel",)
    bounds: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    aggregate: ClassVar[Literal["mean", "sum", "geometric"]] = "sum"
    at: ClassVar[str | None] = None
    definition: ClassVar[str] = (
        "The number of relevant documents, retrieved or not, summed over queries."
    )
    use_when: ClassVar[str] = "You describe the test set."
    avoid_when: ClassVar[str] = "Systems are compared: it is the same for all of them."
    edge_cases: ClassVar[tuple[str, ...]] = ("No judgments: 0.",)


@register
class NumRelevantRetrieved(Measure):
    """The number of relevant documents retrieved. Equals trec_eval's ``num_rel_ret``."""

    rel: float = 1.0

    kernel: ClassVar[Kernel] = staticmethod(n_relevant_retrieved)
    name: ClassVar[str] = "NumRelRet"
    title: ClassVar[str] = "Number of relevant documents retrieved"
    aliases: ClassVar[tuple[str, ...]] = ("num_rel_ret", "hits")
    bounds: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    aggregate: ClassVar[Literal["mean", "sum", "geometric"]] = "sum"
    definition: ClassVar[str] = (
        "The number of relevant documents in the first k, summed over queries."
    )
    use_when: ClassVar[str] = "Readers want a count rather than a share."
    avoid_when: ClassVar[str] = (
        "Queries have different numbers of relevant documents: recall is comparable between "
        "them, this is not."
    )
    edge_cases: ClassVar[tuple[str, ...]] = ("Nothing retrieved, or nothing relevant: 0.",)


@register
class NumNonrelevantRetrieved(Measure):
    """Retrieved documents judged not relevant. Equals trec_eval's ``num_nonrel_judged_ret``."""

    rel: float = 1.0

    kernel: ClassVar[Kernel] = staticmethod(n_nonrelevant_retrieved)
    name: ClassVar[str] = "NumNonrelJudgedRet"
    title: ClassVar[str] = "Number of non-relevant documents retrieved"
    aliases: ClassVar[tuple[str, ...]] = ("num_nonrel_judged_ret",)
    bounds: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    higher_is_better: ClassVar[bool] = False
    aggregate: ClassVar[Literal["mean", "sum", "geometric"]] = "sum"
    definition: ClassVar[str] = (
        "The number of documents in the first k judged not relevant, summed over queries."
    )
    use_when: ClassVar[str] = "You want to distinguish known mistakes from unjudged documents."
    avoid_when: ClassVar[str] = (
        "There are few judgments: unjudged documents do not count, however useless."
    )
    edge_cases: ClassVar[tuple[str, ...]] = (
        "Documents without a grade of 0 or more do not count.",
    )


@register
class Holes(Measure):
    """The number of retrieved documents that nobody judged."""

    kernel: ClassVar[Kernel] = staticmethod(n_unjudged_retrieved)
    name: ClassVar[str] = "Holes"
    title: ClassVar[str] = "Number of holes"
    aliases: ClassVar[tuple[str, ...]] = ("num_unjudged_ret",)
    bounds: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    higher_is_better: ClassVar[bool] = False
    aggregate: ClassVar[Literal["mean", "sum", "geometric"]] = "sum"
    definition: ClassVar[str] = (
        "The number of documents in the first k without a grade of 0 or more, summed over queries."
    )
    use_when: ClassVar[str] = "You want to know how many documents are left to judge."
    avoid_when: ClassVar[str] = (
        "Rankings of different depth are compared: use Judged, which is a share."
    )
    edge_cases: ClassVar[tuple[str, ...]] = (
        "A grade below 0 does not count as a judgment.",
        "Nothing returned: 0.",
    )
