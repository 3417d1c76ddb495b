"""DCG and nDCG: gains, discounted by rank, against those of the ideal order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from berryeval.kernels.ndcg import dcg, ndcg
from berryeval.measures._base import Measure, register

__all__ = ["DCG", "NDCG"]


@register
@dataclass(frozen=True)
class NDCG(Measure):
    """Normalised discounted cumulative gain. Equals trec_eval's ``ndcg`` and ``ndcg_cut``.

    References
    ----------
    Järvelin and Kekäläinen (2002), ACM TOIS 20(4), 422-446.
    """

    name: ClassVar[str] = "nDCG"
    title: ClassVar[str] = "Normalised discounted cumulative gain"
    aliases: ClassVar[tuple[str, ...]] = ("ndcg", "ndcg_cut")
    definition: ClassVar[str] = (
        "DCG@k of the ranking divided by DCG@k of the ideal order of all judged documents."
    )
    use_when: ClassVar[str] = (
        "Documents are relevant to different degrees and order matters: web and product search, "
        "recommendation. The usual first choice."
    )
    avoid_when: ClassVar[str] = (
        "Finding everything is the point; or queries have one relevant document only, where "
        "reciprocal rank says the same more plainly."
    )
    edge_cases: ClassVar[tuple[str, ...]] = (
        "The ideal holds judged documents that were not retrieved, too.",
        "Nothing judged above 0: 0.",
        "Grades below 0 gain nothing. The level of relevance plays no part.",
        "The gain is the grade itself; tools that use 2^grade - 1 give other numbers.",
    )
    functions: ClassVar[tuple[str, ...]] = (
        "berryeval.ranking.ndcg_at_k",
        "berryeval.metrics.ndcg",
    )

    def score(self, grades: Sequence[float], judged: Sequence[float]) -> float:
        return ndcg(grades, judged, self.k)


@register
@dataclass(frozen=True)
class DCG(Measure):
    """Discounted cumulative gain, not normalised."""

    name: ClassVar[str] = "DCG"
    title: ClassVar[str] = "Discounted cumulative gain"
    aliases: ClassVar[tuple[str, ...]] = ("dcg",)
    bounds: ClassVar[tuple[float, float]] = (0.0, float("inf"))
    definition: ClassVar[str] = "The sum of grade / log2(rank + 1) over the first k ranks."
    use_when: ClassVar[str] = (
        "A gain has a meaning of its own, such as revenue, and queries that offer more of it "
        "shall count more."
    )
    avoid_when: ClassVar[str] = (
        "Queries are to count alike: those with many relevant documents outweigh the others."
    )
    edge_cases: ClassVar[tuple[str, ...]] = (
        "Has no upper bound; values of different test sets cannot be compared.",
        "Grades below 0 gain nothing.",
    )
    functions: ClassVar[tuple[str, ...]] = ("berryeval.ranking.dcg_at_k",)

    def score(self, grades: Sequence[float], judged: Sequence[float]) -> float:
        return dcg(grades, self.k)
