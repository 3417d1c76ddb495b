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
    use_when: ClassVar[str] = "A report has to say over how many queries its means run."
    avoid_when: ClassVar[str] = "Systems are compared: it is the same for all."
    edge_cases: ClassVar[tuple[str, ...]] = (
        "Counts every query that is scored, those with an empty ranking included.",
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
    definition: ClassVar[str] = "The documents in the ranking; summed over queries."
    use_when: ClassVar[str] = "The depth of rankings has to be shown, or an empty one found."
    avoid_when: ClassVar[str] = "Quality is meant: more is not better."
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
    definition: ClassVar[str] = "The relevant documents, retrieved or not; summed over queries."
    use_when: ClassVar[str] = "The test set is described."
    avoid_when: ClassVar[str] = "Systems are compared: it is the same for all."
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
    definition: ClassVar[str] = "The relevant documents in the first k; summed over queries."
    use_when: ClassVar[str] = "People ask how many there are rather than what share."
    avoid_when: ClassVar[str] = (
        "Queries differ in how many relevant documents they have: recall is comparable, this "
        "is not."
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
        "The documents in the first k that were judged, and not relevant; summed over queries."
    )
    use_when: ClassVar[str] = "Known mistakes are to be told from documents nobody judged."
    avoid_when: ClassVar[str] = (
        "Judgments are few: what was not judged is not counted, however useless."
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
        "The documents in the first k without a grade of 0 or more; summed over queries."
    )
    use_when: ClassVar[str] = "Somebody has to know how many documents are left to judge."
    avoid_when: ClassVar[str] = "Rankings of different depth are compared: Judged is a share."
    edge_cases: ClassVar[tuple[str, ...]] = (
        "A grade below 0 is no judgment.",
        "Nothing returned: 0.",
    )
