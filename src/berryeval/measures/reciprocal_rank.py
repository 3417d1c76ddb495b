"""Reciprocal rank: how far down the first relevant document stands."""

from __future__ import annotations

from typing import ClassVar

from berryeval.kernels.reciprocal_rank import reciprocal_rank
from berryeval.measures._base import Kernel, Measure, register

__all__ = ["ReciprocalRank"]


@register
class ReciprocalRank(Measure):
    """Reciprocal rank, at k or uncut. Uncut it equals trec_eval's ``recip_rank``."""

    rel: float = 1.0

    kernel: ClassVar[Kernel] = staticmethod(reciprocal_rank)
    name: ClassVar[str] = "RR"
    title: ClassVar[str] = "Reciprocal rank"
    aliases: ClassVar[tuple[str, ...]] = ("MRR", "mrr", "reciprocal_rank", "recip_rank")
    definition: ClassVar[str] = (
        "1 / rank of the first relevant document in the first k. The mean over queries is MRR."
    )
    use_when: ClassVar[str] = (
        "The first right answer ends the search: question answering, known items, navigation."
    )
    avoid_when: ClassVar[str] = (
        "People need more than one document: everything after the first hit is ignored."
    )
    edge_cases: ClassVar[tuple[str, ...]] = (
        "Nothing relevant in the first k: 0.",
        "Without a cutoff, a deeper list can only score higher: compare lists of the same depth.",
    )
    functions: ClassVar[tuple[str, ...]] = (
        "berryeval.ranking.reciprocal_rank",
        "berryeval.metrics.mrr",
    )
